// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 by fmla with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_F32_H_
#define UKERNELS_ARM_64_SVE_F32_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_TILE tw_sve_f32
#define TW_ACC svfloat32_t
#define TW_LOAD_LHS(pg, p) tw_f32_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_f32_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_4((r) % 4, svmla_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_TILE tw_sve_f64
#define TW_ACC svfloat64_t
#define TW_LOAD_LHS(pg, p) tw_f64_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_f64_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_2((r) % 2, svmla_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(f32f32f32_k1_sve, tw_sve_f32, vl, .lhs_bytes = 4, .rhs_bytes = 4)
TW_SVE_FAMILY(f64f64f64_k1_sve, tw_sve_f64, vl, .lhs_bytes = 8, .rhs_bytes = 8,
              .out = TW_OUT_64)

#endif  // UKERNELS_ARM_64_SVE_F32_H_
