// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the unpacked matmul, out [M][N] (+)= lhs [M][K] * rhs [K][N] of f32
// or f64, all row-major. An element of the rhs is a lane of a vector as it
// lies, and one of the lhs is broadcast from anywhere, so these types need no
// panels. Panels are read along single streams, which large matrices want;
// small ones are quicker without the packing.

#ifndef UKERNELS_UNPACKED_H_
#define UKERNELS_UNPACKED_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pointers are to element [0][0] and need the alignment of one element. Rows
// are the given number of bytes apart, which keeps those of out apart.
typedef struct tw_unpacked_t {
  tw_element_type_t type;  // of all three: TW_ELEMENT_F32 or _F64
  int accumulate;          // whether out is added to, or written without a read
  tw_index_t M, N, K;      // 0 or more
  const char *lhs, *rhs;
  char* out;
  tw_index_t lhs_row, rhs_row, out_row;
  // Bytes between tiles, whose rows are of as many; more where the rhs is
  // packed, in panels [N tiles][K][columns].
  tw_index_t rhs_tile;
} tw_unpacked_t;

// Computes all of it, K from end to end for as many rows and columns as fit the
// registers, row by row of such tiles: the caller sees to it that the rhs stays
// in a near cache. Touches no byte but those of the elements. K of 0 writes
// zeros, or adds them. Each element is the sum of the products in the order of
// k, each fused, to which out is added last.
typedef void (*tw_unpacked_fn_t)(const tw_unpacked_t* u);

// Where rows of out may be divided without a loss: multiples of this.
enum { TW_UNPACKED_COLUMNS = 64 };

// Columns up to the first cache line's that begins at the same one in all rows
// of the rhs; 0 if there is none, or in panels, which all begin alike. Tiles
// that begin there touch as few lines as can be: f32 128x384x384 whose rows
// begin 16 bytes into a line goes from 0.89 to 1.0 of oneMKL's speed,
// 128x384x1536 from 0.70 to 0.88 (Skylake-SP).
static inline int tw_unpacked_columns_to_line(const tw_unpacked_t* u,
                                              tw_index_t tile_bytes) {
  const int size = u->type == TW_ELEMENT_F32 ? 4 : 8;
  const int bytes = (int)(-(uintptr_t)u->rhs % 64);
  return u->rhs_tile == tile_bytes && u->rhs_row % 64 == 0 && bytes % size == 0
             ? bytes / size
             : 0;
}

typedef struct tw_unpacked_variant_t {
  tw_isa_t isa;
  tw_unpacked_fn_t fn;
  tw_index_t tile_bytes;  // of a row of a tile: two vectors
} tw_unpacked_variant_t;

// All there are on this architecture, best first.
const tw_unpacked_variant_t* tw_unpacked_variants(size_t* count);

// The quickest one that `cpu_data` can run; null if there is none.
const tw_unpacked_variant_t* tw_unpacked_find(const uint64_t* cpu_data);

#define TW_UNPACKED_LEVEL(arch_isa, ENUM, tile_bytes) \
  void tw_unpacked_##arch_isa(const tw_unpacked_t* u);
#include "ukernels/matmul_levels.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_UNPACKED_H_
