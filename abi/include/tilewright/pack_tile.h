// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack functions: tw_pack and tw_unpack for one layout. Freestanding. Like a
// tile function (tile.h), one is asked for by name, by declaring and calling
// it:
//
//   tw_pack_tile_<bits>_<orientation>_<R0>x<C0>_<isa>
//   tw_unpack_tile_<bits>_<orientation>_<R0>x<C0>_<isa>
//
// for example
//
//   void tw_pack_tile_32_cols_32x1_x86_64_avx512_base(
//       void *packed, const void *matrix, const tw_pack_tile_params_t *params);
//
// <bits> of an element: 4, 8, 16, 32 or 64. Elements are moved, not looked at:
// f32 and s32 are the same here. <orientation> says what a line of the matrix
// is, elements that follow each other in memory: `rows`, its rows, or `cols`,
// its columns; the latter is what TW_PACK_FLAG_TRANSPOSE says. <R0>x<C0> are
// the rows and columns of a tile, both in 1..1024; R0*C0 elements must fill
// whole bytes. <isa> is a row of isas.def, of a CPU or `generic`.
//
// The panels of the lhs of tw_mmt4d_tile_<types>_<M0>x<N0>x<K0>_<isa> are
// packed by <M0>x<K0>, `rows` from [M][K] and `cols` from [K][M]; those of the
// rhs by <N0>x<K0>, `rows` from [N][K] and `cols` from [K][N].

#ifndef TILEWRIGHT_PACK_TILE_H_
#define TILEWRIGHT_PACK_TILE_H_

#include <stdint.h>

#include "tilewright/index.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is packed, or unpacked: whole rows of tiles. Sizes and strides count
// elements. rows at byte 0, cols at 8, matrix_stride at 16, outer_rows at 24,
// outer_cols at 32, padding at 40, flags at 48, size 56 (tests/abi pins all of
// them).
typedef struct tw_pack_tile_params_t {
  // Of the matrix: 0 or more, and at most outer_rows * R0 and outer_cols * C0.
  tw_index_t rows;
  tw_index_t cols;
  // Between lines of the matrix: at least as many as a line has. Even for 4-bit
  // elements, whose lines begin on a byte.
  tw_index_t matrix_stride;
  // Tiles. 0 or more.
  tw_index_t outer_rows;
  tw_index_t outer_cols;
  // The bits that are packed where a tile has an element and the matrix has
  // none, in the low bits. Unpack does not read them.
  uint64_t padding;
  // 0. What later versions read behind this they will announce here.
  uint64_t flags;
} tw_pack_tile_params_t;

// For ro in [0, outer_rows), co in [0, outer_cols), r in [0, R0), c in [0, C0),
// with row = ro * R0 + r and col = co * C0 + c:
//
//   packed[((ro * outer_cols + co) * R0 + r) * C0 + c] =
//       matrix[row * matrix_stride + col]    `rows`, row < rows and col < cols
//       matrix[col * matrix_stride + row]    `cols`, row < rows and col < cols
//       padding                              elsewhere
//
// Element i of 4 bits is in byte i / 2, the even one in the low half. Pointers
// need only their element's alignment (bytes, for 4 bits). Reads no byte of the
// matrix but those of elements above and writes none of `packed` but those of
// tiles. The two may not overlap. Does not allocate, lock or touch thread-local
// state, and calls nothing but memcpy, memmove and memset. Nothing is checked
// and nothing can fail: tw_pack checks.
typedef void (*tw_pack_tile_fn_t)(void* packed, const void* matrix,
                                  const tw_pack_tile_params_t* params);

// The same assignments from right to left, for elements of the matrix: padding
// is not read, and no byte of the matrix but those of its elements is written.
// Of 4-bit elements the other half of a line's last byte stays.
typedef void (*tw_unpack_tile_fn_t)(void* matrix, const void* packed,
                                    const tw_pack_tile_params_t* params);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_PACK_TILE_H_
