// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 x s8 by vpdpbusd, which multiplies u8 by s8: the rhs plays the unsigned
// part as r + 128 = r ^ 0x80, which adds 128 * (sum of the lhs row) to every
// element of a row. That sum is computed beside the tile, by vpdpbusd of the
// constant 0x80 with whole vectors of the lhs panel, and subtracted at the end;
// all of it is exact modulo 2^32. Where one operand is u8, it plays that part,
// and nothing is to be corrected.

#ifndef UKERNELS_X86_64_S8_VNNI_H_
#define UKERNELS_X86_64_S8_VNNI_H_

#include "ukernels/x86_64/s16.h"

// K steps per block: the block's lhs quads [steps][M0] fill whole vectors, so
// that the correction costs 1/(16*nv) of the multiplications.
TW_INLINE int tw_s8_vnni_block_steps(int M0) {
  return M0 % 16 == 0  ? 1
         : M0 % 8 == 0 ? 2
         : M0 % 4 == 0 ? 4
         : M0 % 2 == 0 ? 8
                       : 16;
}

TW_INLINE void tw_s8_vnni_step(tw_vi32* acc, const int8_t* lhs,
                               const int8_t* rhs, int M0, int nv) {
  const tw_vi32 flip = _mm512_set1_epi8((char)0x80);
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = _mm512_xor_si512(tw_i32_load(rhs + n * 64), flip);
  }

  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l = tw_i32_splat(lhs + 4 * m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = _mm512_dpbusd_epi32(acc[m * nv + n], r[n], l);
    }
  }
}

TW_INLINE void s8s8s32_k4_vnni(void* out, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const int steps = tw_s8_vnni_block_steps(M0);
  const int sum_vectors = steps * M0 / 16;
  const tw_vi32 flip = _mm512_set1_epi8((char)0x80);
  const int8_t* lhs = (const int8_t*)lhs_panel;
  const int8_t* rhs = (const int8_t*)rhs_panel;
  // sum[i] lane j belongs to row (16*i + j) % M0; tail lane j to row j.
  tw_vi32 acc[TW_MAX_ACCUMULATORS], sum[4], tail = tw_i32_zero();
  TW_UNROLL for (int i = 0; i < sum_vectors; ++i) { sum[i] = tw_i32_zero(); }

  tw_i32_begin(acc, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  for (; k >= steps; k -= steps) {
    TW_UNROLL for (int s = 0; s < steps; ++s) {
      tw_s8_vnni_step(acc + s % sets * vectors, lhs + s * 4 * M0,
                      rhs + s * 4 * N0, M0, nv);
    }

    TW_UNROLL for (int i = 0; i < sum_vectors; ++i) {
      sum[i] = _mm512_dpbusd_epi32(sum[i], flip, tw_i32_load(lhs + 64 * i));
    }

    lhs += steps * 4 * M0;
    rhs += steps * 4 * N0;
  }
  for (; steps > 1 && k > 0; --k) {
    tw_s8_vnni_step(acc, lhs, rhs, M0, nv);
    const __mmask16 rows = (__mmask16)((1u << M0) - 1);
    tail = _mm512_dpbusd_epi32(tail, flip, _mm512_maskz_loadu_epi32(rows, lhs));
    lhs += 4 * M0;
    rhs += 4 * N0;
  }
  // The rows' sums of each step of the block, moved to lanes 0 to M0 - 1.
  const tw_vi32 lane =
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    const int at = s * M0 / 16;
    const tw_vi32 from = _mm512_add_epi32(lane, _mm512_set1_epi32(s * M0 % 16));
    tail = tw_i32_add(
        tail, _mm512_permutex2var_epi32(
                  sum[at], from, sum[at + 1 < sum_vectors ? at + 1 : at]));
  }
  tw_i32_reduce(acc, vectors, sets);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 correction =
        _mm512_permutexvar_epi32(_mm512_set1_epi32(m), tail);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = _mm512_sub_epi32(acc[m * nv + n], correction);
    }
  }
  tw_i32_end(acc, out, params, M0, N0, 1);
}

TW_INLINE void tw_u8_vnni_step(tw_vi32* acc, const void* lhs, const void* rhs,
                               int lhs_is_unsigned, int M0, int nv) {
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_i32_load((const char*)rhs + n * 64);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l = tw_i32_splat((const char*)lhs + 4 * m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      tw_vi32* const to = acc + m * nv + n;
      *to = lhs_is_unsigned ? _mm512_dpbusd_epi32(*to, l, r[n])
                            : _mm512_dpbusd_epi32(*to, r[n], l);
    }
  }
}

// Exactly one operand is u8.
TW_INLINE void tw_u8_vnni_tile(void* out, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params,
                               int lhs_is_unsigned, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vi32 acc[TW_MAX_ACCUMULATORS];
  tw_i32_begin(acc, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  for (; k >= sets; k -= sets) {
    TW_UNROLL for (int s = 0; s < sets; ++s) {
      tw_u8_vnni_step(acc + s * vectors, lhs + s * 4 * M0, rhs + s * 4 * N0,
                      lhs_is_unsigned, M0, nv);
    }
    lhs += sets * 4 * M0;
    rhs += sets * 4 * N0;
  }
  for (; sets > 1 && k > 0; --k) {
    tw_u8_vnni_step(acc, lhs, rhs, lhs_is_unsigned, M0, nv);
    lhs += 4 * M0;
    rhs += 4 * N0;
  }
  tw_i32_end(acc, out, params, M0, N0, sets);
}

TW_INLINE void u8s8s32_k4_vnni(void* out, const void* lhs, const void* rhs,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  tw_u8_vnni_tile(out, lhs, rhs, params, /*lhs_is_unsigned=*/1, M0, N0);
}

TW_INLINE void s8u8s32_k4_vnni(void* out, const void* lhs, const void* rhs,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  tw_u8_vnni_tile(out, lhs, rhs, params, /*lhs_is_unsigned=*/0, M0, N0);
}

#endif  // UKERNELS_X86_64_S8_VNNI_H_
