// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 by SVE2's fmlalb and fmlalt, which add products of f16 to f32.

#ifndef UKERNELS_ARM_64_SVE2_F16_H_
#define UKERNELS_ARM_64_SVE2_F16_H_

#include "ukernels/arm_64/sve_f16.h"

#define TW_FAMILY f16f16f32_k1_sve2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32
#define TW_K0 1
#define TW_MULTIPLY svmlalb_lane
#define TW_MULTIPLY_ODD svmlalt_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f16f16f16_k1_sve2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32_AS_F16
#define TW_K0 1
#define TW_MULTIPLY svmlalb_lane
#define TW_MULTIPLY_ODD svmlalt_lane
#include "ukernels/arm_64/sve_lanes.h"

// K0 = 2: bottom and top elements are a column's two.
#define TW_F16_MULTIPLY_PAIR(acc, v, q, i) \
  svmlalt_lane(svmlalb_lane(acc, v, q, (i) * 2), v, q, (i) * 2 + 1)

#define TW_FAMILY f16f16f32_k2_sve2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32
#define TW_K0 2
#define TW_MULTIPLY TW_F16_MULTIPLY_PAIR
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f16f16f16_k2_sve2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32_AS_F16
#define TW_K0 2
#define TW_MULTIPLY TW_F16_MULTIPLY_PAIR
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE2_F16_H_
