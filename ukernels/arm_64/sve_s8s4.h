// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4. A byte of the rhs has an even element in its low half and an odd
// one in its high half; they become two vectors by shifts, and the lhs is
// permuted to match.

#ifndef UKERNELS_ARM_64_SVE_S8S4_H_
#define UKERNELS_ARM_64_SVE_S8S4_H_

#include "ukernels/arm_64/sve_body.h"

// The even and the odd elements.
TW_INLINE svint8_t tw_s4_even(svint8_t both) {
  const svbool_t all = svptrue_b8();
  return svasr_x(all, svlsl_x(all, both, 4), 4);
}

TW_INLINE svint8_t tw_s4_odd(svint8_t both) {
  return svasr_x(svptrue_b8(), both, 4);
}

// Two rows of 8 elements: the even and the odd ones of the first row, then
// those of the second.
TW_INLINE svint8_t tw_sve_split_s8_rows(svbool_t pg, const void* p) {
  const svuint8_t order =
      svdupq_u8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  return svtbl(tw_s8_quad(pg, p), order);
}

TW_INLINE svint32_t tw_sve_s8s4_multiply(svint32_t acc, svint8_t both,
                                         svint8_t q, int r) {
  const int lane = r % 2 * 2;
  // The even elements first would leave a register too few for 2x2vl.
  acc = TW_LANE_OF_4(lane + 1, svdot_lane, acc, tw_s4_odd(both), q);
  return TW_LANE_OF_4(lane, svdot_lane, acc, tw_s4_even(both), q);
}

#define TW_TILE tw_sve_s8s4
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_sve_split_s8_rows(pg, p)
#define TW_LOAD_RHS(how, p) tw_s8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) tw_sve_s8s4_multiply(acc, v, q, r)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(s8s4s32_k8_sve, tw_sve_s8s4, vl, .lhs_bytes = 8, .rhs_bytes = 4,
              .splits = 1)

#endif  // UKERNELS_ARM_64_SVE_S8S4_H_
