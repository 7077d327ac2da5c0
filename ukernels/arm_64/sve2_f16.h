// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 by SVE2's fmlalb and fmlalt, which add products of f16 to f32.

#ifndef UKERNELS_ARM_64_SVE2_F16_H_
#define UKERNELS_ARM_64_SVE2_F16_H_

#include "ukernels/arm_64/sve_f16.h"

// Bottom (even) and top (odd) columns of a vector of the rhs.
#define TW_F16_MULTIPLY_0(acc, q, lane) svmlalb_lane_f32(acc, v0, q, lane)
#define TW_F16_MULTIPLY_1(acc, q, lane) svmlalt_lane_f32(acc, v0, q, lane)
#define TW_F16_MULTIPLY_2(acc, q, lane) svmlalb_lane_f32(acc, v1, q, lane)
#define TW_F16_MULTIPLY_3(acc, q, lane) svmlalt_lane_f32(acc, v1, q, lane)

#define TW_FAMILY f16f16f32_k1_sve2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_K0 1
#define TW_MULTIPLY(acc, n, q, r) TW_F16_MULTIPLY_##n(acc, q, (r) % 8)
#define TW_PAIRED
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f16f16f16_k1_sve2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_OUT float16_t
#define TW_K0 1
#define TW_LOAD(p) tw_f32_from_f16(p)
#define TW_STORE(p, a) tw_f32_to_f16(p, a)
#define TW_MULTIPLY(acc, n, q, r) TW_F16_MULTIPLY_##n(acc, q, (r) % 8)
#define TW_PAIRED
#include "ukernels/arm_64/sve_lanes.h"

// K0 = 2: bottom and top elements are a column's two.
#define TW_F16_MULTIPLY_PAIR(acc, v, q, lane) \
  svmlalt_lane_f32(svmlalb_lane_f32(acc, v, q, lane), v, q, (lane) + 1)

#define TW_FAMILY f16f16f32_k2_sve2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_K0 2
#define TW_MULTIPLY(acc, n, q, r) \
  TW_F16_MULTIPLY_PAIR(acc, v##n, q, (r) % 4 * 2)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f16f16f16_k2_sve2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_OUT float16_t
#define TW_K0 2
#define TW_LOAD(p) tw_f32_from_f16(p)
#define TW_STORE(p, a) tw_f32_to_f16(p, a)
#define TW_MULTIPLY(acc, n, q, r) \
  TW_F16_MULTIPLY_PAIR(acc, v##n, q, (r) % 4 * 2)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE2_F16_H_
