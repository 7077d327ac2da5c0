// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by sdot and udot with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_S8_H_
#define UKERNELS_ARM_64_SVE_S8_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY s8s8s32_k4_sve
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 4
#define TW_MULTIPLY svdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY u8u8s32_k4_sve
#define TW_LHS uint8_t
#define TW_ACCUMULATORS TW_U32
#define TW_K0 4
#define TW_MULTIPLY svdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_S8_H_
