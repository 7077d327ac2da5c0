// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what tw_matmul does for a call: which tile, which blocks, which
// tasks, and where everything lies in the workspace.

#ifndef UKERNELS_MATMUL_PLAN_H_
#define UKERNELS_MATMUL_PLAN_H_

#include "tilewright/contraction.h"
#include "tilewright/matmul.h"
#include "ukernels/core.h"
#include "ukernels/element.h"
#include "ukernels/in_place.h"
#include "ukernels/index.h"
#include "ukernels/matmul_check.h"
#include "ukernels/resign.h"
#include "ukernels/zip_groups.h"

// A tile function, of the panels that its tw_matmul_tile_t says.
typedef struct tw_matmul_body_t {
  tw_mmt4d_tile_fn_t fn;
  tw_resign_tile_fn_t resign_fn;  // instead of `fn` where the rhs is flipped;
                                  // may be null
  tw_in_place_fn_t in_place;      // of a lhs that is not packed; may be null
  tw_index_t M0;
  const char* name;  // "generic" for the fallback
} tw_matmul_body_t;

// The tile of a matmul.
typedef struct tw_matmul_tile_t {
  tw_matmul_body_t body;
  // Of the last row of tiles, which may have fewer rows; else the same.
  tw_matmul_body_t last;
  // Of the panels and of what the tile stores: an accumulator type.
  tw_type_triple_t value;
  tw_triple_t types;
  tw_tile_sizes_t sizes;
  // Not null where `types` are those of a rhs whose top bits are flipped.
  const tw_resign_t* resign;
  // Packs groups of 4 bytes on this CPU (pack.h); may be null.
  tw_zip_groups_fn_t zip_groups;
  int vnni;      // whether rhs panels are in groups along K
  tw_isa_t isa;  // TW_ISA_GENERIC for the fallback
} tw_matmul_tile_t;

// What a tile is chosen for: M x N x K (M of -1: of any M) on cpu_data, whose
// caches are these; `panels`, if not null, gives its types, N0, K0 and layout.
typedef struct tw_matmul_question_t {
  tw_index_t M, N, K;
  const uint64_t* cpu_data;
  const tw_caches_t* caches;
  const tw_prepacked_t* panels;
} tw_matmul_question_t;

// The tile with which a matmul of the triple `value` is cheapest, of its own or
// of widened types. Returns 0 if there is none; `fallback`: then the portable
// one.
int tw_choose_matmul_tile(tw_type_triple_t value,
                          const tw_matmul_question_t* question, int fallback,
                          tw_matmul_tile_t* tile);

// A side of the multiplication, as it is packed.
typedef struct tw_matmul_side_t {
  tw_element_type_t from, type;  // as it lies in memory; in the panels
  int transpose;                 // as TW_PACK_FLAG_TRANSPOSE has it
  tw_index_t rows;               // M or N
  tw_index_t first;              // the row at which the first tile begins
  tw_index_t stride;
  // Instead of `transpose` and `stride`, unless it is null.
  const tw_gather_t* gather;
  // Packs tiles of a matrix whose elements are those of the panels. Null:
  // tw_pack_matrix does.
  tw_pack_tile_fn_t pack;
  tw_index_t tile_rows, tile_cols;  // M0 or N0; K0
  // Columns that a tile has beside those of its other rows: K0, or those of a
  // group of the variant `vnni`.
  tw_index_t group;
  tw_zip_groups_fn_t zip_groups;  // the tile's
  // Not null: top bits are flipped.
  const tw_resign_t* resign;
  // Whether groups are only how a tile is packed: those of a row are brought
  // together then.
  int regroups;
  tw_index_t tiles;  // rows of tiles
  tw_index_t step;   // bytes of a tile: one K step
  tw_index_t block;  // tiles that are packed at a time
  tw_index_t part;   // tiles of a task, the last one's may be
                     // fewer
  tw_index_t parts;
} tw_matmul_side_t;

typedef struct tw_matmul_plan_t {
  tw_matmul_tile_t tile;
  int has_epilogue;       // which reads out block by block
  tw_element_type_t out;  // the type of out
  tw_matmul_side_t lhs, rhs;
  // Whether rows of the lhs are multiplied where they lie.
  int in_place;
  // The row of tiles of lhs that is packed by itself, for tile.last, as a side
  // of its own: of another tile, or of rows that are not whole and not in
  // place. -1 and the lhs if there is none.
  tw_index_t last_at;
  tw_matmul_side_t last;
  tw_index_t K, k_steps;
  tw_index_t chunk;  // K steps that are packed at a time, and of a tile call
  // Whether a task has one block of the lhs, which is packed once for each
  // chunk: chunks are its outermost loop then.
  int lhs_once;
  // Tiles of the rhs that a row of tiles of a block passes over before the next
  // row does.
  tw_index_t group;
  // Whether a few rows of tiles read the panels of a block of a prepacked rhs
  // side by side: tile calls take a slice of each in turn.
  int streams;
  uint32_t rhs_far;  // flags of calls of the first row of tiles
  int lhs_far;       // whether tiles ask for a packed lhs: tw_ask_for_part
  int asks_panels;   // or for the next block's panels: tw_ask_for_panels
  int short_k;       // whether blocks of out have no bound: tw_is_short_k
  // Where tiles can store into out itself. Otherwise a block goes to the
  // workspace first, to be rounded or transposed.
  int direct;
  // Bytes of a task's workspace, and where its parts begin.
  tw_index_t rhs_at, out_at, tile_at, sums_at, wide_at, slice;
} tw_matmul_plan_t;

// Plans what tw_check_matmul has passed, but for M or N of 0; `types` are those
// of params->flags. Otherwise fills *fault.
tw_status_t tw_plan_matmul(const tw_matmul_params_t* params,
                           const tw_triple_t* types, const uint64_t* cpu_data,
                           tw_matmul_plan_t* plan, tw_fault_t* fault);

// Gives a side whose rows and types are known the tile size of its panels.
void tw_set_side_tile(tw_matmul_side_t* side, tw_index_t rows, tw_index_t cols);

// Plans tasks, at most `threads`, blocks and workspace: all that follows from
// the tile, the types, the sides' tiles, K and whether tiles store `direct`ly.
// A rhs is `prepacked` if its panels are the caller's.
void tw_plan_blocks(tw_matmul_plan_t* plan, tw_index_t threads, int prepacked,
                    const tw_caches_t* caches);

// A model does not ask what the CPU has, but may know what it is.
static inline tw_caches_t tw_caches_of_model(const tw_known_core_t* core) {
  if (core->l2_kib == 0) return (tw_caches_t){32 << 10, 1 << 20, 1, 1, 1, 1, 0};
  return (tw_caches_t){(tw_index_t)core->l1_kib << 10,
                       (tw_index_t)core->l2_kib << 10,
                       core->streams,
                       core->stream_rows,
                       core->stream_tiles,
                       core->stream_caches,
                       core->slow_l3};
}

// The plan of a matmul on plan->tile, which is set, as has_epilogue is;
// `gather`: null, or how its lhs lies.
void tw_plan_with_tile(const tw_matmul_params_t* params,
                       const tw_triple_t* types, const tw_gather_t* gather,
                       const tw_caches_t* caches, tw_matmul_plan_t* plan);

// Whether packing the side wants a scratch: for what is widened, filled up,
// brought together or copied first.
static inline int tw_wants_scratch(const tw_matmul_side_t* side) {
  return side->transpose || side->gather || side->from != side->type ||
         side->regroups;
}

// The side of a rhs, but for what depends on blocks and tasks.
tw_matmul_side_t tw_rhs_side(const tw_matmul_params_t* params,
                             const tw_triple_t* types,
                             const tw_matmul_tile_t* tile);

// Packs tiles [tile, tile + tiles) x [step, step + steps) of a side, whose
// matrix is at `matrix`, into panels [tiles][steps] at `packed`. `wide`: a
// scratch of steps * side->step bytes, for what is widened or filled up.
void tw_pack_side(const tw_matmul_side_t* side, tw_index_t K,
                  const void* matrix, tw_index_t tile, tw_index_t tiles,
                  tw_index_t step, tw_index_t steps, void* wide, void* packed);

// The same of a side that is gathered.
void tw_pack_gathered(const tw_matmul_side_t* side, const void* tensor,
                      tw_index_t tile, tw_index_t tiles, tw_index_t step,
                      tw_index_t steps, void* wide, void* packed);

// Whether rows so many bytes apart share the sets of a cache.
static inline int tw_is_aliased(tw_index_t row) { return row % 4096 == 0; }

// How many of `threads` tasks a matmul of M x N x K is worth: each has at least
// so many multiply-adds, 20 us at 100 Gop/s.
static inline tw_index_t tw_worthwhile_tasks(tw_index_t M, tw_index_t N,
                                             tw_index_t K, tw_index_t threads) {
  const double least = 1 << 20;
  const double tasks = (double)M * (double)N * (double)K / least;
  return tasks < (double)threads ? (tw_index_t)tasks + 1 : threads;
}

#endif  // UKERNELS_MATMUL_PLAN_H_
