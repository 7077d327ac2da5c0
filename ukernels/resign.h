// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: bytes of one sign on instructions that multiply one of each.
//
// tw_matmul flips the top bits of the rhs where it packs it: r ^ 0x80 is the
// s8 r plus 128 read as a u8, and the u8 r minus 128 read as an s8. A tile of
// the mixed types then has c times the sum of each row of the lhs too much in
// the elements of that row, and adds the opposite:
//   sums[m] = -c * sum_k lhs[m][k],  c = 128 of s8, -128 of u8
// All of it is exact modulo 2^32. A tile for both operands of one sign does the
// same for itself, once more for each tile, with instructions among its
// multiplies (x86_64/s8_vnni.h). tw_mmt4d, whose operands are packed already,
// adds up the rows of a panel of the lhs once for all tiles that take it.

#ifndef UKERNELS_RESIGN_H_
#define UKERNELS_RESIGN_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// A tile function that adds sums[m] to each element of row m, too.
typedef void (*tw_resign_tile_fn_t)(void* out, const void* lhs, const void* rhs,
                                    const tw_mmt4d_params_t* params,
                                    const int32_t* sums);

typedef struct tw_resign_t {
  tw_isa_t isa;  // of the tiles
  int lanes;     // M0 is at most that many, and N0 a multiple of it
  // Null where there is none of that size: then `add` follows the tile.
  tw_resign_tile_fn_t (*tile)(int M0, int N0, int is_signed);
  // For s8 x s8: flips the top bits of the rhs itself, and multiplies s8 x u8.
  tw_resign_tile_fn_t (*flipping_tile)(int M0, int N0);
  // Flips the top bits of `count` bytes.
  void (*flip)(void* bytes, tw_index_t count);
  // Of a panel [steps][M0][4] of the lhs, of s8 or u8: -c times the sum of each
  // row, in the first M0 of `lanes` elements, all of which are written.
  void (*sum)(const void* panel, tw_index_t steps, int M0, int is_signed,
              int32_t* sums);
  // The same of M0 rows, `row` bytes apart, of `steps` * 4 bytes each. Writes
  // M0 elements.
  void (*sum_rows)(const void* rows, tw_index_t row, tw_index_t steps, int M0,
                   int is_signed, int32_t* sums);
  // Adds sums[m] to each element of row m of out [M0][N0], whose rows are
  // `stride` elements apart.
  void (*add)(void* out, tw_index_t stride, int M0, int N0,
              const int32_t* sums);
} tw_resign_t;

enum { TW_RESIGN_K0 = 4, TW_RESIGN_MOST_LANES = 16 };

// The types of the tiles that multiply `types` so; 0 if these are not bytes of
// one sign.
int tw_resigned_types(tw_type_triple_t types, tw_type_triple_t* mixed);

// How it is done for tiles of `isa`; null if that multiplies bytes of any sign
// alike.
const tw_resign_t* tw_resign_for(tw_isa_t isa);

#define TW_RESIGN_LEVEL(arch_isa, ENUM) \
  extern const tw_resign_t tw_resign_##arch_isa;
#include "ukernels/matmul_levels.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_RESIGN_H_
