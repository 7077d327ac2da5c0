// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 by fmopa, f16 and bf16 by the widening fmopa and bfmopa.

#ifndef UKERNELS_ARM_64_SME_FLOAT_H_
#define UKERNELS_ARM_64_SME_FLOAT_H_

#include "ukernels/arm_64/sme_body.h"

// f32 out of, and into, a narrow out tile.
TW_SME_INLINE svfloat32_t
tw_sme_f32_from_f16(const float16_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svuint32_t bits = svld1uh_u32(all, (const uint16_t*)p);
  return svcvt_f32_x(all, svreinterpret_f16(bits));
}

TW_SME_INLINE void tw_sme_f32_to_f16(float16_t* p,
                                     svfloat32_t v) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svfloat16_t narrow = svcvt_f16_x(all, v);
  svst1h(all, (uint16_t*)p, svreinterpret_u32(narrow));
}

TW_SME_INLINE svfloat32_t
tw_sme_f32_from_bf16(const uint16_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  return svreinterpret_f32(svlsl_x(all, svld1uh_u32(all, p), 16));
}

TW_SME_INLINE void tw_sme_f32_to_bf16(uint16_t* p,
                                      svfloat32_t v) __arm_streaming {
  const svbool_t all = svptrue_b8();
  svst1h(all, p, svreinterpret_u32(svcvt_bf16_x(all, v)));
}

#define TW_F32_AS_F16                                             \
  svfloat32_t, svreinterpret_f32, float16_t, tw_sme_f32_from_f16, \
      tw_sme_f32_to_f16
#define TW_F32_AS_BF16                                            \
  svfloat32_t, svreinterpret_f32, uint16_t, tw_sme_f32_from_bf16, \
      tw_sme_f32_to_bf16

#define TW_FAMILY f32f32f32_k1_sme
#define TW_LHS float
#define TW_ACCUMULATORS TW_F32
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY f16f16f32_k2_sme
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY f16f16f16_k2_sme
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32_AS_F16
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY bf16bf16f32_k2_sme
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY bf16bf16bf16_k2_sme
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#include "ukernels/arm_64/sme_outer.h"

#endif  // UKERNELS_ARM_64_SME_FLOAT_H_
