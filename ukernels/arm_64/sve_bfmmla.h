// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfmmla, with denormals as zero.

#ifndef UKERNELS_ARM_64_SVE_BFMMLA_H_
#define UKERNELS_ARM_64_SVE_BFMMLA_H_

#include "ukernels/arm_64/sve_bf16.h"

#define TW_FAMILY bf16bf16f32_k4_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_K0 4
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_K0 4
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_steprnd_sve
#define TW_LHS_TYPE bf16
#define TW_RHS_TYPE bf16
#define TW_ACC_TYPE f32
#define TW_OUT uint16_t
#define TW_K0 4
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#define TW_ROUNDS
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#define TW_UNROLL_STEPS TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#endif  // UKERNELS_ARM_64_SVE_BFMMLA_H_
