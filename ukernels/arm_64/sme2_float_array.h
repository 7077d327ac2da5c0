// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of floats: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_TILE tw_sme2_f32_array
#define TW_LHS float
#define TW_ACC svfloat32_t
#define TW_MULTIPLY svmla_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_f16_array
#define TW_LHS float16_t
#define TW_ACC svfloat32_t
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_bf16_array
#define TW_LHS bfloat16_t
#define TW_ACC svfloat32_t
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

TW_SME_FAMILY(f32f32f32_k1_narrow_sme2, tw_sme2_f32_array, TW_OUT_32)
TW_SME_FAMILY(f16f16f32_k2_narrow_sme2, tw_sme2_f16_array, TW_OUT_32)
TW_SME_FAMILY(f16f16f16_k2_narrow_sme2, tw_sme2_f16_array, TW_OUT_F16)
TW_SME_FAMILY(bf16bf16f32_k2_narrow_sme2, tw_sme2_bf16_array, TW_OUT_32)
TW_SME_FAMILY(bf16bf16bf16_k2_narrow_sme2, tw_sme2_bf16_array, TW_OUT_BF16)

#endif  // UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
