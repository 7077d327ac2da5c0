// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every AMDGPU tile is written in: function attributes, address spaces,
// vectors, and memory accesses of any alignment. Freestanding C++17 for
// `-target amdgcn-amd-amdhsa`, and HIP without its headers
// (`-x hip --cuda-device-only -nogpulib -nogpuinc`).

#ifndef UKERNELS_AMDGPU_DEVICE_H_
#define UKERNELS_AMDGPU_DEVICE_H_

#include "ukernels/tile_function.h"

#ifdef __HIP__
#define TW_DEVICE __attribute__((device))
#else
#define TW_DEVICE
#endif
#define TW_INLINE TW_DEVICE static inline __attribute__((always_inline))
// A static member function.
#define TW_MEMBER TW_DEVICE static constexpr __attribute__((always_inline))

#define TW_UNROLL _Pragma("clang loop unroll(full)")
#define TW_NO_UNROLL _Pragma("clang loop unroll(disable)")

// Memory of the device. A generic pointer would be accessed by flat
// instructions, which also wait for LDS.
#define TW_GLOBAL __attribute__((address_space(1)))

namespace tilewright::amdgpu {

template <typename T, int N>
using Vector = T __attribute__((ext_vector_type(N)));

// 32-bit registers of one lane.
template <int N>
struct Registers {
  int word[N];
};

// Bits as another type of the same size.
template <typename To, typename From>
TW_INLINE To bitsAs(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

TW_INLINE unsigned laneInWave() {
#if __AMDGCN_WAVEFRONT_SIZE__ == 32 || defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_mbcnt_lo(~0u, 0);
#else
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
#endif
}

// The compiler moves nothing across: where it stands, loads stay ahead of the
// matrix instructions that follow, whatever registers that costs.
TW_INLINE void scheduleBarrier() { __builtin_amdgcn_sched_barrier(0); }

// A value that all lanes have alike, known to be so: it lives in scalar
// registers and addresses formed with it take no vector arithmetic.
TW_INLINE int64_t uniform(int64_t value) {
  const auto bits = bitsAs<Vector<int, 2>>(value);
  return bitsAs<int64_t>(
      Vector<int, 2>{__builtin_amdgcn_readfirstlane(bits[0]),
                     __builtin_amdgcn_readfirstlane(bits[1])});
}
TW_INLINE const TW_GLOBAL char* uniform(const TW_GLOBAL void* pointer) {
  return (const TW_GLOBAL char*)uniform((int64_t)pointer);
}

// Memory is accessed in pieces of 16, 12, 8, 4, 2 or 1 bytes at any address:
// the amdhsa ABI runs with unaligned access enabled, so that a piece is one
// instruction wherever it lies.
template <int kBytes>
struct Piece;
template <>
struct Piece<16> {
  typedef Vector<int, 4> type __attribute__((aligned(1), may_alias));
};
template <>
struct Piece<8> {
  typedef Vector<int, 2> type __attribute__((aligned(1), may_alias));
};
template <>
struct Piece<4> {
  typedef int type __attribute__((aligned(1), may_alias));
};
template <>
struct Piece<2> {
  typedef unsigned short type __attribute__((aligned(1), may_alias));
};
template <>
struct Piece<1> {
  typedef unsigned char type __attribute__((may_alias));
};

// Fills `kBytes` bytes (a multiple of 4, or 1 or 2, zero-extended) of registers
// from `at`.
template <int kBytes>
TW_INLINE void load(int* to, const TW_GLOBAL char* at) {
  if constexpr (kBytes >= 16) {
    const Vector<int, 4> piece = *(const TW_GLOBAL typename Piece<16>::type*)at;
    to[0] = piece[0], to[1] = piece[1], to[2] = piece[2], to[3] = piece[3];
    if constexpr (kBytes > 16) load<kBytes - 16>(to + 4, at + 16);
  } else if constexpr (kBytes >= 8) {
    const Vector<int, 2> piece = *(const TW_GLOBAL typename Piece<8>::type*)at;
    to[0] = piece[0], to[1] = piece[1];
    if constexpr (kBytes > 8) load<kBytes - 8>(to + 2, at + 8);
  } else {
    static_assert(kBytes == 4 || kBytes == 2 || kBytes == 1);
    to[0] = *(const TW_GLOBAL typename Piece<kBytes>::type*)at;
  }
}

template <int kBytes>
TW_INLINE void store(TW_GLOBAL char* at, const int* from) {
  if constexpr (kBytes >= 16) {
    *(TW_GLOBAL typename Piece<16>::type*)at =
        Vector<int, 4>{from[0], from[1], from[2], from[3]};
    if constexpr (kBytes > 16) store<kBytes - 16>(at + 16, from + 4);
  } else if constexpr (kBytes >= 8) {
    *(TW_GLOBAL typename Piece<8>::type*)at = Vector<int, 2>{from[0], from[1]};
    if constexpr (kBytes > 8) store<kBytes - 8>(at + 8, from + 2);
  } else {
    static_assert(kBytes == 4 || kBytes == 2);
    *(TW_GLOBAL typename Piece<kBytes>::type*)at =
        (typename Piece<kBytes>::type)from[0];
  }
}

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_DEVICE_H_
