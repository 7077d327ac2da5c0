// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instructions of CDNA. A built-in function that the target lacks is
// an error only where a row uses it.

#ifndef UKERNELS_AMDGPU_MFMA_H_
#define UKERNELS_AMDGPU_MFMA_H_

#include "ukernels/amdgpu/instruction.h"

namespace tilewright::amdgpu {

// Type, operand, and built-in function of both operands' same type.
#define TW_MFMA(T, M, K, Layout, Sum, Operand, builtin) \
  TW_INSTRUCTION(                                       \
      T, T, M, K, Layout, Sum,                          \
      (builtin(bitsAs<Operand>(a), bitsAs<Operand>(b), c, 0, 0, 0)))

using F16x4 = Vector<_Float16, 4>;
using F16x8 = Vector<_Float16, 8>;
using BF16x4 = Vector<short, 4>;
using BF16x8 = Vector<__bf16, 8>;
using I32x4 = Vector<int, 4>;

TW_MFMA(f16, 4, 4, Mfma4, float, F16x4, __builtin_amdgcn_mfma_f32_4x4x4f16)
TW_MFMA(f16, 16, 16, Mfma16, float, F16x4,
        __builtin_amdgcn_mfma_f32_16x16x16f16)
TW_MFMA(f16, 32, 8, Mfma32, float, F16x4, __builtin_amdgcn_mfma_f32_32x32x8f16)
TW_MFMA(f16, 16, 32, Mfma16, float, F16x8,
        __builtin_amdgcn_mfma_f32_16x16x32_f16)
TW_MFMA(f16, 32, 16, Mfma32, float, F16x8,
        __builtin_amdgcn_mfma_f32_32x32x16_f16)

TW_MFMA(bf16, 4, 4, Mfma4, float, BF16x4,
        __builtin_amdgcn_mfma_f32_4x4x4bf16_1k)
TW_MFMA(bf16, 16, 16, Mfma16, float, BF16x4,
        __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
TW_MFMA(bf16, 32, 8, Mfma32, float, BF16x4,
        __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
TW_MFMA(bf16, 16, 32, Mfma16, float, BF16x8,
        __builtin_amdgcn_mfma_f32_16x16x32_bf16)
TW_MFMA(bf16, 32, 16, Mfma32, float, BF16x8,
        __builtin_amdgcn_mfma_f32_32x32x16_bf16)

TW_MFMA(f32, 4, 1, Mfma4, float, float, __builtin_amdgcn_mfma_f32_4x4x1f32)
TW_MFMA(f32, 16, 4, Mfma16, float, float, __builtin_amdgcn_mfma_f32_16x16x4f32)
TW_MFMA(f32, 32, 2, Mfma32, float, float, __builtin_amdgcn_mfma_f32_32x32x2f32)

TW_MFMA(f64, 16, 4, Mfma16F64, double, double,
        __builtin_amdgcn_mfma_f64_16x16x4f64)
// One result per lane, which the built-in function takes as a scalar.
TW_INSTRUCTION(f64, f64, 4, 4, Mfma4F64, double,
               (Result{__builtin_amdgcn_mfma_f64_4x4x4f64(
                   bitsAs<double>(a), bitsAs<double>(b), c[0], 0, 0, 0)}))

TW_MFMA(s8, 4, 4, Mfma4, int, int, __builtin_amdgcn_mfma_i32_4x4x4i8)
TW_MFMA(s8, 16, 16, Mfma16, int, int, __builtin_amdgcn_mfma_i32_16x16x16i8)
TW_MFMA(s8, 32, 8, Mfma32, int, int, __builtin_amdgcn_mfma_i32_32x32x8i8)
TW_MFMA(s8, 16, 32, Mfma16, int, int64_t, __builtin_amdgcn_mfma_i32_16x16x32_i8)
TW_MFMA(s8, 32, 16, Mfma32, int, int64_t, __builtin_amdgcn_mfma_i32_32x32x16_i8)
TW_MFMA(s8, 16, 64, Mfma16, int, I32x4, __builtin_amdgcn_mfma_i32_16x16x64_i8)
TW_MFMA(s8, 32, 32, Mfma32, int, I32x4, __builtin_amdgcn_mfma_i32_32x32x32_i8)

// 8-bit floats; what the same instruction takes on gfx942 is the FNUZ kind, and
// on gfx950, where it has half the rate of f8f6f4 below, the OCP kind.
#define TW_MFMA_FP8(A, B, a_name, b_name)                                  \
  TW_INSTRUCTION(A, B, 16, 32, Mfma16, float,                              \
                 (__builtin_amdgcn_mfma_f32_16x16x32_##a_name##_##b_name(  \
                     bitsAs<int64_t>(a), bitsAs<int64_t>(b), c, 0, 0, 0))) \
  TW_INSTRUCTION(A, B, 32, 16, Mfma32, float,                              \
                 (__builtin_amdgcn_mfma_f32_32x32x16_##a_name##_##b_name(  \
                     bitsAs<int64_t>(a), bitsAs<int64_t>(b), c, 0, 0, 0)))
TW_MFMA_FP8(f8e4m3fnuz, f8e4m3fnuz, fp8, fp8)
TW_MFMA_FP8(f8e4m3fnuz, f8e5m2fnuz, fp8, bf8)
TW_MFMA_FP8(f8e5m2fnuz, f8e4m3fnuz, bf8, fp8)
TW_MFMA_FP8(f8e5m2fnuz, f8e5m2fnuz, bf8, bf8)

// gfx950's instructions for 8-, 6- and 4-bit floats in any combination, without
// scales: the built-in function takes constant zero for that. Each lane has 32
// elements; those of 8 bits are two runs of 16.
using I32x8 = Vector<int, 8>;

// An operand of `T`; the registers that its 32 elements do not fill are not
// read.
template <typename T>
TW_INLINE I32x8 f8f6f4Operand(Vector<int, T::bits> words) {
  if constexpr (T::bits == 8)
    return words;
  else if constexpr (T::bits == 6)
    return __builtin_shufflevector(words, words, 0, 1, 2, 3, 4, 5, -1, -1);
  else
    return __builtin_shufflevector(words, words, 0, 1, 2, 3, -1, -1, -1, -1);
}

template <typename A, typename B, typename Layout, int K>
struct F8F6F4 : InstructionBase<Layout, float, K, kScaleBlock, kScaleBlock> {
  static_assert(formatCode<A> >= 0 && formatCode<B> >= 0);
  using Result = typename F8F6F4::Result;
  // With E8M0 scales: byte `c` of each word.
  template <int c, typename AWords, typename BWords>
  TW_INLINE Result multiplyScaled(AWords a, BWords b, Result sum, int aScales,
                                  int bScales) {
    if constexpr (K == 128)
      return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
          f8f6f4Operand<A>(a), f8f6f4Operand<B>(b), sum, formatCode<A>,
          formatCode<B>, c, aScales, c, bScales);
    else
      return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(
          f8f6f4Operand<A>(a), f8f6f4Operand<B>(b), sum, formatCode<A>,
          formatCode<B>, c, aScales, c, bScales);
  }
  template <typename AWords, typename BWords>
  TW_INLINE Result multiply(AWords a, BWords b, Result sum) {
    return multiplyScaled<0>(a, b, sum, 0, 0);
  }
};
template <typename A, typename B>
struct Instruction<A, B, 16, 128> : F8F6F4<A, B, Mfma16, 128> {};
template <typename A, typename B>
struct Instruction<A, B, 32, 64> : F8F6F4<A, B, Mfma32, 64> {};

// The families of rows: the instruction's sizes, as its mnemonic has them.
#define TW_FAMILY(M, K)             \
  template <typename A, typename B> \
  using mfma_##M##x##M##x##K = Instruction<A, B, M, K>;
TW_FAMILY(4, 1)
TW_FAMILY(4, 4)
TW_FAMILY(16, 4)
TW_FAMILY(16, 16)
TW_FAMILY(16, 32)
TW_FAMILY(16, 64)
TW_FAMILY(16, 128)
TW_FAMILY(32, 2)
TW_FAMILY(32, 8)
TW_FAMILY(32, 16)
TW_FAMILY(32, 32)
TW_FAMILY(32, 64)
#undef TW_FAMILY

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_MFMA_H_
