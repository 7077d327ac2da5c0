// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by sdot and udot with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_S8_H_
#define UKERNELS_ARM_64_SVE_S8_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY s8s8s32_k4_sve
#define TW_LHS_TYPE s8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_K0 4
#define TW_MULTIPLY(acc, n, q, r) svdot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY u8u8s32_k4_sve
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE u8
#define TW_ACC_TYPE u32
#define TW_K0 4
#define TW_MULTIPLY(acc, n, q, r) svdot_lane_u32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_S8_H_
