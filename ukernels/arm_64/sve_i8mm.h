// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by the matrix instructions, and of mixed sign by usdot and
// sudot with a lane of the lhs. LLVM 22 would spill accumulators of smmla's
// widest tile if it were unrolled (but none of bfmmla's).

#ifndef UKERNELS_ARM_64_SVE_I8MM_H_
#define UKERNELS_ARM_64_SVE_I8MM_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_TILE tw_sve_smmla
#define TW_ACC svint32_t
#define TW_ACC_OF_PAIRS(v) svreinterpret_s32(v)
#define TW_LOAD_LHS(how, p, single, odd) tw_sve_pair(p, single)
#define TW_LOAD_RHS(p) tw_s8_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) svmmla(acc, svreinterpret_s8(q), v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_TILE tw_sve_usmmla
#define TW_ACC svint32_t
#define TW_ACC_OF_PAIRS(v) svreinterpret_s32(v)
#define TW_LOAD_LHS(how, p, single, odd) tw_sve_pair(p, single)
#define TW_LOAD_RHS(p) tw_s8_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) svusmmla(acc, svreinterpret_u8(q), v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_TILE tw_sve_ummla
#define TW_ACC svuint32_t
#define TW_ACC_OF_PAIRS(v) svreinterpret_u32(v)
#define TW_LOAD_LHS(how, p, single, odd) tw_sve_pair(p, single)
#define TW_LOAD_RHS(p) tw_u8_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) svmmla(acc, svreinterpret_u8(q), v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_TILE tw_sve_sudot
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_u8_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_s8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_4((r) % 4, svsudot_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_TILE tw_sve_usdot
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_s8_quad(pg, p)
#define TW_LOAD_RHS(how, p) tw_u8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) \
  TW_LANE_OF_4((r) % 4, svusdot_lane, acc, v, q)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_FAMILY(s8s8s32_k8_sve_i8mm, tw_sve_smmla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .rolls_widest = 1)
TW_SVE_FAMILY(u8s8s32_k8_sve_i8mm, tw_sve_usmmla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .rolls_widest = 1)
TW_SVE_FAMILY(u8u8s32_k8_sve_i8mm, tw_sve_ummla, vl, .lhs_bytes = 8,
              .rhs_bytes = 8, .rolls_widest = 1)
TW_SVE_FAMILY(u8s8s32_k4_sve_i8mm, tw_sve_sudot, vl, .lhs_bytes = 4,
              .rhs_bytes = 4)
TW_SVE_FAMILY(s8u8s32_k4_sve_i8mm, tw_sve_usdot, vl, .lhs_bytes = 4,
              .rhs_bytes = 4)

#endif  // UKERNELS_ARM_64_SVE_I8MM_H_
