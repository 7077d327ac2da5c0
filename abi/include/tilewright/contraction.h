// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled models call for a matrix multiplication or a convolution. Its
// code comes with them, so it may change from version to version; programs call
// tw_matmul.

#ifndef TILEWRIGHT_CONTRACTION_H_
#define TILEWRIGHT_CONTRACTION_H_

#include "tilewright/matmul.h"
#include "tilewright/pack_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the blocks of a task take in its workspace at most, in bytes: packed
// blocks of lhs and rhs, where a prepacked rhs leaves its share to the lhs;
// accumulators where tiles cannot store into out, which else leaves their share
// to the rhs; and a scratch of one tile's steps. All of it with a tile of out,
// or those of panels that are read side by side, is within
// TW_MATMUL_MOST_WORKSPACE. A tile that rounds has all of K in a block, which
// may be more.
#define TW_MATMUL_MOST_LHS_BLOCK ((tw_index_t)768 << 10)
#define TW_MATMUL_MOST_RHS_BLOCK ((tw_index_t)1792 << 10)
#define TW_MATMUL_MOST_OUT_BLOCK ((tw_index_t)768 << 10)
#define TW_MATMUL_MOST_SCRATCH ((tw_index_t)256 << 10)
// Tiles of panels that are read side by side.
#define TW_MATMUL_MOST_STREAMED_TILES 16

// Tiles of more rows or columns than this, or of more elements of out or of a
// step, would need more workspace than there is.
#define TW_MATMUL_MOST_TILE_ROWS 256
#define TW_MATMUL_MOST_TILE_ELEMENTS ((tw_index_t)1 << 14)
#define TW_MATMUL_MOST_STEP_ELEMENTS ((tw_index_t)1 << 12)

// Nested loops, outermost first. Each goes on by its stride, in elements, 0 or
// more; where they are is the sum.
#define TW_GATHER_LOOPS 4
typedef struct tw_gather_loops_t {
  tw_index_t sizes[TW_GATHER_LOOPS];
  tw_index_t strides[TW_GATHER_LOOPS];
} tw_gather_loops_t;

// A lhs that is no matrix, as the windows of a convolution are none: its rows
// and its columns are numbered by nested loops, and element (row, column) lies
// at the sum of the places of both. So many of the loops are used: 1 or more of
// each, or 0 for a matrix, of which nothing else is read here.
typedef struct tw_gather_t {
  int32_t row_loops, column_loops;
  tw_gather_loops_t rows, columns;
} tw_gather_t;

// What is done with out when it has its sums, block by block, while it is in a
// cache: `run`, if not null, is called with ranges of rows and columns of out,
// none of them empty, by the tasks, at the same time where these are. Each
// element is in one call, behind the last store to it; also where K is 0.
typedef struct tw_epilogue_t {
  void (*run)(void* context, tw_index_t m_begin, tw_index_t m_end,
              tw_index_t n_begin, tw_index_t n_end);
  void* context;
} tw_epilogue_t;

struct tw_thin_t;
struct tw_contraction_t;

// A tile of fewer rows for the same panels of the rhs: of the same types, N0
// and K0. Of few rows a tile of many computes what nobody wants.
typedef struct tw_few_rows_t {
  tw_mmt4d_tile_fn_t tile;
  tw_index_t M0;
} tw_few_rows_t;
#define TW_CONTRACTION_FEW 2

// The panels of matrices that never change, found by where these are: all zero
// before the first call. Calls at the same time may use it.
#define TW_KEPT_LISTS 64
typedef struct tw_kept_t {
  void* lists[TW_KEPT_LISTS];
} tw_kept_t;

// What cores.def has of the core that a model is compiled for. All 0: no core
// was named, and blocks are for what most servers have.
typedef struct tw_known_core_t {
  int32_t l1_kib, l2_kib;  // TW_CORE_CACHES
  // TW_CORE_STREAMS, else 1
  int32_t streams, stream_rows, stream_tiles, stream_caches;
  int32_t slow_l3;     // whether it has TW_CORE_SLOW_L3
  int32_t asks_pages;  // whether it has TW_CORE_ASKS_PAGES
} tw_known_core_t;

// A matmul whose tile is chosen.
typedef struct tw_contraction_t {
  // As tw_matmul has it, but for these: RHS_PREPACKED says that `rhs` is panels
  // [N tiles][K steps][N0][K0] of the tile's types, without a descriptor;
  // `workspace` is aligned to 64 bytes, and large enough for the tasks, at most
  // `threads`; rhs_bytes and cpu_data are not read. Operands are not checked.
  //
  // Of a gathered lhs, lhs_stride and LHS_TRANSPOSED are not read, elements are
  // those of the tile, of whole bytes, and M is the product of the sizes of its
  // rows. The last loop of its columns is filled up to whole steps of K0, in
  // each iteration of the others, with zeros; K counts what is filled up.
  tw_matmul_params_t matmul;
  // Runs the tasks; null: the calling thread does, and `threads` is 1.
  const tw_parallel_for_t* parallel_for;
  tw_mmt4d_tile_fn_t tile;
  int32_t tile_types;  // a tw_type_triple_t
  int32_t M0, N0, K0;
  // What multiplies up to TW_CONTRACTION_THIN_ROWS rows by a rhs that is not
  // prepacked, reading it where it lies; null: nothing, the tile does it.
  void (*thin)(const struct tw_thin_t* thin, tw_index_t n_begin,
               tw_index_t n_end);
  // What packs tiles of M0 x K0 of the lhs, of N0 x K0 of the rhs, from
  // matrices that lie as these do. Null: the code behind tw_contract does,
  // which is slower, but also gathers and widens elements; there it always
  // does.
  tw_pack_tile_fn_t pack_lhs, pack_rhs;
  // Instead of `tile` where M is not above their M0 and the rhs is prepacked or
  // kept, fewest rows first; a null tile ends them. The code behind tw_contract
  // packs their lhs, a matrix.
  tw_few_rows_t few[TW_CONTRACTION_FEW];
  // For a rhs that is not prepacked, since nobody knew when the program was
  // compiled how panels of scalable sizes lie, but never changes: `keep`, which
  // is TW_KEEP, returns its panels. Null: it may change.
  const void* (*keep)(const struct tw_contraction_t* contraction);
  tw_kept_t* kept;
  tw_gather_t gather;
  tw_epilogue_t epilogue;
  tw_known_core_t core;
} tw_contraction_t;

#define TW_CONTRACTION_THIN_ROWS 4

// What `thin` is: TW_CONTRACTION_THIN and the name of the instruction set.
#define TW_CONTRACTION_THIN tw_thin_v1_

// Named after the version of tw_contraction_t: models of several versions of
// Tilewright may be in one program, each with the function that it calls.
#define TW_CONTRACT tw_contract_v8
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("hidden")))
#endif
void TW_CONTRACT(const tw_contraction_t* contraction);

// The panels of the rhs, which the first multiplication by it packs into memory
// that is not given back; null where there is none: then blocks are packed as
// if nothing were kept.
#define TW_KEEP tw_keep_v1
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("hidden")))
#endif
const void* TW_KEEP(const tw_contraction_t* contraction);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_CONTRACTION_H_
