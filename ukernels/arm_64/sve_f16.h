// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 by f32's fmla, converted on the way, and by f16's own where every step
// rounds. 8 elements of the lhs take two conversions and a shift.

#ifndef UKERNELS_ARM_64_SVE_F16_H_
#define UKERNELS_ARM_64_SVE_F16_H_

#include "ukernels/arm_64/sve_body.h"

// A quad as f32: the even elements, of which the conversion takes the low half
// of each 32 bits, and the odd ones.
TW_INLINE svfloat32x2_t tw_f32_quads_from_f16(svbool_t pg, const void* p) {
  const svbool_t all = svptrue_b8();
  const svfloat16_t quad = tw_f16_quad(pg, p);
  const svuint32_t odd = svlsr_x(all, svreinterpret_u32(quad), 16);
  return svcreate2(svcvt_f32_x(all, quad),
                   svcvt_f32_x(all, svreinterpret_f16(odd)));
}

TW_INLINE svfloat32_t tw_f16_multiply_wide(svfloat32_t acc, svfloat32_t v,
                                           svfloat32x2_t quads, int r) {
  const svfloat32_t q = r % 2 == 0 ? svget2(quads, 0) : svget2(quads, 1);
  return TW_LANE_OF_4(r / 2 % 4, svmla_lane, acc, v, q);
}

#define TW_TILE tw_sve_f16_wide
#define TW_ACC svfloat32_t
#define TW_LOAD_LHS(pg, p) tw_f32_quads_from_f16(pg, p)
#define TW_LOAD_RHS(how, p) tw_f32_from_f16(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) tw_f16_multiply_wide(acc, v, q, r)
#define TW_CONVERTS
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(f16f16f32_k1_sve, tw_sve_f16_wide, vl, .lhs_bytes = 2,
              .rhs_bytes = 2)
TW_SVE_FAMILY(f16f16f16_k1_sve, tw_sve_f16_wide, vl, .lhs_bytes = 2,
              .rhs_bytes = 2, .out = TW_OUT_F16)

// Steps rounded to f16 are steps of f16's own multiply-add, rounded once; a
// vector of them is as wide as two of f32.
#define TW_TILE tw_sve_f16
#define TW_ACC svfloat16_t
#define TW_LOAD_LHS(pg, p) tw_f16_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_f16_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_8((r) % 8, svmla_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(f16f16f16_k1_steprnd_sve, tw_sve_f16, vl / 2, .lhs_bytes = 2,
              .rhs_bytes = 2, .out = TW_OUT_F16, .rounds = 1)

#endif  // UKERNELS_ARM_64_SVE_F16_H_
