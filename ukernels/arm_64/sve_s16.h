// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s16, and s16 by s8, by sdot with four products to 64 bits, of which the lower
// half is stored: exact modulo 2^32.

#ifndef UKERNELS_ARM_64_SVE_S16_H_
#define UKERNELS_ARM_64_SVE_S16_H_

#include "ukernels/arm_64/sve_body.h"

// s16 as they are, or s8 extended.
TW_INLINE svint16_t tw_s16_vector(int is_s8, const void* p) {
  const svbool_t all = svptrue_b8();
  return is_s8 ? svld1sb_s16(all, (const int8_t*)p)
               : svld1(all, (const int16_t*)p);
}

#define TW_TILE tw_sve_s16
#define TW_ACC svint64_t
#define TW_LOAD_LHS(pg, p) tw_s16_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_s16_vector((how).rhs_bytes < (how).lhs_bytes, p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_2((r) % 2, svdot_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(s16s16s32_k4_sve, tw_sve_s16, 2 * vl, .lhs_bytes = 8,
              .rhs_bytes = 8)
TW_SVE_FAMILY(s16s8s32_k4_sve, tw_sve_s16, 2 * vl, .lhs_bytes = 8,
              .rhs_bytes = 4)

#endif  // UKERNELS_ARM_64_SVE_S16_H_
