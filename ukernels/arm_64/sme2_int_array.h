// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of integers: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_INT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_INT_ARRAY_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_TILE tw_sme2_s8_array
#define TW_LHS int8_t
#define TW_ACC svint32_t
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_u8_array
#define TW_LHS uint8_t
#define TW_ACC svuint32_t
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_u8s8_array
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACC svint32_t
#define TW_MULTIPLY svsudot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_s8u8_array
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_ACC svint32_t
#define TW_MULTIPLY svusdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

#define TW_TILE tw_sme2_s16_array
#define TW_LHS int16_t
#define TW_ACC svint32_t
#define TW_MULTIPLY svdot_lane_za32_vg1x4
#include "ukernels/arm_64/sme2_array.h"

TW_SME_FAMILY(s8s8s32_k4_narrow_sme2, tw_sme2_s8_array, TW_OUT_32)
TW_SME_FAMILY(u8u8s32_k4_narrow_sme2, tw_sme2_u8_array, TW_OUT_32)
TW_SME_FAMILY(u8s8s32_k4_narrow_sme2, tw_sme2_u8s8_array, TW_OUT_32)
TW_SME_FAMILY(s8u8s32_k4_narrow_sme2, tw_sme2_s8u8_array, TW_OUT_32)
TW_SME_FAMILY(s16s16s32_k2_narrow_sme2, tw_sme2_s16_array, TW_OUT_32)

#endif  // UKERNELS_ARM_64_SME2_INT_ARRAY_H_
