// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 by bfmmla, with denormals as zero.

#ifndef UKERNELS_ARM_64_SVE_BFMMLA_H_
#define UKERNELS_ARM_64_SVE_BFMMLA_H_

#include "ukernels/arm_64/sve_bf16.h"

#define TW_FAMILY bf16bf16f32_k4_sve
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT float
#define TW_K0 4
#define TW_RHS_K0 4
#define TW_ACC svfloat32_t
#define TW_ZERO svdup_n_f32(0)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_f32(svptrue_b8(), p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_f32_u64(   \
      op##_u64(svreinterpret_u64_f32(a), svreinterpret_u64_f32(b)))
#define TW_RHS_VECTOR svbfloat16_t
#define TW_LOAD_RHS(p) svld1_bf16(svptrue_b8(), p)
#define TW_QUAD svbfloat16_t
#define TW_LOAD_PAIR(p) svld1rq_bf16(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_bf16_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_sve
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT uint16_t
#define TW_K0 4
#define TW_RHS_K0 4
#define TW_ACC svfloat32_t
#define TW_ZERO svdup_n_f32(0)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_f32_u64(   \
      op##_u64(svreinterpret_u64_f32(a), svreinterpret_u64_f32(b)))
#define TW_RHS_VECTOR svbfloat16_t
#define TW_LOAD_RHS(p) svld1_bf16(svptrue_b8(), p)
#define TW_QUAD svbfloat16_t
#define TW_LOAD_PAIR(p) svld1rq_bf16(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_bf16_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY bf16bf16bf16_k4_steprnd_sve
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT uint16_t
#define TW_K0 4
#define TW_RHS_K0 4
#define TW_ACC svfloat32_t
#define TW_ZERO svdup_n_f32(0)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_f32_from_bf16(p)
#define TW_STORE(p, a) tw_f32_to_bf16(p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_f32_u64(   \
      op##_u64(svreinterpret_u64_f32(a), svreinterpret_u64_f32(b)))
#define TW_RHS_VECTOR svbfloat16_t
#define TW_LOAD_RHS(p) svld1_bf16(svptrue_b8(), p)
#define TW_QUAD svbfloat16_t
#define TW_LOAD_PAIR(p) svld1rq_bf16(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_bf16_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svbfmmla_f32(acc, q, v)
#define TW_ROUNDS
#define TW_NARROW(acc) tw_bf16_narrow(acc)
#define TW_WIDEN(acc) tw_bf16_widen(acc)
#define TW_UNROLL_STEPS TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#endif  // UKERNELS_ARM_64_SVE_BFMMLA_H_
