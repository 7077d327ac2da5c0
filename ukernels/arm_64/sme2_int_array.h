// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of integers: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_INT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_INT_ARRAY_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_narrow_sme2
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8u8s32_k4_narrow_sme2
#define TW_LHS uint8_t
#define TW_ACCUMULATORS TW_U32
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8s8s32_k4_narrow_sme2
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY svsudot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s8u8s32_k4_narrow_sme2
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY svusdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s16s16s32_k2_narrow_sme2
#define TW_LHS int16_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_INT_ARRAY_H_
