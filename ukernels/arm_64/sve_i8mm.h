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
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY(acc, q, v) svmmla(acc, svreinterpret_s8(q), v)
#define TW_UNROLLS(vectors) ((vectors) < 6)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k8_sve_i8mm
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_MULTIPLY(acc, q, v) svusmmla(acc, svreinterpret_u8(q), v)
#define TW_UNROLLS(vectors) ((vectors) < 6)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8u8s32_k8_sve_i8mm
#define TW_LHS uint8_t
#define TW_ACCUMULATORS TW_U32
#define TW_MULTIPLY(acc, q, v) svmmla(acc, svreinterpret_u8(q), v)
#define TW_UNROLLS(vectors) ((vectors) < 6)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k4_sve_i8mm
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 4
#define TW_MULTIPLY svsudot_lane
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY s8u8s32_k4_sve_i8mm
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 4
#define TW_MULTIPLY svusdot_lane
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_I8MM_H_
