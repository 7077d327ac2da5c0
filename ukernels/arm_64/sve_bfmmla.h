// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfmmla, with denormals as zero.

#ifndef UKERNELS_ARM_64_SVE_BFMMLA_H_
#define UKERNELS_ARM_64_SVE_BFMMLA_H_

#include "ukernels/arm_64/sve_bf16.h"

#define TW_FAMILY bf16bf16f32_k4_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32
#define TW_MULTIPLY(acc, q, v) svbfmmla(acc, svreinterpret_bf16(q), v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_MULTIPLY(acc, q, v) svbfmmla(acc, svreinterpret_bf16(q), v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_steprnd_sve
#define TW_LHS bfloat16_t
#define TW_ACCUMULATORS TW_F32_AS_BF16
#define TW_MULTIPLY(acc, q, v) svbfmmla(acc, svreinterpret_bf16(q), v)
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#include "ukernels/arm_64/sve_mmla.h"

#endif  // UKERNELS_ARM_64_SVE_BFMMLA_H_
