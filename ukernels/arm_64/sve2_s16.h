// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s16, and s16 by s8, by SVE2's smlalb and smlalt, which add products of the
// even and of the odd elements: a column's two.

#ifndef UKERNELS_ARM_64_SVE2_S16_H_
#define UKERNELS_ARM_64_SVE2_S16_H_

#include "ukernels/arm_64/sve_s16.h"

TW_INLINE svint32_t tw_sve2_s16_multiply(svint32_t acc, svint16_t v,
                                         svint16_t q, int r) {
  const int lane = r % 4 * 2;
  acc = TW_LANE_OF_8(lane, svmlalb_lane, acc, v, q);
  return TW_LANE_OF_8(lane + 1, svmlalt_lane, acc, v, q);
}

#define TW_TILE tw_sve2_s16
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_s16_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_s16_vector((how).rhs_bytes < (how).lhs_bytes, p)
#define TW_MULTIPLY(how, acc, v, q, r, n) tw_sve2_s16_multiply(acc, v, q, r)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(s16s16s32_k2_sve2, tw_sve2_s16, vl, .lhs_bytes = 4,
              .rhs_bytes = 4)
TW_SVE_FAMILY(s16s8s32_k2_sve2, tw_sve2_s16, vl, .lhs_bytes = 4, .rhs_bytes = 2)

#endif  // UKERNELS_ARM_64_SVE2_S16_H_
