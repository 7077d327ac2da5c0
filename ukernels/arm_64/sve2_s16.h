// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s16, and s16 by s8, by SVE2's smlalb and smlalt, which add products of the
// even and of the odd elements: a column's two.

#ifndef UKERNELS_ARM_64_SVE2_S16_H_
#define UKERNELS_ARM_64_SVE2_S16_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_S16_MULTIPLY_PAIR(acc, v, q, i) \
  svmlalt_lane(svmlalb_lane(acc, v, q, (i) * 2), v, q, (i) * 2 + 1)

#define TW_FAMILY s16s16s32_k2_sve2
#define TW_LHS int16_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 2
#define TW_MULTIPLY TW_S16_MULTIPLY_PAIR
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY s16s8s32_k2_sve2
#define TW_LHS int16_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 2
#define TW_LOAD_RHS(p) svld1sb_s16(svptrue_b8(), p)
#define TW_MULTIPLY TW_S16_MULTIPLY_PAIR
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE2_S16_H_
