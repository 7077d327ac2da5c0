// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4 by smmla: sve_s8s4.h says how the halves of a byte are told apart.

#ifndef UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
#define UKERNELS_ARM_64_SVE_I8MM_S8S4_H_

#include "ukernels/arm_64/sve_s8s4.h"

// The even elements of two rows of 16, or the `odd` ones; of a `single` row
// twice. One instruction each: where a vector holds one row, of two of them;
// where it holds more, of one with both. That one begins with its first odd
// element for the odd ones, so that one order serves for both: for a second one
// the tile of 8 rows would have no register.
TW_INLINE svint8_t tw_sve_split_s8_pair(int quad_vectors, const char* p,
                                        int single, int odd) {
  const svbool_t all = svptrue_b8();
  if (quad_vectors || single) {
    const svint8_t top = tw_s8_quad(all, p);
    const svint8_t low = single ? top : tw_s8_quad(all, p + 16);
    return odd ? svuzp2(top, low) : svuzp1(top, low);
  }
  const svuint8_t order = svand_x(all, svindex_u8(0, 2), 31);
  const svbool_t rows = svwhilelt_b8_s32(odd, 32);
  return svtbl(svld1(rows, (const int8_t*)p + odd), order);
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
#define TW_LOAD_LHS(how, p, single, odd) \
  tw_sve_split_s8_pair((how).quad_vectors, p, single, odd)
#define TW_LOAD_RHS(p) tw_s8_vector(p)
#define TW_MULTIPLY(acc, q, q_odd, v) tw_sve_s8s4_mmla(acc, q, q_odd, v)
#include "ukernels/arm_64/sve_mmla.h"

TW_SVE_S4_FAMILY(s8s4s32_k16_sve_i8mm, tw_sve_s8s4_smmla, vl, 16,
                 .lhs_bytes = 16, .rhs_bytes = 8)

#endif  // UKERNELS_ARM_64_SVE_I8MM_S8S4_H_
