// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by smopa, umopa, usmopa and sumopa, which add four products;
// with SME2 also s16, of which smopa adds two.

#ifndef UKERNELS_ARM_64_SME_INT_H_
#define UKERNELS_ARM_64_SME_INT_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_TILE tw_sme_s8
#define TW_LHS int8_t
#define TW_ACC svint32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_TILE tw_sme_u8
#define TW_LHS uint8_t
#define TW_ACC svuint32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_TILE tw_sme_u8s8
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACC svint32_t
#define TW_OUTER svusmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_TILE tw_sme_s8u8
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_ACC svint32_t
#define TW_OUTER svsumopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

TW_SME_FAMILY(s8s8s32_k4_sme, tw_sme_s8, TW_OUT_32)
TW_SME_FAMILY(u8u8s32_k4_sme, tw_sme_u8, TW_OUT_32)
TW_SME_FAMILY(u8s8s32_k4_sme, tw_sme_u8s8, TW_OUT_32)
TW_SME_FAMILY(s8u8s32_k4_sme, tw_sme_s8u8, TW_OUT_32)

#ifdef __ARM_FEATURE_SME2
#define TW_TILE tw_sme_s16
#define TW_LHS int16_t
#define TW_ACC svint32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

TW_SME_FAMILY(s16s16s32_k2_sme, tw_sme_s16, TW_OUT_32)
#endif  // __ARM_FEATURE_SME2

#endif  // UKERNELS_ARM_64_SME_INT_H_
