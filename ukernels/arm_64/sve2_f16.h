// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 by SVE2's fmlalb and fmlalt, which add products of f16 to f32: of the
// bottom (even) and of the top (odd) elements of a vector of the rhs. These are
// columns of their own, or a column's two.

#ifndef UKERNELS_ARM_64_SVE2_F16_H_
#define UKERNELS_ARM_64_SVE2_F16_H_

#include "ukernels/arm_64/sve_body.h"

TW_INLINE svfloat32_t tw_sve2_f16_multiply(tw_sve_family_t how, svfloat32_t acc,
                                           svfloat16_t v, svfloat16_t q, int r,
                                           int n) {
  if (how.paired) {
    return n % 2 == 0 ? TW_LANE_OF_8(r % 8, svmlalb_lane, acc, v, q)
                      : TW_LANE_OF_8(r % 8, svmlalt_lane, acc, v, q);
  }
  const int lane = r % 4 * 2;
  acc = TW_LANE_OF_8(lane, svmlalb_lane, acc, v, q);
  return TW_LANE_OF_8(lane + 1, svmlalt_lane, acc, v, q);
}

#define TW_TILE tw_sve2_f16
#define TW_ACC svfloat32_t
#define TW_LOAD_LHS(pg, p) tw_f16_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_f16_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  tw_sve2_f16_multiply(how, acc, v, q, r, n)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(f16f16f32_k1_sve2, tw_sve2_f16, vl, .lhs_bytes = 2,
              .rhs_bytes = 2, .paired = 1)
TW_SVE_FAMILY(f16f16f16_k1_sve2, tw_sve2_f16, vl, .lhs_bytes = 2,
              .rhs_bytes = 2, .paired = 1, .out = TW_OUT_F16)
TW_SVE_FAMILY(f16f16f32_k2_sve2, tw_sve2_f16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4)
TW_SVE_FAMILY(f16f16f16_k2_sve2, tw_sve2_f16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4, .out = TW_OUT_F16)

#endif  // UKERNELS_ARM_64_SVE2_F16_H_
