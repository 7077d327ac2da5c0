// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfdot, which adds two products, with denormals as zero, and by
// bfmlalb and bfmlalt, which add one as fmla does, at half the speed: of the
// bottom (even) and of the top (odd) columns of a vector of the rhs.

#ifndef UKERNELS_ARM_64_SVE_BF16_H_
#define UKERNELS_ARM_64_SVE_BF16_H_

#include "ukernels/arm_64/sve_body.h"

TW_INLINE svbfloat16_t tw_bf16_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const bfloat16_t*)p);
}

TW_INLINE svbfloat16_t tw_bf16_vector(const void* p) {
  return svld1(svptrue_b8(), (const bfloat16_t*)p);
}

TW_INLINE svfloat32_t tw_bf16_multiply(tw_sve_family_t how, svfloat32_t acc,
                                       svbfloat16_t v, svbfloat16_t q, int r,
                                       int n) {
  if (how.paired) {
    return n % 2 == 0 ? TW_LANE_OF_8(r % 8, svbfmlalb_lane, acc, v, q)
                      : TW_LANE_OF_8(r % 8, svbfmlalt_lane, acc, v, q);
  }
  return TW_LANE_OF_4(r % 4, svbfdot_lane, acc, v, q);
}

#define TW_TILE tw_sve_bf16
#define TW_ACC svfloat32_t
#define TW_LOAD_LHS(pg, p) tw_bf16_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_bf16_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) tw_bf16_multiply(how, acc, v, q, r, n)
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(bf16bf16f32_k2_sve, tw_sve_bf16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4)
TW_SVE_FAMILY(bf16bf16bf16_k2_sve, tw_sve_bf16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4, .out = TW_OUT_BF16)
TW_SVE_FAMILY(bf16bf16bf16_k2_steprnd_sve, tw_sve_bf16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4, .out = TW_OUT_BF16, .rounds = 1)
TW_SVE_FAMILY(bf16bf16f32_k1_sve, tw_sve_bf16, vl, .lhs_bytes = 2,
              .rhs_bytes = 2, .paired = 1)
TW_SVE_FAMILY(bf16bf16bf16_k1_sve, tw_sve_bf16, vl, .lhs_bytes = 2,
              .rhs_bytes = 2, .paired = 1, .out = TW_OUT_BF16)

#endif  // UKERNELS_ARM_64_SVE_BF16_H_
