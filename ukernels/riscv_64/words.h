// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families that V alone has: f32, f64, s8, and bf16 by shifts.

#ifndef UKERNELS_RISCV_64_WORDS_H_
#define UKERNELS_RISCV_64_WORDS_H_

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(f32f32f32_k1, float, float, float, TW_RVV_COLUMNS(32),
              TW_RVV_FMA_AS_IS, ANY)
TW_RVV_FAMILY(f64f64f64_k1, double, double, double, TW_RVV_COLUMNS(64),
              TW_RVV_FMA_AS_IS, ANY)
TW_RVV_FAMILY(s8s8s32_k1, int8_t, int32_t, int32_t, TW_RVV_COLUMNS(32),
              TW_RVV_MLA, ANY)

// bf16 as the upper halves of f32, by a shift.
typedef uint32_t tw_words_t
    __attribute__((ext_vector_type(TW_RVV_COLUMNS(32))));
TW_INLINE float tw_bf16(uint16_t x) {
  // By its type, or it is spread as an integer, over registers that there are
  // none left of.
  __bf16 value;
  __builtin_memcpy(&value, &x, sizeof value);
  return (float)value;
}
#define TW_RVV_FMA_BF16(vector_t, sum, x, row) \
  __builtin_elementwise_fma(                   \
      (vector_t)tw_bf16(x),                    \
      (vector_t)(__builtin_convertvector(row, tw_words_t) << 16), sum)
TW_RVV_FAMILY(bf16bf16f32_k1, uint16_t, float, float, TW_RVV_COLUMNS(32),
              TW_RVV_FMA_BF16, ANY)

#endif  // UKERNELS_RISCV_64_WORDS_H_
