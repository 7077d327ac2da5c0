// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4. A byte of the rhs has an even element in its low half and an odd
// one in its high half; they become two vectors by shifts, and the lhs is
// permuted to match.

#ifndef UKERNELS_ARM_64_SVE_S8S4_H_
#define UKERNELS_ARM_64_SVE_S8S4_H_

#include "ukernels/arm_64/sve_body.h"

TW_INLINE svint8x2_t tw_sve_split_s4(const int8_t* p) {
  const svbool_t all = svptrue_b8();
  const svint8_t both = svld1(all, p);
  return svcreate2(svasr_x(all, svlsl_x(all, both, 4), 4),
                   svasr_x(all, both, 4));
}

// Two rows of 8 elements: the even and the odd ones of the first row, then
// those of the second.
TW_INLINE svint8_t tw_sve_split_s8_rows(svbool_t pg, const int8_t* p) {
  const svuint8_t order =
      svdupq_u8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  return svtbl(svld1rq(pg, p), order);
}

#define TW_FAMILY s8s4s32_k8_sve
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 8
#define TW_RHS_K0 4
#define TW_LOAD_RHS(p) tw_sve_split_s4(p)
#define TW_LOAD_QUAD(pg, p) tw_sve_split_s8_rows(pg, p)
#define TW_BLOCK_ROWS(M0, vectors) ((vectors) > 3 ? 2 : (M0) > 1 ? 8 : 4)
#define TW_MULTIPLY(acc, v, q, i)                                        \
  svdot_lane(svdot_lane(acc, svget2(v, 0), q, (i) * 2), svget2(v, 1), q, \
             (i) * 2 + 1)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_S8S4_H_
