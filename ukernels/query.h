// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the choice between tiles, for tiles that need not be linked in nor
// be for the architecture that this library runs on.

#ifndef UKERNELS_QUERY_H_
#define UKERNELS_QUERY_H_

#include "tilewright/tilewright.h"
#include "ukernels/measured.h"
#include "ukernels/multiply.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a tile is chosen for: a matmul [M][K] x [K][N] of `types` on cpu_data; a
// negative M or N means unknown (large).
typedef struct tw_tile_question_t {
  tw_type_triple_t types;
  tw_index_t M, N;
  const uint64_t* cpu_data;
  // Whether tiles of the variant `vnni`, whose rhs is packed otherwise, are to
  // choose from as well: 0 or 1.
  int with_vnni;
  // Whether rows of M that are left over may go to a tile of fewer rows: 0 or
  // 1.
  int mixes_rows;
  // Whether the rhs is known to stay in L2 from one row of tiles to the next: 0
  // or 1.
  int is_near;
  // On the core of cpu_data.
  tw_measured_tiles_t measured;
} tw_tile_question_t;

typedef struct tw_tile_choice_t {
  size_t index;           // of the tile
  tw_tile_sizes_t sizes;  // without scalable sizes
  // Of the tile for the last M % M0 rows, where that is another one: of the
  // same ISA, N0, K0 and layout. Otherwise `index`.
  size_t last;
} tw_tile_choice_t;

// Chooses, of tiles of one architecture, the one with which the matmul is
// cheapest. Tiles that cpu_data lacks a feature or the vector length for, those
// of other types and of the variant `steprnd` are left out. Returns 0, with
// *choice untouched, if none is left.
int tw_choose_tile(const tw_tile_question_t* question,
                   const tw_tile_key_t* keys, size_t count,
                   tw_tile_choice_t* choice);

// ---- The same, a tile at a time ---------------------------------------------

// What is looked up for one tile and holds for the next: most have the same
// instruction. Begins as {0}.
typedef struct tw_cost_memo_t {
  tw_step_memo_t step;
  tw_instruction_t instruction;
  double rate;  // of it, on the one cpu_data that is asked for
} tw_cost_memo_t;

// A tile that can run, weighed.
typedef struct tw_weighed_t {
  size_t index;
  tw_tile_key_t key;
  tw_tile_sizes_t sizes;
  double row;      // the cost of one row of tiles
  double vectors;  // of the rhs that a row of tiles loads for an element of K
  double from_l2;  // the multiplies in whose time these come from L2
  double rows;     // of tiles
} tw_weighed_t;

// Those to mix rows of: as many rows as a triple has on one CPU, by far. Of
// more the later ones have their tiles to themselves.
enum { TW_MOST_MIXED = 128 };

typedef struct tw_choosing_t {
  const tw_tile_question_t* question;
  const tw_measured_tile_t* measured;  // for the question; may be null
  double multiplies_a_vector;          // in whose time one comes from L2
  tw_cost_memo_t memo;
  int found;
  tw_weighed_t chosen;
  size_t to_mix_count;
  tw_weighed_t to_mix[TW_MOST_MIXED];
} tw_choosing_t;

// The question must stay where it is until the end.
void tw_begin_choosing(tw_choosing_t* c, const tw_tile_question_t* question);
// Tile `index` has `key`.
void tw_weigh_tile(tw_choosing_t* c, size_t index, const tw_tile_key_t* key);
// As tw_choose_tile, of the tiles weighed.
int tw_end_choosing(const tw_choosing_t* c, tw_tile_choice_t* choice);

// ---- What choices are made by -----------------------------------------------

// Whether tiles of both keys, of these sizes, take the same panels of the rhs
// on the same instruction set.
int tw_have_same_panels(const tw_tile_key_t* a, const tw_tile_sizes_t* a_sizes,
                        const tw_tile_key_t* b, const tw_tile_sizes_t* b_sizes);

// What tw_choose_tile weighs where nothing was measured: the cost of the tile
// where vectors have `vector_bits` bits, in fmla-like instructions per element
// of K.
double tw_tile_cost(const tw_tile_key_t* key, int vector_bits, tw_index_t M,
                    tw_index_t N, const uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_QUERY_H_
