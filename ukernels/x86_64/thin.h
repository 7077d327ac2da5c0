// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin matmul's blocks in the vectors of vector_256.h or vector_512.h,
// which come first: f32 sums of a rhs of f32, f16 or bf16, and s32 sums of one
// of s8, u8 or s16, multiplied in pairs along K. Rows of the rhs are read
// TW_THIN_ROWS at a time for one pass over the sums, columns a few side by
// side, so that few enough streams run for the prefetchers and the sums cost
// little.

#ifndef UKERNELS_X86_64_THIN_H_
#define UKERNELS_X86_64_THIN_H_

#include "ukernels/pages.h"
#include "ukernels/thin_body.h"

enum { TW_THIN_ROWS = 8 };

// Unless pages are asked for, asks for what the next pass over the sums reads:
// the prefetchers would begin anew in each row, and rows are as short as 4 KiB.
TW_INLINE void tw_thin_fetch(const tw_thin_block_t* b, const char* at,
                             int rows) {
  if (b->asks_pages) return;
  at += TW_THIN_ROWS * b->rhs_line;
  TW_UNROLL for (int r = 0; r < rows; ++r) {
    _mm_prefetch(at + r * b->rhs_line, _MM_HINT_T0);
  }
}

// Asks for the pages of `count` lines from `line` on.
TW_INLINE void tw_thin_ask(const tw_thin_block_t* b, tw_element_type_t type,
                           tw_index_t line, tw_index_t count) {
  const tw_index_t end = tw_min(line + count, b->rhs_transposed ? b->N : b->K);
  const tw_index_t bytes =
      (b->rhs_transposed ? b->K : b->N) * tw_element_bits(type) / 8;
  for (; line < end; ++line)
    tw_ask_for_pages(b->rhs + line * b->rhs_line, bytes);
}

// Vectors of columns side by side by the rows of lhs: chains of additions for
// the latency, accumulators for the registers.
TW_INLINE int tw_thin_dot_columns(int M) { return M <= 2 ? 4 : 2; }
TW_INLINE int tw_thin_dot_sets(int M) { return M == 1 ? 2 : 1; }

// ---- f32 --------------------------------------------------------------------

TW_INLINE tw_vf32 tw_thin_load_f32(tw_element_type_t type, const char* p) {
  return type == TW_ELEMENT_F16    ? tw_f32_from_f16(p)
         : type == TW_ELEMENT_BF16 ? tw_f32_load_bf16(p)
                                   : tw_f32_load(p);
}

TW_INLINE float tw_thin_load_one_f32(tw_element_type_t type, const char* p) {
  if (type == TW_ELEMENT_F16) return tw_f32_from_one_f16(p);
  if (type == TW_ELEMENT_F32) return *(const tw_any_f32_t*)p;
  const tw_any_i16_t* bits = (const tw_any_i16_t*)p;
  return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(*bits * 65536)));
}

// Where no whole vector is left, once for all M: columns [n, N) of such rows,
// and element m of such a product.
static __attribute__((noinline)) void tw_thin_rest_of_rows_f32(
    const tw_thin_block_t* b, tw_element_type_t type, int rows, tw_index_t k,
    tw_index_t n) {
  const int size = type == TW_ELEMENT_F32 ? 4 : 2;
  const char* rhs = b->rhs + k * b->rhs_line;
  TW_NO_UNROLL for (; n < b->N; ++n) {
    TW_NO_UNROLL for (int m = 0; m < b->M; ++m) {
      const tw_any_f32_t* lhs =
          (const tw_any_f32_t*)(b->lhs + m * b->lhs_row) + k;
      tw_any_f32_t* sum = (tw_any_f32_t*)(b->sums + m * b->sums_row) + n;
      TW_NO_UNROLL for (int r = 0; r < rows; ++r) {
        *sum += lhs[r] *
                tw_thin_load_one_f32(type, rhs + r * b->rhs_line + n * size);
      }
    }
  }
}

static __attribute__((noinline)) float tw_thin_rest_of_dot_f32(
    const tw_thin_block_t* b, tw_element_type_t type, int m, tw_index_t n,
    tw_index_t k) {
  const int size = type == TW_ELEMENT_F32 ? 4 : 2;
  const tw_any_f32_t* lhs = (const tw_any_f32_t*)(b->lhs + m * b->lhs_row);
  const char* rhs = b->rhs + n * b->rhs_line;
  float sum = 0;
  TW_NO_UNROLL for (; k < b->K; ++k) {
    sum += lhs[k] * tw_thin_load_one_f32(type, rhs + k * size);
  }
  return sum;
}

// Adds rows [k, k + rows) of the rhs [K][N].
TW_INLINE void tw_thin_add_rows_f32(const tw_thin_block_t* b,
                                    tw_element_type_t type, int M, int rows,
                                    tw_index_t k) {
  const int size = type == TW_ELEMENT_F32 ? 4 : 2;
  const tw_index_t line = b->rhs_line, lhs_row = b->lhs_row / 4;
  const char* rhs = b->rhs + k * line;
  const tw_any_f32_t* lhs = (const tw_any_f32_t*)b->lhs + k;
  tw_index_t n = 0;
  for (; n + TW_LANES <= b->N; n += TW_LANES) {
    tw_vf32 sum[TW_THIN_MOST_ROWS];
    tw_thin_fetch(b, rhs + n * size, rows);
    TW_UNROLL for (int m = 0; m < M; ++m) {
      sum[m] = tw_f32_load(b->sums + m * b->sums_row + n * 4);
    }
    TW_UNROLL for (int r = 0; r < rows; ++r) {
      const tw_vf32 x = tw_thin_load_f32(type, rhs + r * line + n * size);
      TW_UNROLL for (int m = 0; m < M; ++m) {
        sum[m] = tw_f32_fma(tw_f32_splat(lhs + m * lhs_row + r), x, sum[m]);
      }
    }
    TW_UNROLL for (int m = 0; m < M; ++m) {
      tw_f32_store(b->sums + m * b->sums_row + n * 4, sum[m]);
    }
  }
  if (n < b->N) tw_thin_rest_of_rows_f32(b, type, rows, k, n);
}

// Columns [n, n + columns) of a rhs [N][K].
TW_INLINE void tw_thin_dot_f32(const tw_thin_block_t* b, tw_element_type_t type,
                               int M, int columns, tw_index_t n) {
  const int size = type == TW_ELEMENT_F32 ? 4 : 2;
  const int sets = tw_thin_dot_sets(M);
  const tw_index_t line = b->rhs_line, lhs_row = b->lhs_row / 4;
  const char* rhs = b->rhs + n * line;
  const tw_any_f32_t* lhs = (const tw_any_f32_t*)b->lhs;
  // sum[set][m][column]
  tw_vf32 sum[2 * 2 * TW_THIN_MOST_ROWS];
  TW_UNROLL for (int i = 0; i < sets * M * columns; ++i) {
    sum[i] = tw_f32_zero();
  }
  tw_index_t k = 0;
  for (; k + sets * TW_LANES <= b->K; k += sets * TW_LANES) {
    TW_UNROLL for (int s = 0; s < sets; ++s) {
      tw_vf32 a[TW_THIN_MOST_ROWS];
      TW_UNROLL for (int m = 0; m < M; ++m) {
        a[m] = tw_f32_load(lhs + m * lhs_row + k + s * TW_LANES);
      }
      TW_UNROLL for (int c = 0; c < columns; ++c) {
        const tw_vf32 x =
            tw_thin_load_f32(type, rhs + c * line + (k + s * TW_LANES) * size);
        TW_UNROLL for (int m = 0; m < M; ++m) {
          const int i = (s * M + m) * columns + c;
          sum[i] = tw_f32_fma(a[m], x, sum[i]);
        }
      }
    }
  }
  TW_UNROLL for (int c = 0; c < columns; ++c) {
    TW_UNROLL for (int m = 0; m < M; ++m) {
      const int i = m * columns + c;
      float total = tw_f32_sum(
          sets == 2 ? tw_f32_add(sum[i], sum[M * columns + i]) : sum[i]);
      if (k < b->K) total += tw_thin_rest_of_dot_f32(b, type, m, n + c, k);
      ((tw_any_f32_t*)(b->sums + m * b->sums_row))[n + c] += total;
    }
  }
}

// ---- s32 --------------------------------------------------------------------

TW_INLINE tw_vi32 tw_thin_load_s16(tw_element_type_t type, const char* p) {
  return type == TW_ELEMENT_S8   ? tw_s16_from_s8(p)
         : type == TW_ELEMENT_U8 ? tw_s16_from_u8(p)
                                 : tw_i32_load(p);
}

TW_INLINE int32_t tw_thin_load_one_s16(tw_element_type_t type, const char* p) {
  return type == TW_ELEMENT_S8   ? *(const tw_any_i8_t*)p
         : type == TW_ELEMENT_U8 ? *(const uint8_t*)p
                                 : *(const tw_any_i16_t*)p;
}

static __attribute__((noinline)) void tw_thin_rest_of_rows_s16(
    const tw_thin_block_t* b, tw_element_type_t type, int rows, tw_index_t k,
    tw_index_t n) {
  const int size = type == TW_ELEMENT_S16 ? 2 : 1;
  const char* rhs = b->rhs + k * b->rhs_line;
  TW_NO_UNROLL for (; n < b->N; ++n) {
    TW_NO_UNROLL for (int m = 0; m < b->M; ++m) {
      const tw_any_i16_t* lhs =
          (const tw_any_i16_t*)(b->lhs + m * b->lhs_row) + k;
      tw_any_u32_t* sum = (tw_any_u32_t*)(b->sums + m * b->sums_row) + n;
      TW_NO_UNROLL for (int r = 0; r < rows; ++r) {
        *sum +=
            (uint32_t)(lhs[r] * tw_thin_load_one_s16(
                                    type, rhs + r * b->rhs_line + n * size));
      }
    }
  }
}

static __attribute__((noinline)) uint32_t
tw_thin_rest_of_dot_s16(const tw_thin_block_t* b, tw_element_type_t type, int m,
                        tw_index_t n, tw_index_t k) {
  const int size = type == TW_ELEMENT_S16 ? 2 : 1;
  const tw_any_i16_t* lhs = (const tw_any_i16_t*)(b->lhs + m * b->lhs_row);
  const char* rhs = b->rhs + n * b->rhs_line;
  uint32_t sum = 0;
  TW_NO_UNROLL for (; k < b->K; ++k) {
    sum += (uint32_t)(lhs[k] * tw_thin_load_one_s16(type, rhs + k * size));
  }
  return sum;
}

// A single row is paired with zeros.
TW_INLINE void tw_thin_add_rows_s16(const tw_thin_block_t* b,
                                    tw_element_type_t type, int M, int rows,
                                    tw_index_t k) {
  const int size = type == TW_ELEMENT_S16 ? 2 : 1;
  const tw_index_t line = b->rhs_line, lhs_row = b->lhs_row / 2;
  const char* rhs = b->rhs + k * line;
  const tw_any_i16_t* lhs = (const tw_any_i16_t*)b->lhs + k;
  const int pairs = (rows + 1) / 2;
  tw_index_t n = 0;
  for (; n + 2 * TW_LANES <= b->N; n += 2 * TW_LANES) {
    tw_vi32 low[TW_THIN_MOST_ROWS], high[TW_THIN_MOST_ROWS];
    tw_thin_fetch(b, rhs + n * size, rows);
    TW_UNROLL for (int m = 0; m < M; ++m) {
      const char* sums = b->sums + m * b->sums_row + n * 4;
      tw_i32_split(tw_i32_load(sums), tw_i32_load(sums + TW_LANES * 4), &low[m],
                   &high[m]);
    }
    TW_UNROLL for (int p = 0; p < pairs; ++p) {
      const char* row = rhs + 2 * p * line + n * size;
      const tw_vi32 x0 = tw_thin_load_s16(type, row);
      const tw_vi32 x1 =
          rows == 1 ? tw_i32_zero() : tw_thin_load_s16(type, row + line);
      tw_vi32 x_low, x_high;
      tw_s16_pair_up(x0, x1, &x_low, &x_high);
      TW_UNROLL for (int m = 0; m < M; ++m) {
        const tw_any_i16_t* a = lhs + m * lhs_row + 2 * p;
        const int32_t single = rows == 1 ? (uint16_t)*a : 0;
        const tw_vi32 l = tw_i32_splat(rows == 1 ? (const void*)&single : a);
        low[m] = tw_i32_add(low[m], tw_i32_madd(l, x_low));
        high[m] = tw_i32_add(high[m], tw_i32_madd(l, x_high));
      }
    }
    TW_UNROLL for (int m = 0; m < M; ++m) {
      char* sums = b->sums + m * b->sums_row + n * 4;
      tw_vi32 v0, v1;
      tw_i32_join(low[m], high[m], &v0, &v1);
      tw_i32_store(sums, v0);
      tw_i32_store(sums + TW_LANES * 4, v1);
    }
  }
  if (n < b->N) tw_thin_rest_of_rows_s16(b, type, rows, k, n);
}

TW_INLINE void tw_thin_dot_s16(const tw_thin_block_t* b, tw_element_type_t type,
                               int M, int columns, tw_index_t n) {
  const int size = type == TW_ELEMENT_S16 ? 2 : 1;
  const tw_index_t line = b->rhs_line, lhs_row = b->lhs_row / 2;
  const char* rhs = b->rhs + n * line;
  const tw_any_i16_t* lhs = (const tw_any_i16_t*)b->lhs;
  tw_vi32 sum[2 * TW_THIN_MOST_ROWS];  // sum[m][column]
  TW_UNROLL for (int i = 0; i < M * columns; ++i) { sum[i] = tw_i32_zero(); }
  tw_index_t k = 0;
  for (; k + 2 * TW_LANES <= b->K; k += 2 * TW_LANES) {
    TW_UNROLL for (int c = 0; c < columns; ++c) {
      const tw_vi32 x = tw_thin_load_s16(type, rhs + c * line + k * size);
      TW_UNROLL for (int m = 0; m < M; ++m) {
        const tw_vi32 a = tw_i32_load(lhs + m * lhs_row + k);
        const int i = m * columns + c;
        sum[i] = tw_i32_add(sum[i], tw_i32_madd(a, x));
      }
    }
  }
  TW_UNROLL for (int c = 0; c < columns; ++c) {
    TW_UNROLL for (int m = 0; m < M; ++m) {
      uint32_t total = tw_i32_sum(sum[m * columns + c]);
      if (k < b->K) total += tw_thin_rest_of_dot_s16(b, type, m, n + c, k);
      ((tw_any_u32_t*)(b->sums + m * b->sums_row))[n + c] += total;
    }
  }
}

// ---- Blocks -----------------------------------------------------------------

TW_INLINE int tw_thin_is_float(tw_element_type_t type) {
  return type == TW_ELEMENT_F32 || type == TW_ELEMENT_F16 ||
         type == TW_ELEMENT_BF16;
}

TW_INLINE void tw_thin_add_rows(const tw_thin_block_t* b,
                                tw_element_type_t type, int M, int rows,
                                tw_index_t k) {
  if (tw_thin_is_float(type))
    tw_thin_add_rows_f32(b, type, M, rows, k);
  else
    tw_thin_add_rows_s16(b, type, M, rows, k);
}

TW_INLINE void tw_thin_dot(const tw_thin_block_t* b, tw_element_type_t type,
                           int M, int columns, tw_index_t n) {
  if (tw_thin_is_float(type))
    tw_thin_dot_f32(b, type, M, columns, n);
  else
    tw_thin_dot_s16(b, type, M, columns, n);
}

// Row m of the lhs.
TW_INLINE tw_thin_block_t tw_thin_row(const tw_thin_block_t* b, int m) {
  tw_thin_block_t row = *b;
  row.M = 1;
  row.lhs += m * b->lhs_row;
  row.sums += m * b->sums_row;
  return row;
}

// Groups of rows or columns of the rhs for all rows of the lhs at once. Returns
// how many are done.
TW_INLINE tw_index_t tw_thin_groups(const tw_thin_block_t* b,
                                    tw_element_type_t type, int M) {
  tw_index_t i = 0;
  if (b->rhs_transposed) {
    const int columns = tw_thin_dot_columns(M);
    for (; i + columns <= b->N; i += columns) {
      tw_thin_ask(b, type, i + columns, columns);
      tw_thin_dot(b, type, M, columns, i);
    }
  } else {
    for (; i + TW_THIN_ROWS <= b->K; i += TW_THIN_ROWS) {
      if (b->asks_pages)
        tw_thin_ask(b, type, i + 2 * TW_THIN_ROWS, TW_THIN_ROWS);
      tw_thin_add_rows(b, type, M, TW_THIN_ROWS, i);
    }
  }
  return i;
}

// The last few rows or columns one by one.
TW_INLINE void tw_thin_multiply(const tw_thin_block_t* b,
                                tw_element_type_t type) {
  const tw_index_t done = b->M == 1   ? tw_thin_groups(b, type, 1)
                          : b->M == 2 ? tw_thin_groups(b, type, 2)
                          : b->M == 3 ? tw_thin_groups(b, type, 3)
                                      : tw_thin_groups(b, type, 4);
  const tw_index_t lines = b->rhs_transposed ? b->N : b->K;
  for (tw_index_t i = done; i < lines; ++i)
    for (int m = 0; m < b->M; ++m) {
      const tw_thin_block_t row = tw_thin_row(b, m);
      if (b->rhs_transposed)
        tw_thin_dot(&row, type, 1, 1, i);
      else
        tw_thin_add_rows(&row, type, 1, 1, i);
    }
}

#define TW_THIN_MULTIPLY(name, TYPE) \
  static void name(const tw_thin_block_t* b) { tw_thin_multiply(b, TYPE); }
TW_THIN_MULTIPLY(tw_thin_multiply_f32, TW_ELEMENT_F32)
TW_THIN_MULTIPLY(tw_thin_multiply_f16, TW_ELEMENT_F16)
TW_THIN_MULTIPLY(tw_thin_multiply_bf16, TW_ELEMENT_BF16)
TW_THIN_MULTIPLY(tw_thin_multiply_s8, TW_ELEMENT_S8)
TW_THIN_MULTIPLY(tw_thin_multiply_u8, TW_ELEMENT_U8)
TW_THIN_MULTIPLY(tw_thin_multiply_s16, TW_ELEMENT_S16)

static int tw_thin_native(const tw_thin_block_t* block,
                          tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F32:
      tw_thin_multiply_f32(block);
      return 1;
    case TW_ELEMENT_F16:
      tw_thin_multiply_f16(block);
      return 1;
    case TW_ELEMENT_BF16:
      tw_thin_multiply_bf16(block);
      return 1;
    case TW_ELEMENT_S8:
      tw_thin_multiply_s8(block);
      return 1;
    case TW_ELEMENT_U8:
      tw_thin_multiply_u8(block);
      return 1;
    case TW_ELEMENT_S16:
      tw_thin_multiply_s16(block);
      return 1;
    default:
      return tw_thin_wide(block, type);
  }
}

#endif  // UKERNELS_X86_64_THIN_H_
