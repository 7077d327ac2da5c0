// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by the matrix instructions, and of mixed sign by usdot and
// sudot with a lane of the lhs. LLVM 22 would spill accumulators of smmla's
// widest tile if it were unrolled (but none of bfmmla's).

#ifndef UKERNELS_ARM_64_SVE_I8MM_H_
#define UKERNELS_ARM_64_SVE_I8MM_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY s8s8s32_k8_sve_i8mm
#define TW_LHS_TYPE s8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_K0 8
#define TW_MULTIPLY(acc, q, v) svmmla_s32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k8_sve_i8mm
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_K0 8
#define TW_MULTIPLY(acc, q, v) svusmmla_s32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8u8s32_k8_sve_i8mm
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE u8
#define TW_ACC_TYPE u32
#define TW_K0 8
#define TW_MULTIPLY(acc, q, v) svmmla_u32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k4_sve_i8mm
#define TW_LHS_TYPE u8
#define TW_RHS_TYPE s8
#define TW_ACC_TYPE s32
#define TW_K0 4
#define TW_MULTIPLY(acc, n, q, r) svsudot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY s8u8s32_k4_sve_i8mm
#define TW_LHS_TYPE s8
#define TW_RHS_TYPE u8
#define TW_ACC_TYPE s32
#define TW_K0 4
#define TW_MULTIPLY(acc, n, q, r) svusdot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_I8MM_H_
