// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s16, and s16 by s8, by sdot with four products to 64 bits, of which the lower
// half is stored: exact modulo 2^32.

#ifndef UKERNELS_ARM_64_SVE_S16_H_
#define UKERNELS_ARM_64_SVE_S16_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_LOAD_LOW(p) svld1sw_s64(svptrue_b8(), p)
#define TW_STORE_LOW(p, v) svst1w(svptrue_b8(), p, v)
#define TW_S64_AS_S32 \
  svint64_t, svreinterpret_s64, int32_t, TW_LOAD_LOW, TW_STORE_LOW

#define TW_FAMILY s16s16s32_k4_sve
#define TW_LHS int16_t
#define TW_ACCUMULATORS TW_S64_AS_S32
#define TW_K0 4
#define TW_VECTORS(vl) ((vl) * 2)
#define TW_MULTIPLY svdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY s16s8s32_k4_sve
#define TW_LHS int16_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S64_AS_S32
#define TW_K0 4
#define TW_VECTORS(vl) ((vl) * 2)
#define TW_LOAD_RHS(p) svld1sb_s16(svptrue_b8(), p)
#define TW_MULTIPLY svdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_S16_H_
