// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4 by smmla: sve_s8s4.h says how the halves of a byte are told apart.

#ifndef UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
#define UKERNELS_ARM_64_SVE_I8MM_S8S4_H_

#include "ukernels/arm_64/sve_s8s4.h"

// The even elements of two rows of 16, or the `odd` ones; of a `single` row
// twice.
TW_INLINE svint8_t tw_sve_split_s8_pair(const char* p, int single, int odd) {
  const svbool_t all = svptrue_b8();
  const svint8_t top = tw_s8_quad(all, p);
  if (single) return odd ? svuzp2(top, top) : svuzp1(top, top);
  const svuint8_t order =
      svdupq_u8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  const svuint64_t first = svreinterpret_u64(svtbl(top, order));
  const svuint64_t second =
      svreinterpret_u64(svtbl(tw_s8_quad(all, p + 16), order));
  svint8_t part =
      svreinterpret_s8(odd ? svtrn2(first, second) : svtrn1(first, second));
  TW_HIDE_CAST(part);
  return part;
}

TW_INLINE svint32_t tw_sve_s8s4_mmla(svint32_t acc, svint8_t q, svint8_t q_odd,
                                     svint8_t both) {
  // Then the odd ones, as the instruction writes over `both`.
  acc = svmmla(acc, q, tw_s4_even(both));
  return svmmla(acc, q_odd, tw_s4_odd(both));
}

#define TW_TILE tw_sve_s8s4_smmla
#define TW_ACC svint32_t
#define TW_ACC_OF_PAIRS(v) svreinterpret_s32(v)
#define TW_LOAD_LHS(p, single, odd) tw_sve_split_s8_pair(p, single, odd)
#define TW_LOAD_RHS(p) tw_s8_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) tw_sve_s8s4_mmla(acc, q, q_odd, v)
#include "ukernels/arm_64/sve_mmla.h"

TW_SVE_S4_FAMILY(s8s4s32_k16_sve_i8mm, tw_sve_s8s4_smmla, vl, 16,
                 .lhs_bytes = 16, .rhs_bytes = 8)

#endif  // UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
