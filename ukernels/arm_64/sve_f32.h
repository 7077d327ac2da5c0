// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 by fmla with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_F32_H_
#define UKERNELS_ARM_64_SVE_F32_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY f32f32f32_k1_sve
#define TW_LHS float
#define TW_ACCUMULATORS TW_F32
#define TW_K0 1
#define TW_MULTIPLY svmla_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f64f64f64_k1_sve
#define TW_LHS double
#define TW_ACCUMULATORS TW_F64
#define TW_K0 1
#define TW_MULTIPLY svmla_lane
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_F32_H_
