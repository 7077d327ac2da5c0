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
  return svreinterpret_f32_u32(svlsl_n_u32_x(all, svld1uh_u32(all, p), 16));
}

// To bf16 in the even halfwords, and back.
TW_INLINE svfloat32_t tw_bf16_narrow(svfloat32_t v) {
  return svreinterpret_f32_bf16(svcvt_bf16_f32_x(svptrue_b8(), v));
}

TW_INLINE svfloat32_t tw_bf16_widen(svfloat32_t v) {
  return svreinterpret_f32_u32(
      svlsl_n_u32_x(svptrue_b8(), svreinterpret_u32_f32(v), 16));
}

TW_INLINE void tw_f32_to_bf16(uint16_t* p, svfloat32_t v) {
  svst1h_u32(svptrue_b8(), p, svreinterpret_u32_f32(tw_bf16_narrow(v)));
}

#define TW_FAMILY bf16bf16f32_k2_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_K0 2
#define TW_MULTIPLY(acc, n, q, r) svbfdot_lane_f32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k2_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_K0 2
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_MULTIPLY(acc, n, q, r) svbfdot_lane_f32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k2_steprnd_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_K0 2
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_MULTIPLY(acc, n, q, r) svbfdot_lane_f32(acc, v##n, q, (r) % 4)
#define TW_ROUNDS
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#define TW_UNROLLS(M0, vectors) 0
#include "ukernels/arm_64/sve_lanes.h"

// Bottom (even) and top (odd) columns of a vector of the rhs.
#define TW_BF16_MULTIPLY_0(acc, q, lane) svbfmlalb_lane_f32(acc, v0, q, lane)
#define TW_BF16_MULTIPLY_1(acc, q, lane) svbfmlalt_lane_f32(acc, v0, q, lane)
#define TW_BF16_MULTIPLY_2(acc, q, lane) svbfmlalb_lane_f32(acc, v1, q, lane)
#define TW_BF16_MULTIPLY_3(acc, q, lane) svbfmlalt_lane_f32(acc, v1, q, lane)

#define TW_FAMILY bf16bf16f32_k1_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_K0 1
#define TW_MULTIPLY(acc, n, q, r) TW_BF16_MULTIPLY_##n(acc, q, (r) % 8)
#define TW_PAIRED
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY bf16bf16bf16_k1_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_K0 1
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_MULTIPLY(acc, n, q, r) TW_BF16_MULTIPLY_##n(acc, q, (r) % 8)
#define TW_PAIRED
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_BF16_H_
