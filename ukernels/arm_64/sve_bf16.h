// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfdot, which adds two products, with denormals as zero, and by
// bfmlalb and bfmlalt, which add one as fmla does, at half the speed.

#ifndef UKERNELS_ARM_64_SVE_BF16_H_
#define UKERNELS_ARM_64_SVE_BF16_H_

#include "ukernels/arm_64/sve_body.h"

// f32 out of, and into, the out tile.
TW_INLINE svfloat32_t tw_f32_from_bf16(const uint16_t* p) {
  const svbool_t all = svptrue_b8();
  return svreinterpret_f32(svlsl_x(all, svld1uh_u32(all, p), 16));
}

// To bf16 in the even halfwords, and back.
TW_INLINE svfloat32_t tw_bf16_narrow(svfloat32_t v) {
  return svreinterpret_f32(svcvt_bf16_x(svptrue_b8(), v));
}

TW_INLINE svfloat32_t tw_bf16_widen(svfloat32_t v) {
  return svreinterpret_f32(svlsl_x(svptrue_b8(), svreinterpret_u32(v), 16));
}

TW_INLINE void tw_f32_to_bf16(uint16_t* p, svfloat32_t v) {
  svst1h(svptrue_b8(), p, svreinterpret_u32(tw_bf16_narrow(v)));
}

#define TW_F32_AS_BF16 \
  svfloat32_t, svreinterpret_f32, uint16_t, tw_f32_from_bf16, tw_f32_to_bf16

#define TW_FAMILY bf16bf16f32_k2_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32
#define TW_K0 2
#define TW_MULTIPLY svbfdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k2_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_K0 2
#define TW_MULTIPLY svbfdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k2_steprnd_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_K0 2
#define TW_MULTIPLY svbfdot_lane
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16f32_k1_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32
#define TW_K0 1
#define TW_MULTIPLY svbfmlalb_lane
#define TW_MULTIPLY_ODD svbfmlalt_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k1_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_K0 1
#define TW_MULTIPLY svbfmlalb_lane
#define TW_MULTIPLY_ODD svbfmlalt_lane
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_BF16_H_
