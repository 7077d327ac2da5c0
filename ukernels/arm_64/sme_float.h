// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 by fmopa, f16 and bf16 by the widening fmopa and bfmopa.

#ifndef UKERNELS_ARM_64_SME_FLOAT_H_
#define UKERNELS_ARM_64_SME_FLOAT_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_TILE tw_sme_f32
#define TW_LHS float
#define TW_ACC svfloat32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_TILE tw_sme_f16
#define TW_LHS float16_t
#define TW_ACC svfloat32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_TILE tw_sme_bf16
#define TW_LHS bfloat16_t
#define TW_ACC svfloat32_t
#define TW_OUTER svmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

TW_SME_FAMILY(f32f32f32_k1_sme, tw_sme_f32, TW_OUT_32)
TW_SME_FAMILY(f16f16f32_k2_sme, tw_sme_f16, TW_OUT_32)
TW_SME_FAMILY(f16f16f16_k2_sme, tw_sme_f16, TW_OUT_F16)
TW_SME_FAMILY(bf16bf16f32_k2_sme, tw_sme_bf16, TW_OUT_32)
TW_SME_FAMILY(bf16bf16bf16_k2_sme, tw_sme_bf16, TW_OUT_BF16)

#endif  // UKERNELS_ARM_64_SME_FLOAT_H_
