// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instructions of RDNA and of gfx1250, for waves of 32 lanes.

#ifndef UKERNELS_AMDGPU_WMMA_H_
#define UKERNELS_AMDGPU_WMMA_H_

#include "ukernels/amdgpu/instruction.h"

namespace tilewright::amdgpu {

using F16x8 = Vector<_Float16, 8>;
using F16x16 = Vector<_Float16, 16>;
using I16x8 = Vector<short, 8>;
using I16x16 = Vector<short, 16>;
using I32x2 = Vector<int, 2>;
using I32x4 = Vector<int, 4>;
using I32x8 = Vector<int, 8>;
using I32x16 = Vector<int, 16>;
using F32x2 = Vector<float, 2>;
using BF16x16 = Vector<__bf16, 16>;

#define TW_WMMA(A, B, K, Layout, Sum, Operand, builtin) \
  TW_INSTRUCTION(A, B, 16, K, Layout, Sum,              \
                 (builtin(bitsAs<Operand>(a), bitsAs<Operand>(b), c)))

// Integers of either sign on either side; sums wrap.
#define TW_WMMA_INT(A, B, K, Layout, Operand, builtin)                  \
  TW_INSTRUCTION(A, B, 16, K, Layout, int,                              \
                 (builtin(A::isSigned, bitsAs<Operand>(a), B::isSigned, \
                          bitsAs<Operand>(b), c, false)))
#define TW_WMMA_SIGNS(S, U, K, Layout, Operand, builtin) \
  TW_WMMA_INT(S, S, K, Layout, Operand, builtin)         \
  TW_WMMA_INT(S, U, K, Layout, Operand, builtin)         \
  TW_WMMA_INT(U, S, K, Layout, Operand, builtin)         \
  TW_WMMA_INT(U, U, K, Layout, Operand, builtin)

#if defined(__GFX11__)

TW_WMMA(f16, f16, 16, Wmma11, float, F16x16,
        __builtin_amdgcn_wmma_f32_16x16x16_f16_w32)
TW_WMMA(bf16, bf16, 16, Wmma11, float, I16x16,
        __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32)
TW_WMMA_SIGNS(s8, u8, 16, Wmma11, I32x4,
              __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32)
TW_WMMA_SIGNS(s4, u4, 16, Wmma11, I32x2,
              __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32)

#elif defined(__gfx1250__)

// Lanes hold runs of 16 bytes. The constants are modifiers: nothing is negated,
// and no operand register is said to be used again.
TW_INSTRUCTION(f32, f32, 16, 4, Wmma12, float,
               (__builtin_amdgcn_wmma_f32_16x16x4_f32(false, bitsAs<F32x2>(a),
                                                      false, bitsAs<F32x2>(b),
                                                      0, c, false, false)))
TW_INSTRUCTION_IN_RUNS(f16, f16, 16, 32, 8, Wmma12, float,
                       (__builtin_amdgcn_wmma_f32_16x16x32_f16(
                           false, bitsAs<F16x16>(a), false, bitsAs<F16x16>(b),
                           0, c, false, false)))
TW_INSTRUCTION_IN_RUNS(bf16, bf16, 16, 32, 8, Wmma12, float,
                       (__builtin_amdgcn_wmma_f32_16x16x32_bf16(
                           false, bitsAs<BF16x16>(a), false, bitsAs<BF16x16>(b),
                           0, c, false, false)))
#define TW_WMMA_IU8(A, B)                                                \
  TW_INSTRUCTION_IN_RUNS(A, B, 16, 64, 16, Wmma12, int,                  \
                         (__builtin_amdgcn_wmma_i32_16x16x64_iu8(        \
                             A::isSigned, bitsAs<I32x8>(a), B::isSigned, \
                             bitsAs<I32x8>(b), c, false, false)))
TW_WMMA_IU8(s8, s8)
TW_WMMA_IU8(s8, u8)
TW_WMMA_IU8(u8, s8)
TW_WMMA_IU8(u8, u8)
#define TW_WMMA_FP8(A, B, names)                    \
  TW_INSTRUCTION_IN_RUNS(                           \
      A, B, 16, 128, 16, Wmma12, float,             \
      (__builtin_amdgcn_wmma_f32_16x16x128_##names( \
          bitsAs<I32x16>(a), bitsAs<I32x16>(b), 0, c, false, false)))
TW_WMMA_FP8(f8e4m3fn, f8e4m3fn, fp8_fp8)
TW_WMMA_FP8(f8e4m3fn, f8e5m2, fp8_bf8)
TW_WMMA_FP8(f8e5m2, f8e4m3fn, bf8_fp8)
TW_WMMA_FP8(f8e5m2, f8e5m2, bf8_bf8)

#elif defined(__GFX12__)

// AMD counts a lane's k of 16 bits in two runs of four. Both operands do, so
// one run of eight, which is one load, gives the same sum.
TW_WMMA(f16, f16, 16, Wmma12, float, F16x8,
        __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12)
TW_WMMA(bf16, bf16, 16, Wmma12, float, I16x8,
        __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12)
TW_WMMA_SIGNS(s8, u8, 16, Wmma12, I32x2,
              __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12)
TW_WMMA_SIGNS(s4, u4, 32, Wmma12, I32x2,
              __builtin_amdgcn_wmma_i32_16x16x32_iu4_w32_gfx12)
TW_WMMA(f8e4m3fn, f8e4m3fn, 16, Wmma12, float, I32x2,
        __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12)
TW_WMMA(f8e4m3fn, f8e5m2, 16, Wmma12, float, I32x2,
        __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12)
TW_WMMA(f8e5m2, f8e4m3fn, 16, Wmma12, float, I32x2,
        __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12)
TW_WMMA(f8e5m2, f8e5m2, 16, Wmma12, float, I32x2,
        __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12)

#endif

// The families of rows: the instruction's sizes, as its mnemonic has them.
#define TW_FAMILY(K)                \
  template <typename A, typename B> \
  using wmma_16x16x##K = Instruction<A, B, 16, K>;
TW_FAMILY(4)
TW_FAMILY(16)
TW_FAMILY(32)
TW_FAMILY(64)
TW_FAMILY(128)
#undef TW_FAMILY

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_WMMA_H_
