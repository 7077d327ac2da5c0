// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the choice between tiles, for tiles that need not be linked in nor
// be for the architecture that this library runs on.

#ifndef UKERNELS_QUERY_H_
#define UKERNELS_QUERY_H_

#include "tilewright/tilewright.h"
#include "ukernels/measured.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tiles to choose from, all of one architecture.
typedef struct tw_tile_keys_t {
  size_t count;
  // Fills *key for tile i, or returns 0 if there is none to consider.
  int (*get)(const void* self, size_t i, tw_tile_key_t* key);
  const void* self;
  // Whether those of the variant `vnni`, whose rhs is packed otherwise, are to
  // choose from as well: 0 or 1.
  int with_vnni;
  // Whether rows of M that are left over may go to a tile of fewer rows: 0 or
  // 1.
  int mixes_rows;
  // On the core of the cpu_data that is asked for.
  tw_measured_tiles_t measured;
} tw_tile_keys_t;

typedef struct tw_tile_choice_t {
  size_t index;           // of tw_tile_keys_t::get
  tw_tile_sizes_t sizes;  // without scalable sizes
  // Of the tile for the last M % M0 rows, where that is another one: of the
  // same ISA, N0, K0 and layout. Otherwise `index`.
  size_t last;
  // What would have been chosen for a core that is not known. Where that is
  // another tile, core_rates.def or a measurement decided.
  size_t index_without_core;
} tw_tile_choice_t;

// Chooses the tile with which a matmul [M][K] x [K][N] of `types` is cheapest
// on cpu_data; a negative M or N means unknown (large). Tiles that cpu_data
// lacks a feature or the vector length for, and those of the variant `steprnd`,
// are left out. Returns 0, with *choice untouched, if none is left.
int tw_choose_tile(const tw_tile_keys_t* keys, tw_type_triple_t types,
                   tw_index_t M, tw_index_t N, const uint64_t* cpu_data,
                   tw_tile_choice_t* choice);

// Whether tiles of both keys, of these sizes, take the same panels of the rhs
// on the same instruction set.
int tw_have_same_panels(const tw_tile_key_t* a, const tw_tile_sizes_t* a_sizes,
                        const tw_tile_key_t* b, const tw_tile_sizes_t* b_sizes);

// What is known of `key` for matmuls of M rows, if it was measured to be
// quicker than what would be chosen otherwise; else null.
const tw_measured_tile_t* tw_measured_tile_of(
    const tw_measured_tiles_t* measured, const tw_tile_key_t* key,
    tw_index_t M);

// What tw_choose_tile weighs where nothing was measured: the cost of the tile
// where vectors have `vector_bits` bits, in fmla-like instructions per element
// of K.
double tw_tile_cost(const tw_tile_key_t* key, int vector_bits, tw_index_t M,
                    tw_index_t N, const uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_QUERY_H_
