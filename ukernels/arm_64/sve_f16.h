// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 by f32's fmla, converted on the way, and by f16's own where every step
// rounds. 8 elements of the lhs take two conversions and a shift.

#ifndef UKERNELS_ARM_64_SVE_F16_H_
#define UKERNELS_ARM_64_SVE_F16_H_

#include "ukernels/arm_64/sve_body.h"

// f32 out of, and into, the out tile.
TW_INLINE svfloat32_t tw_f32_from_f16(const float16_t* p) {
  const svbool_t all = svptrue_b8();
  const svuint32_t bits = svld1uh_u32(all, (const uint16_t*)p);
  return svcvt_f32_x(all, svreinterpret_f16(bits));
}

TW_INLINE void tw_f32_to_f16(float16_t* p, svfloat32_t v) {
  const svbool_t all = svptrue_b8();
  const svfloat16_t narrow = svcvt_f16_x(all, v);
  svst1h(all, (uint16_t*)p, svreinterpret_u32(narrow));
}

// 8 lhs elements as f32: the even ones, of which the conversion takes the low
// half of each 32 bits, and the odd ones.
TW_INLINE svfloat32x2_t tw_f16_quad_to_f32(svfloat16_t quad) {
  const svbool_t all = svptrue_b8();
  const svuint32_t odd = svlsr_x(all, svreinterpret_u32(quad), 16);
  return svcreate2(svcvt_f32_x(all, quad),
                   svcvt_f32_x(all, svreinterpret_f16(odd)));
}

#define TW_F32_AS_F16 \
  svfloat32_t, svreinterpret_f32, float16_t, tw_f32_from_f16, tw_f32_to_f16

#define TW_FAMILY f16f16f32_k1_sve
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32
#define TW_K0 1
#define TW_LOAD_RHS(p) tw_f32_from_f16(p)
#define TW_CONVERTS(M0, vectors) ((M0) < 8 || (vectors) < 3)
#define TW_LOAD_QUAD(pg, p) tw_f16_quad_to_f32(svld1rq(pg, p))
#define TW_MULTIPLY(acc, v, q, i) \
  svmla_lane(acc, v, svget2(q, (i) % 2), (i) / 2)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f16f16f16_k1_sve
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32_AS_F16
#define TW_K0 1
#define TW_LOAD_RHS(p) tw_f32_from_f16(p)
#define TW_CONVERTS(M0, vectors) ((M0) < 8 || (vectors) < 3)
#define TW_LOAD_QUAD(pg, p) tw_f16_quad_to_f32(svld1rq(pg, p))
#define TW_MULTIPLY(acc, v, q, i) \
  svmla_lane(acc, v, svget2(q, (i) % 2), (i) / 2)
#include "ukernels/arm_64/sve_lanes.h"

// Steps rounded to f16 are steps of f16's own multiply-add, rounded once; a
// vector of them is as wide as two of f32.
#define TW_FAMILY f16f16f16_k1_steprnd_sve
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F16
#define TW_K0 1
#define TW_VECTORS(vl) ((vl) / 2)
#define TW_MULTIPLY svmla_lane
#define TW_BLOCK_ROWS(M0, vectors) 1
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_F16_H_
