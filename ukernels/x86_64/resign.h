// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ukernels/resign.h by the vectors of the header that was included before, for
// an instruction set as <isa>.c has it: TW_STAMP_ISA_<isa> is `~, 1`.

#ifndef UKERNELS_X86_64_RESIGN_H_
#define UKERNELS_X86_64_RESIGN_H_

#include "ukernels/resign.h"
#include "ukernels/stamp.h"
#include "ukernels/x86_64/s8_vnni.h"

static void flip(void* bytes, tw_index_t count) {
  char* at = (char*)bytes;
  const tw_vi32 top = tw_i8_all(0x80);
  TW_NO_UNROLL for (; count >= 4 * TW_LANES; count -= 4 * TW_LANES) {
    tw_i32_store(at, tw_i32_xor(tw_i32_load(at), top));
    at += 4 * TW_LANES;
  }
  for (; count > 0; --count) *at++ ^= (char)0x80;
}

// As many whole steps at a time as fill a vector.
TW_INLINE void sum_of(tw_dot4_t types, const void* panel, tw_index_t steps,
                      int M0, int32_t* sums) {
  enum { kChains = 4 };
  const char* at = (const char*)panel;
  const int together = TW_LANES / M0;
  const int lanes = together * M0;
  const tw_vi32 top = tw_i8_all(0x80);
  tw_vi32 sum[kChains];
  TW_UNROLL for (int i = 0; i < kChains; ++i) { sum[i] = tw_i32_zero(); }
  TW_NO_UNROLL for (; steps >= kChains * together;
                    steps -= kChains * together) {
    TW_UNROLL for (int i = 0; i < kChains; ++i) {
      sum[i] = tw_i32_dot4(types, sum[i], tw_i32_load_first(at, lanes), top);
      at += 4 * lanes;
    }
  }
  TW_NO_UNROLL for (; steps >= together; steps -= together) {
    sum[0] = tw_i32_dot4(types, sum[0], tw_i32_load_first(at, lanes), top);
    at += 4 * lanes;
  }
  sum[1] =
      tw_i32_dot4(types, sum[1], tw_i32_load_first(at, (int)steps * M0), top);
  // Those of each step, one behind the other, and zeros.
  const tw_vi32 sums_of_steps = tw_i32_sub(
      tw_i32_zero(),
      tw_i32_add(tw_i32_add(sum[0], sum[1]), tw_i32_add(sum[2], sum[3])));
  int32_t each[2 * TW_LANES];
  tw_i32_store(each, sums_of_steps);
  tw_i32_store(each + TW_LANES, tw_i32_zero());
  tw_vi32 rows = sums_of_steps;
  TW_NO_UNROLL for (int lane = M0; lane < lanes; lane += M0) {
    rows = tw_i32_add(rows, tw_i32_load(each + lane));
  }
  tw_i32_store(sums, rows);
}

TW_INLINE void sum_rows_of(tw_dot4_t types, const void* rows, tw_index_t row,
                           tw_index_t steps, int M0, int32_t* sums) {
  const tw_vi32 top = tw_i8_all(0x80);
  for (int m = 0; m < M0; ++m) {
    const char* at = (const char*)rows + m * row;
    tw_vi32 sum[2] = {tw_i32_zero(), tw_i32_zero()};
    tw_index_t k = steps;
    TW_NO_UNROLL for (; k >= 2 * TW_LANES; k -= 2 * TW_LANES) {
      sum[0] = tw_i32_dot4(types, sum[0], tw_i32_load(at), top);
      sum[1] = tw_i32_dot4(types, sum[1], tw_i32_load(at + 4 * TW_LANES), top);
      at += 8 * TW_LANES;
    }
    TW_NO_UNROLL for (; k > 0; k -= TW_LANES) {
      const int lanes = k < TW_LANES ? (int)k : TW_LANES;
      sum[0] = tw_i32_dot4(types, sum[0], tw_i32_load_first(at, lanes), top);
      at += 4 * TW_LANES;
    }
    uint32_t each[TW_LANES], all = 0;
    tw_i32_store(each, tw_i32_add(sum[0], sum[1]));
    for (int i = 0; i < TW_LANES; ++i) all += each[i];
    sums[m] = (int32_t)(0 - all);
  }
}

static void sum_rows(const void* rows, tw_index_t row, tw_index_t steps, int M0,
                     int is_signed, int32_t* sums) {
  if (is_signed)
    sum_rows_of(TW_DOT4_S8U8, rows, row, steps, M0, sums);
  else
    sum_rows_of(TW_DOT4_U8S8, rows, row, steps, M0, sums);
}

static void add(void* out, tw_index_t stride, int M0, int N0,
                const int32_t* sums) {
  for (int m = 0; m < M0; ++m) {
    char* row = (char*)out + m * stride * (tw_index_t)sizeof(int32_t);
    const tw_vi32 sum = tw_i32_splat(sums + m);
    for (int n = 0; n < N0 / TW_LANES; ++n) {
      char* at = row + n * 4 * TW_LANES;
      tw_i32_store(at, tw_i32_add(tw_i32_load(at), sum));
    }
  }
}

static void sum(const void* panel, tw_index_t steps, int M0, int is_signed,
                int32_t* sums) {
  if (is_signed)
    sum_of(TW_DOT4_S8U8, panel, steps, M0, sums);
  else
    sum_of(TW_DOT4_U8S8, panel, steps, M0, sums);
}

// ---- Tiles ------------------------------------------------------------------
//
// One for each row of the instruction set whose family is one of these.

#define TW_RESIGN_FAMILY_s8u8s32_k4_vnni ~, 1
#define TW_RESIGN_TYPES_s8u8s32_k4_vnni TW_DOT4_S8U8
#define TW_RESIGN_FLIPS_s8u8s32_k4_vnni 0
#define TW_RESIGN_FAMILY_u8s8s32_k4_vnni ~, 1
#define TW_RESIGN_TYPES_u8s8s32_k4_vnni TW_DOT4_U8S8
#define TW_RESIGN_FLIPS_u8s8s32_k4_vnni 0
#define TW_RESIGN_FAMILY_s8s8s32_k4_vnni ~, 1
#define TW_RESIGN_TYPES_s8s8s32_k4_vnni TW_DOT4_S8U8
#define TW_RESIGN_FLIPS_s8s8s32_k4_vnni 1
#define TW_IS_RESIGN_FAMILY(family) TW_SECOND(TW_RESIGN_FAMILY_##family)
#define TW_IS_RESIGN_ROW(isa, family) \
  TW_CONCAT(TW_IS_STAMPED(isa), TW_IS_RESIGN_FAMILY(family))

#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  TW_CONCAT(TW_RESIGN_TILE_, TW_IS_RESIGN_ROW(isa, family))(family, M0, N0)
#define TW_RESIGN_TILE_00(family, M0, N0)
#define TW_RESIGN_TILE_01(family, M0, N0)
#define TW_RESIGN_TILE_10(family, M0, N0)
#define TW_RESIGN_TILE_11(family, M0, N0)                               \
  static void family##_##M0##x##N0(                                     \
      void* out, const void* lhs, const void* rhs,                      \
      const tw_mmt4d_params_t* params, const int32_t* sums) {           \
    tw_dot4_tile(TW_RESIGN_TYPES_##family, out, lhs, rhs, params, sums, \
                 TW_RESIGN_FLIPS_##family, M0, N0);                     \
  }
#include "ukernels/x86_64/mmt4d_tiles.def"
#undef TW_MMT4D_TILE

static tw_resign_tile_fn_t tile_of(int m, int n, tw_dot4_t types, int flips) {
#undef TW_RESIGN_TILE_11
#define TW_RESIGN_TILE_11(family, M0, N0)                        \
  if (m == M0 && n == N0 && types == TW_RESIGN_TYPES_##family && \
      flips == TW_RESIGN_FLIPS_##family)                         \
    return family##_##M0##x##N0;
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  TW_CONCAT(TW_RESIGN_TILE_, TW_IS_RESIGN_ROW(isa, family))(family, M0, N0)
#include "ukernels/x86_64/mmt4d_tiles.def"
#undef TW_MMT4D_TILE
  return 0;
}

static tw_resign_tile_fn_t tile(int m, int n, int is_signed) {
  return tile_of(m, n, is_signed ? TW_DOT4_S8U8 : TW_DOT4_U8S8, 0);
}

static tw_resign_tile_fn_t flipping_tile(int m, int n) {
  return tile_of(m, n, TW_DOT4_S8U8, 1);
}

// What this file says of one instruction set.
#define TW_RESIGN_OF(isa) \
  {TW_ISA_##isa, TW_LANES, tile, flipping_tile, flip, sum, sum_rows, add}
_Static_assert((int)TW_LANES <= (int)TW_RESIGN_MOST_LANES,
               "tw_mmt4d has room for less");

#endif  // UKERNELS_X86_64_RESIGN_H_
