// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4. A byte of the rhs has an even element in its low half and an odd
// one in its high half; they become two vectors, and the lhs is permuted to
// match. As s4.h says: both times 16, one instruction each, and K in blocks.

#ifndef UKERNELS_ARM_64_SVE_S8S4_H_
#define UKERNELS_ARM_64_SVE_S8S4_H_

#include "ukernels/arm_64/sve_body.h"

// Elements of K in a block: 2^16 * 2^7 * 2^3 * 16 = 2^30.
enum { TW_S4_BLOCK = 65536 };

// The even and the odd elements, times 16.
TW_INLINE svint8_t tw_s4_even(svint8_t both) {
  return svlsl_x(svptrue_b8(), both, 4);
}

TW_INLINE svint8_t tw_s4_odd(svint8_t both) {
  return svand_x(svptrue_b8(), both, (int8_t)0xF0);
}

// TW_SVE_FAMILY of such tiles: one block of K after another. Parameters are
// read as their flags say.
#define TW_SVE_S4_FAMILY(family, tile, vectors, K0, ...)                   \
  TW_INLINE void family(void* out, const void* lhs_panel,                  \
                        const void* rhs_panel,                             \
                        const tw_mmt4d_params_t* params, int M0, int vl) { \
    const tw_sve_family_t how = {.splits = 1, __VA_ARGS__};                \
    const char* lhs = (const char*)lhs_panel;                              \
    const char* rhs = (const char*)rhs_panel;                              \
    tw_mmt4d_params_t block = {.flags = params->flags};                    \
    if (block.flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE) {                      \
      block.out_row_stride = params->out_row_stride;                       \
    }                                                                      \
    tw_index_t k = params->K;                                              \
    do {                                                                   \
      block.K = k < TW_S4_BLOCK / K0 ? k : TW_S4_BLOCK / K0;               \
      tile(how, out, lhs, rhs, &block, M0, vectors);                       \
      block.flags |= TW_MMT4D_FLAG_ACCUMULATE;                             \
      lhs += TW_S4_BLOCK * M0;                                             \
      rhs += TW_S4_BLOCK / 2 * vl * svcntw();                              \
      k -= TW_S4_BLOCK / K0;                                               \
    } while (k > 0);                                                       \
  }

// Two rows of 8 elements: the even and the odd ones of the first row, then
// those of the second.
TW_INLINE svint8_t tw_sve_split_s8_rows(svbool_t pg, const void* p) {
  const svuint8_t order =
      svdupq_u8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  return svtbl(tw_s8_quad(pg, p), order);
}

TW_INLINE svint32_t tw_sve_s8s4_multiply(svint32_t acc, svint8_t both,
                                         svint8_t q, int r) {
  const int lane = r % 2 * 2;
  // The even elements first would leave a register too few for 2x2vl.
  acc = TW_LANE_OF_4(lane + 1, svdot_lane, acc, tw_s4_odd(both), q);
  return TW_LANE_OF_4(lane, svdot_lane, acc, tw_s4_even(both), q);
}

#define TW_TILE tw_sve_s8s4
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_sve_split_s8_rows(pg, p)
#define TW_LOAD_RHS(how, p) tw_s8_vector(p)
#define TW_MULTIPLY(how, acc, v, q, r, n) tw_sve_s8s4_multiply(acc, v, q, r)
#include "ukernels/arm_64/sve_lanes.h"

TW_SVE_S4_FAMILY(s8s4s32_k8_sve, tw_sve_s8s4, vl, 8, .lhs_bytes = 8,
                 .rhs_bytes = 4)

#endif  // UKERNELS_ARM_64_SVE_S8S4_H_
