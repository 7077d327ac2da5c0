// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfmmla, with denormals as zero.

#ifndef UKERNELS_ARM_64_SVE_BFMMLA_H_
#define UKERNELS_ARM_64_SVE_BFMMLA_H_

#include "ukernels/arm_64/sve_bf16.h"

#define TW_TILE tw_sve_bfmmla
#define TW_ACC svfloat32_t
#define TW_ACC_OF_PAIRS(v) svreinterpret_f32(v)
#define TW_LOAD_LHS(how, p, single, odd) tw_sve_pair(p, single)
#define TW_LOAD_RHS(p) tw_bf16_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) svbfmmla(acc, svreinterpret_bf16(q), v)
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#include "ukernels/arm_64/sve_mmla.h"

TW_SVE_FAMILY(bf16bf16f32_k4_sve, tw_sve_bfmmla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .groups_loads = 1)
TW_SVE_FAMILY(bf16bf16bf16_k4_sve, tw_sve_bfmmla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .out = TW_OUT_BF16, .groups_loads = 1)
TW_SVE_FAMILY(bf16bf16bf16_k4_steprnd_sve, tw_sve_bfmmla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .out = TW_OUT_BF16, .rounds = 1)

#endif  // UKERNELS_ARM_64_SVE_BFMMLA_H_
