// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of integers: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_INT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_INT_ARRAY_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_narrow_sme2
#define TW_LHS_TYPE s8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_s8_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8u8s32_k4_narrow_sme2
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE u8
#define TW_ACC_TYPE u32
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_u8_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8s8s32_k4_narrow_sme2
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_MULTIPLY(group, r, q, lane) \
  svsudot_lane_za32_s8_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s8u8s32_k4_narrow_sme2
#define TW_LHS_TYPE s8
#define TW_RHS_TYPE u8
#define TW_ACC_TYPE s32
#define TW_MULTIPLY(group, r, q, lane) \
  svusdot_lane_za32_u8_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s16s16s32_k2_narrow_sme2
#define TW_LHS_TYPE s16
#define TW_RHS_TYPE s16
#define TW_ACC_TYPE s32
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_s16_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_INT_ARRAY_H_
