// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16x8 tiles of f16 at 256 bits, twice the rows that the registers carry. Lanes
// lie along the rows, as in f32f32f32_k1_16x8: a step loads two vectors of the
// lhs and spreads four elements of the rhs, 6 loads for 8 products, where lanes
// along the columns need 9. A block of K steps goes through four columns, then
// through the others, so that each element is converted once: the rhs ahead of
// a block, the lhs in the loop of the first four columns, which stores it for
// the others. Of the time of two halves of eight rows this takes 0.84 (Zen 4),
// and 0.97 where these go in pairs (row_pairs.h) and are converted beside
// products (Zen 3); it takes 0.90 of what converts the lhs for either four
// columns (Zen 4).

#ifndef UKERNELS_X86_64_COLUMNS_H_
#define UKERNELS_X86_64_COLUMNS_H_

#include "ukernels/x86_64/f16.h"
#include "ukernels/x86_64/f32.h"

// K steps of a block.
enum { TW_COLUMNS_STEPS = 16 };

// sums[c][2 * n + h] has rows 8h to 8h + 7 of column 4c + n.
TW_INLINE void tw_columns_begin(tw_vf32 (*sums)[8], tw_element_type_t type,
                                const void* out,
                                const tw_mmt4d_params_t* params) {
  TW_UNROLL for (int i = 0; i < 16; ++i) sums[i / 8][i % 8] = tw_f32_zero();
  if (!tw_accumulates(params)) return;
  const tw_index_t row_bytes = tw_out_stride(params, 8) * tw_out_bytes(type);
  TW_UNROLL for (int h = 0; h < 2; ++h) {
    const char* row = (const char*)out + 8 * h * row_bytes;
    __m256 v[2][4];
    TW_UNROLL for (int m = 0; m < 4; ++m) {
      const __m256 a = tw_out_load(type, row + m * row_bytes);
      const __m256 b = tw_out_load(type, row + (m + 4) * row_bytes);
      v[0][m] = _mm256_permute2f128_ps(a, b, 0x20);
      v[1][m] = _mm256_permute2f128_ps(a, b, 0x31);
    }
    TW_UNROLL for (int c = 0; c < 2; ++c) {
      tw_f32_transpose(v[c]);
      TW_UNROLL for (int n = 0; n < 4; ++n) { sums[c][2 * n + h] = v[c][n]; }
    }
  }
}

TW_INLINE void tw_columns_end(tw_vf32 (*sums)[8], tw_element_type_t type,
                              void* out, const tw_mmt4d_params_t* params) {
  const tw_index_t row_bytes = tw_out_stride(params, 8) * tw_out_bytes(type);
  TW_UNROLL for (int h = 0; h < 2; ++h) {
    char* row = (char*)out + 8 * h * row_bytes;
    __m256 v[2][4];
    TW_UNROLL for (int c = 0; c < 2; ++c) {
      TW_UNROLL for (int n = 0; n < 4; ++n) { v[c][n] = sums[c][2 * n + h]; }
      tw_f32_transpose(v[c]);
    }
    TW_UNROLL for (int m = 0; m < 4; ++m) {
      tw_out_store(type, row + m * row_bytes,
                   _mm256_permute2f128_ps(v[0][m], v[1][m], 0x20));
      tw_out_store(type, row + (m + 4) * row_bytes,
                   _mm256_permute2f128_ps(v[0][m], v[1][m], 0x31));
    }
  }
}

// Four columns through a block; `first` of the block, or the others.
TW_INLINE void tw_columns_block(int first, tw_vf32* sums, const uint16_t* lhs,
                                float* rows, const float* columns,
                                tw_index_t steps) {
  tw_vf32 acc[8];
  TW_UNROLL for (int i = 0; i < 8; ++i) acc[i] = sums[i];
  TW_NO_UNROLL for (; steps > 0; --steps) {
    tw_vf32 r[2];
    TW_UNROLL for (int h = 0; h < 2; ++h) {
      if (first) {
        r[h] = tw_f32_from_f16(lhs + 8 * h);
        tw_f32_store(rows + 8 * h, r[h]);
      } else {
        r[h] = tw_f32_load(rows + 8 * h);
      }
    }
    TW_UNROLL for (int i = 0; i < 8; ++i) {
      acc[i] = tw_f32_fma(r[i % 2], tw_f32_splat(columns + i / 2), acc[i]);
    }
    lhs += 16;
    rows += 16;
    columns += 8;
  }
  TW_UNROLL for (int i = 0; i < 8; ++i) sums[i] = acc[i];
}

TW_INLINE void tw_columns_tile(tw_element_type_t type, void* out,
                               const void* lhs_panel, const void* rhs_panel,
                               const tw_mmt4d_params_t* params) {
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  float rows[16 * TW_COLUMNS_STEPS] __attribute__((aligned(64)));
  float columns[8 * TW_COLUMNS_STEPS] __attribute__((aligned(64)));
  tw_vf32 sums[2][8];
  tw_columns_begin(sums, type, out, params);
  for (tw_index_t k = params->K; k > 0; k -= TW_COLUMNS_STEPS) {
    const tw_index_t steps = tw_steps_of_block(k, TW_COLUMNS_STEPS);
    tw_f16_stage(rhs, columns, steps, TW_COLUMNS_STEPS, 8);
    tw_columns_block(1, sums[0], lhs, rows, columns, steps);
    tw_columns_block(0, sums[1], lhs, rows, columns + 4, steps);
    lhs += 16 * steps;
    rhs += 8 * steps;
  }
  tw_columns_end(sums, type, out, params);
}

#define TW_COLUMNS_FAMILY(family, type)                                    \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    (void)M0, (void)N0;                                                    \
    tw_columns_tile(type, out, lhs, rhs, params);                          \
  }
TW_COLUMNS_FAMILY(f16f16f32_k1_16x8, TW_ELEMENT_F32)
TW_COLUMNS_FAMILY(f16f16f16_k1_16x8, TW_ELEMENT_F16)

#endif  // UKERNELS_X86_64_COLUMNS_H_
