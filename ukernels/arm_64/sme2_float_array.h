// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of floats: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_

#include "ukernels/arm_64/sme_float.h"

#define TW_FAMILY f32f32f32_k1_narrow_sme2
#define TW_LHS float
#define TW_ACCUMULATORS TW_F32
#define TW_MULTIPLY svmla_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f32_k2_narrow_sme2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f16_k2_narrow_sme2
#define TW_LHS float16_t
#define TW_ACCUMULATORS TW_F32_AS_F16
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16f32_k2_narrow_sme2
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16bf16_k2_narrow_sme2
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
