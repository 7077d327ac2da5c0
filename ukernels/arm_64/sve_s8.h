// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by sdot and udot with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_S8_H_
#define UKERNELS_ARM_64_SVE_S8_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_TILE tw_sve_s8
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_s8_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_s8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_4((r) % 4, svdot_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_TILE tw_sve_u8
#define TW_ACC svuint32_t
#define TW_LOAD_LHS(pg, p) tw_u8_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_u8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_4((r) % 4, svdot_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(s8s8s32_k4_sve, tw_sve_s8, vl, .lhs_bytes = 4, .rhs_bytes = 4)
TW_SVE_FAMILY(u8u8s32_k4_sve, tw_sve_u8, vl, .lhs_bytes = 4, .rhs_bytes = 4)

#endif  // UKERNELS_ARM_64_SVE_S8_H_
