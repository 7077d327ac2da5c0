// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ukernels/in_place.h at 512 bits, whose multiplies broadcast from memory.

#ifndef UKERNELS_X86_64_IN_PLACE_H_
#define UKERNELS_X86_64_IN_PLACE_H_

#include "ukernels/in_place.h"
#include "ukernels/x86_64/narrow_out.h"
#include "ukernels/x86_64/s16.h"

// What multiplies, and adds to accumulators of 32 bits.
typedef enum {
  TW_IN_PLACE_S8U8,
  TW_IN_PLACE_U8S8,
  TW_IN_PLACE_S16,
  TW_IN_PLACE_BF16
} tw_in_place_t;

TW_INLINE tw_vi32 tw_in_place_multiply(tw_in_place_t types, tw_vi32 acc,
                                       tw_vi32 lhs, tw_vi32 rhs) {
  switch (types) {
#ifdef __AVX512BF16__
    case TW_IN_PLACE_BF16:
      return (tw_vi32)_mm512_dpbf16_ps((tw_vf32)acc, (__m512bh)rhs,
                                       (__m512bh)lhs);
#endif
#if TW_HAS_FUSED_DOT2
    case TW_IN_PLACE_S8U8:
      return tw_i32_dot4(TW_DOT4_S8U8, acc, lhs, rhs);
    case TW_IN_PLACE_U8S8:
      return tw_i32_dot4(TW_DOT4_U8S8, acc, lhs, rhs);
    case TW_IN_PLACE_S16:
      return tw_i32_dot2(acc, rhs, lhs);
#endif
    default:
      return acc;
  }
}

// So many rows are addressed from one pointer, none of them with an index that
// is scaled by 3.
enum { TW_IN_PLACE_GROUP = 3, TW_IN_PLACE_GROUPS = 4 };

// One K step, which begins `at` bytes behind the pointers.
TW_INLINE void tw_in_place_step(tw_in_place_t types, tw_vi32* acc,
                                const char* const* lhs, tw_index_t row, int at,
                                const char* rhs, int M0, int nv) {
  tw_vi32 r[2];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_i32_load(rhs + n * 4 * TW_LANES);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l = tw_i32_splat(lhs[m / TW_IN_PLACE_GROUP] +
                                   m % TW_IN_PLACE_GROUP * row + at);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_in_place_multiply(types, acc[m * nv + n], l, r[n]);
    }
  }
}

// M0 is 8 or 12, N0 two vectors: accumulators enough for one set.
TW_INLINE void tw_in_place_tile_of(tw_in_place_t types, void* out,
                                   const void* lhs_rows, tw_index_t row,
                                   const void* rhs_panel,
                                   const tw_mmt4d_params_t* params,
                                   const int32_t* sums, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int steps = tw_loop_steps(vectors, 1);
  const char* lhs[TW_IN_PLACE_GROUPS];
  const char* rhs = (const char*)rhs_panel;
  tw_vi32 acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int g = 0; g * TW_IN_PLACE_GROUP < M0; ++g) {
    lhs[g] = (const char*)lhs_rows + g * TW_IN_PLACE_GROUP * row;
  }
  tw_i32_begin(acc, out, params, M0, N0, 1, 0);
  if (types != TW_IN_PLACE_BF16 && sums) {
    TW_UNROLL for (int i = 0; i < vectors; ++i) {
      acc[i] = tw_i32_add(acc[i], tw_i32_splat(sums + i / nv));
    }
  }
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  for (; k >= steps; k -= steps) {
    tw_prefetch_panels(rhs, 0, rhs, steps * 4 * N0, &far, vectors, nv);
    TW_UNROLL for (int s = 0; s < steps; ++s) {
      tw_in_place_step(types, acc, lhs, row, 4 * s, rhs + s * 4 * N0, M0, nv);
    }
    TW_UNROLL for (int g = 0; g * TW_IN_PLACE_GROUP < M0; ++g) {
      TW_ADVANCE(lhs[g], steps * 4);
    }
    TW_ADVANCE(rhs, steps * 4 * N0);
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    tw_in_place_step(types, acc, lhs, row, 0, rhs, M0, nv);
    TW_UNROLL for (int g = 0; g * TW_IN_PLACE_GROUP < M0; ++g) { lhs[g] += 4; }
    rhs += 4 * N0;
  }
  tw_i32_end(acc, out, params, M0, N0, 1, 0);
}

#define TW_IN_PLACE_TILE(types, M0, N0)                                   \
  static void types##_##M0##x##N0(                                        \
      void* out, const void* lhs, tw_index_t row, const void* rhs,        \
      const tw_mmt4d_params_t* params, const int32_t* sums) {             \
    tw_in_place_tile_of(types, out, lhs, row, rhs, params, sums, M0, N0); \
  }

// That of `types` among those of M0 = 8 and 12 and N0 = 32.
#define TW_IN_PLACE_CHOOSE(types, m, n) \
  ((n) != 32   ? (tw_in_place_fn_t)0    \
   : (m) == 8  ? types##_8x32           \
   : (m) == 12 ? types##_12x32          \
               : (tw_in_place_fn_t)0)

#endif  // UKERNELS_X86_64_IN_PLACE_H_
