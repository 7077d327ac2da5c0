// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of floats: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_

#include "ukernels/arm_64/sme_float.h"

#define TW_FAMILY f32f32f32_k1_narrow_sme2
#define TW_LHS_TYPE f32
#define TW_RHS_TYPE f32
#define TW_ACC_TYPE f32
#define TW_MULTIPLY(group, r, q, lane) \
  svmla_lane_za32_f32_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f32_k2_narrow_sme2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_f16_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f16_k2_narrow_sme2
#define TW_LHS_TYPE f16
#define TW_RHS_TYPE f16
#define TW_ACC_TYPE f32
#define TW_OUT float16_t
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_f16_vg1x4(group, r, q, lane)
#define TW_LOAD(p) tw_sme_f32_from_f16(p)
#define TW_STORE(p, v) tw_sme_f32_to_f16(p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16f32_k2_narrow_sme2
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_bf16_vg1x4(group, r, q, lane)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16bf16_k2_narrow_sme2
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_bf16_vg1x4(group, r, q, lane)
#define TW_LOAD(p) tw_sme_f32_from_bf16(p)
#define TW_STORE(p, v) tw_sme_f32_to_bf16(p, v)
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
