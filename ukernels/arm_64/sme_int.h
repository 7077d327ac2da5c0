// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by smopa, umopa, usmopa and sumopa, which add four products;
// with SME2 also s16, of which smopa adds two.

#ifndef UKERNELS_ARM_64_SME_INT_H_
#define UKERNELS_ARM_64_SME_INT_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_sme
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY u8u8s32_k4_sme
#define TW_LHS uint8_t
#define TW_ACCUMULATORS TW_U32
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY u8s8s32_k4_sme
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_OUTER svusmopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY s8u8s32_k4_sme
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_ACCUMULATORS TW_S32
#define TW_OUTER svsumopa_za32_m
#include "ukernels/arm_64/sme_outer.h"

// s8 by s4: a byte of the rhs has an even element in its low half and an odd
// one in its high half; the lhs is split alike.
TW_SME_INLINE svint8x2_t tw_sme_split_s8(const int8_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svint8_t low = svld1(all, p), high = svld1_vnum(all, p, 1);
  return svcreate2(svuzp1(low, high), svuzp2(low, high));
}

TW_SME_INLINE svint8x2_t tw_sme_split_s4(const int8_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svint8_t both = svld1(all, p);
  return svcreate2(svasr_x(all, svlsl_x(all, both, 4), 4),
                   svasr_x(all, both, 4));
}

#define TW_FAMILY s8s4s32_k8_sme
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_LHS_K0 8
#define TW_RHS_K0 4
#define TW_LOAD_LHS(pg, p) ((void)pg, tw_sme_split_s8(p))
#define TW_LOAD_RHS(p) tw_sme_split_s4(p)
#define TW_OUTER(tile, pg, all, l, r)                        \
  svmopa_za32_m(tile, all, all, svget2(l, 0), svget2(r, 0)); \
  svmopa_za32_m(tile, all, all, svget2(l, 1), svget2(r, 1))
#include "ukernels/arm_64/sme_outer.h"

#ifdef __ARM_FEATURE_SME2
#define TW_FAMILY s16s16s32_k2_sme
#define TW_LHS int16_t
#define TW_ACCUMULATORS TW_S32
#include "ukernels/arm_64/sme_outer.h"
#endif  // __ARM_FEATURE_SME2

#endif  // UKERNELS_ARM_64_SME_INT_H_
