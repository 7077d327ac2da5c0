// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile functions that are wrong on purpose, each in one way: what the checker
// must find. With Fault::kNone they are right.

#ifndef TESTS_TILES_BROKEN_TILES_H_
#define TESTS_TILES_BROKEN_TILES_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tilewright/tile.h"

namespace tilewright::testing {

enum class Fault {
  kNone,
  // Values.
  kSwapsTwoColumns,
  kDropsLastStep,
  kReversesK0,
  kIgnoresAccumulate,
  kAlwaysAccumulates,
  kSkipsKZero,
  kClearsKZeroAccumulate,
  kAddsZeroAtKZero,
  kRoundsAtKZero,
  kWritesMinusZero,
  kTakesSignedAsUnsigned,
  kSaturates,
  kFlushesDenormals,
  kTruncatesOutput,
  kRoundsOnlyOnce,
  kRoundsPerStep,
  kSumsInNarrowType,
  kSelectsAroundNaN,
  // Memory.
  kReadsPastLhs,
  kReadsBeforeLhs,
  kReadsPastRhs,
  kReadsBeforeRhs,
  kWritesPastOut,
  kWritesBeforeOut,
  kWritesBetweenRows,
  kIgnoresRowStride,
  kReadsRowStrideAlways,
  kReadsShapeFromParams,
  kWritesLhs,
  kWritesRhs,
  kWritesParams,
  kNeedsAlignment,
  kTraps,
};

// A volatile read, so that it is not optimised away.
inline void touch(const void* p) {
  (void)*static_cast<const volatile uint8_t*>(p);
}

inline float bfloatValue(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

inline uint16_t bfloatBits(float value, bool truncate) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7FC0;
  if (!truncate) bits += 0x7FFF + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

// Elements: float, int8_t, or uint16_t for bf16.
template <typename T>
auto valueOf(T element) {
  if constexpr (std::is_same_v<T, uint16_t>)
    return bfloatValue(element);
  else
    return element;
}

// A tile of `In` panels and an `Out` tile; `Acc` is float or int32_t. PerStep
// is the variant steprnd.
template <typename In, typename Out, typename Acc, int M0, int N0, int K0,
          bool PerStep, Fault F>
void simpleTile(void* outTile, const void* lhsPanel, const void* rhsPanel,
                const tw_mmt4d_params_t* params) {
  auto* out = static_cast<Out*>(outTile);
  const auto* lhs = static_cast<const In*>(lhsPanel);
  const auto* rhs = static_cast<const In*>(rhsPanel);
  const int64_t K = params->K;
  bool accumulate = params->flags & TW_MMT4D_FLAG_ACCUMULATE;
  int64_t stride = N0;
  if (params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE)
    stride = params->out_row_stride;
  if (F == Fault::kReadsRowStrideAlways) touch(&params->out_row_stride);
  if (F == Fault::kIgnoresRowStride) stride = N0;
  if (F == Fault::kIgnoresAccumulate) accumulate = false;
  if (F == Fault::kAlwaysAccumulates) accumulate = true;
  if (F == Fault::kClearsKZeroAccumulate && K == 0) accumulate = false;
  if (F == Fault::kSkipsKZero && K == 0) return;
  if (accumulate && K == 0 && F != Fault::kAddsZeroAtKZero &&
      F != Fault::kRoundsAtKZero)
    return;
  if (F == Fault::kReadsPastLhs) touch(lhs + K * M0 * K0);
  if (F == Fault::kReadsBeforeLhs) touch(lhs - 1);
  if (F == Fault::kReadsPastRhs) touch(rhs + K * N0 * K0);
  if (F == Fault::kReadsBeforeRhs) touch(rhs - 1);
  if (F == Fault::kNeedsAlignment && reinterpret_cast<uintptr_t>(lhs) % 16)
    __builtin_trap();
  if (F == Fault::kTraps) __builtin_trap();

  auto narrow = [](Acc value) -> Out {
    if constexpr (std::is_same_v<Out, uint16_t>)
      return bfloatBits(value, F == Fault::kTruncatesOutput);
    else
      return static_cast<Out>(value);
  };
  constexpr bool kPerStep =
      (PerStep && F != Fault::kRoundsOnlyOnce) || F == Fault::kRoundsPerStep;
  const int rows = F == Fault::kReadsShapeFromParams ? params->M0 : M0;
  for (int m = 0; m < rows; ++m) {
    for (int n = 0; n < N0; ++n) {
      Out* target = &out[m * stride + n];
      Acc acc = accumulate ? static_cast<Acc>(valueOf(*target)) : Acc{0};
      for (int64_t k = 0; k < K - (F == Fault::kDropsLastStep); ++k) {
        for (int i = 0; i < K0; ++i) {
          const int j = F == Fault::kReversesK0 ? K0 - 1 - i : i;
          const int column = F == Fault::kSwapsTwoColumns && n < 2 ? 1 - n : n;
          auto a = valueOf(lhs[(k * M0 + m) * K0 + i]);
          auto b = valueOf(rhs[(k * N0 + column) * K0 + j]);
          if constexpr (std::is_integral_v<Acc>) {
            const int x = F == Fault::kTakesSignedAsUnsigned
                              ? static_cast<uint8_t>(a)
                              : a;
            if (F == Fault::kSaturates) {
              const int64_t wide = int64_t{acc} + x * b;
              acc = wide > INT32_MAX   ? INT32_MAX
                    : wide < INT32_MIN ? INT32_MIN
                                       : static_cast<Acc>(wide);
            } else {
              acc = static_cast<Acc>(static_cast<uint32_t>(acc) +
                                     static_cast<uint32_t>(x * b));
            }
          } else {
            if (F == Fault::kFlushesDenormals) {
              if (std::fabs(a) < 0x1p-126f) a = 0;
              if (std::fabs(b) < 0x1p-126f) b = 0;
            }
            if (F == Fault::kSelectsAroundNaN && a != a) continue;
            acc += a * b;
            if (F == Fault::kSumsInNarrowType)
              acc = bfloatValue(bfloatBits(acc, false));
          }
        }
        if constexpr (kPerStep) acc = valueOf(narrow(acc));
      }
      if (F == Fault::kAddsZeroAtKZero) acc += 0;
      if (F == Fault::kWritesMinusZero && K == 0) acc = -acc;
      *target = narrow(acc);
      if (F == Fault::kWritesBetweenRows && stride > N0 && n == N0 - 1 &&
          m < M0 - 1)
        target[1] = Out{0};
    }
  }
  if (F == Fault::kWritesPastOut) out[(M0 - 1) * stride + N0] = Out{0};
  if (F == Fault::kWritesBeforeOut) out[-1] = Out{0};
  if (F == Fault::kWritesLhs && K != 0) ++*const_cast<In*>(lhs);
  if (F == Fault::kWritesRhs && K != 0) ++*const_cast<In*>(rhs);
  if (F == Fault::kWritesParams) ++const_cast<tw_mmt4d_params_t*>(params)->M;
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_BROKEN_TILES_H_
