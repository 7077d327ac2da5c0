// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the thin matmul, out [M][N] (+)= lhs [M][K] * rhs [K][N] with M of
// at most TW_THIN_MOST_ROWS. Every element of the rhs serves so few
// multiplications that packing it would cost more than they do: it is read
// where it lies, once, at the speed of the memory.

#ifndef UKERNELS_THIN_H_
#define UKERNELS_THIN_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TW_THIN_MOST_ROWS = 4,
  // Ranges of columns begin at multiples of this.
  TW_THIN_COLUMNS = 64,
};

// Strides count elements; they may be anything that keeps the elements of out
// apart. Pointers are to element [0][0] and need the alignment of one element
// (a byte for 4-bit types) only. The caller has checked all of it.
typedef struct tw_thin_t {
  tw_type_triple_t types;  // one that tw_thin_supports
  int accumulate;          // whether out is added to, or written without a read
  tw_index_t M, N, K;      // M in 1..TW_THIN_MOST_ROWS; N, K of 0 or more
  // Element [m][k] is at index m * lhs_stride_m + k * lhs_stride_k. Of 4-bit
  // types, as everywhere, element i is the low half of byte i/2 for even i.
  const void* lhs;
  tw_index_t lhs_stride_m, lhs_stride_k;
  // Lines of contiguous elements, rhs_stride apart (even for 4-bit types): rows
  // [K][N], or with rhs_transposed columns, [N][K].
  const void* rhs;
  tw_index_t rhs_stride;
  int rhs_transposed;
  // How rows of the rhs are asked for ahead of time: their pages, or all of
  // their cache lines. The former is quicker on some cores (tw_core_asks_pages
  // of core.h).
  int asks_pages;
  // Element [m][n] is at index m * out_stride_m + n * out_stride_n.
  void* out;
  tw_index_t out_stride_m, out_stride_n;
} tw_thin_t;

// Computes columns [n_begin, n_end) of out: n_begin a multiple of
// TW_THIN_COLUMNS, n_end at most N. Calls for ranges that do not overlap may
// run at the same time.
//
// Reads no byte of lhs and rhs but those of the elements asked for, and none of
// out without `accumulate`. K of 0 writes zeros, or nothing with `accumulate`.
// Numerics are those of a tile (tilewright/tile.h), with bf16 denormals kept;
// f16 and bf16 outputs are rounded once. Takes less than 48 KiB of stack, and
// allocates nothing.
typedef void (*tw_thin_fn_t)(const tw_thin_t* thin, tw_index_t n_begin,
                             tw_index_t n_end);

// Whether there is a thin matmul of `types`: of all but those with operands of
// 6 bits, of which single elements have no address. 0 or 1.
int tw_thin_supports(unsigned types);

// The quickest one that `cpu_data` can run (null: this CPU). Never null.
tw_thin_fn_t tw_thin_find(const uint64_t* cpu_data);

// All there are on this architecture, best first; the last one is portable.
typedef struct tw_thin_variant_t {
  tw_isa_t isa;
  tw_thin_fn_t fn;
} tw_thin_variant_t;
const tw_thin_variant_t* tw_thin_variants(size_t* count);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_THIN_H_
