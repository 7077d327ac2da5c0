// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4 by smmla: sve_s8s4.h says how the halves of a byte are told apart.

#ifndef UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
#define UKERNELS_ARM_64_SVE_I8MM_S8S4_H_

#include "ukernels/arm_64/sve_s8s4.h"

// The even elements of two rows of 16, and the odd ones.
TW_INLINE svint8x2_t tw_sve_split_s8_pair(const int8_t* first,
                                          const int8_t* second) {
  const svbool_t all = svptrue_b8();
  const svuint8_t order =
      svdupq_u8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  const svuint64_t a = svreinterpret_u64(svtbl(svld1rq(all, first), order));
  const svuint64_t b = svreinterpret_u64(svtbl(svld1rq(all, second), order));
  return svcreate2(svreinterpret_s8(svtrn1(a, b)),
                   svreinterpret_s8(svtrn2(a, b)));
}

#define TW_FAMILY s8s4s32_k16_sve_i8mm
#define TW_LHS int8_t
#define TW_ACCUMULATORS TW_S32
#define TW_K0 16
#define TW_LOAD_RHS(p) tw_sve_split_s4(p)
#define TW_LOAD_QUAD(p, rows) \
  tw_sve_split_s8_pair(p, (p) + ((rows) == 1 ? 0 : TW_K0))
#define TW_MULTIPLY(acc, q, v) \
  svmmla(svmmla(acc, svget2(q, 0), svget2(v, 0)), svget2(q, 1), svget2(v, 1))
#define TW_CHAINS 2
#include "ukernels/arm_64/sve_mmla.h"

#endif  // UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
