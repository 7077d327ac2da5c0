// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul in one call: plain matrices in, plain matrices out. Part of the
// runtime library; what tilewright.h says of its functions holds here too.
// docs/matmul.md shows its use.

#ifndef TILEWRIGHT_MATMUL_H_
#define TILEWRIGHT_MATMUL_H_

#include "tilewright/parallel_for.h"
#include "tilewright/prepacked.h"
#include "tilewright/status.h"
#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

TW_API_BEGIN

// Bits of tw_matmul_params_t::flags, beside the type triple in the low byte,
// TW_MMT4D_FLAG_ACCUMULATE, TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK and
// TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS (which is implied).

// The matrix lies transposed in memory: lhs [K][M], rhs [N][K], out [N][M].
#define TW_MATMUL_FLAG_LHS_TRANSPOSED 0x100000
#define TW_MATMUL_FLAG_RHS_TRANSPOSED 0x200000
#define TW_MATMUL_FLAG_OUT_TRANSPOSED 0x400000
// `rhs` is what tw_prepack has written, rhs_bytes long; rhs_stride is not read,
// and RHS_TRANSPOSED not allowed.
#define TW_MATMUL_FLAG_RHS_PREPACKED 0x800000

// All flags of tw_matmul, which refuses any other.
#define TW_MATMUL_FLAG_ALL                                                     \
  (TW_MMT4D_FLAG_TYPE_MASK | TW_MMT4D_FLAG_ACCUMULATE |                        \
   TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK |                                      \
   TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS | TW_MATMUL_FLAG_LHS_TRANSPOSED | \
   TW_MATMUL_FLAG_RHS_TRANSPOSED | TW_MATMUL_FLAG_OUT_TRANSPOSED |             \
   TW_MATMUL_FLAG_RHS_PREPACKED)

// No task of tw_matmul needs more workspace, whatever the sizes: 4 MiB.
#define TW_MATMUL_MOST_WORKSPACE ((tw_index_t)4 << 20)

// out [M][N] (+)= lhs [M][K] * rhs [K][N]. Row-major, or transposed as flags
// say. Sizes and strides count elements.
typedef struct tw_matmul_params_t {
  // Buffers need element alignment only; 4-bit types start on a byte. out may
  // overlap no other.
  const void* lhs;
  const void* rhs;
  void* out;
  // Elements between the rows of a matrix as it lies in memory: at least the
  // length of a row where there are several, and even for 4-bit types. What
  // lies between rows is neither read nor written.
  tw_index_t lhs_stride;
  tw_index_t rhs_stride;
  tw_index_t out_stride;
  tw_index_t M;
  tw_index_t N;
  tw_index_t K;
  uint32_t flags;
  // How many tasks the work may be divided into, from 1 on: each has a part of
  // the workspace of its own, so no more than so many run at a time.
  int32_t threads;
  // tw_matmul_workspace_size bytes, of any alignment. Null where that is 0.
  void* workspace;
  tw_index_t workspace_bytes;
  // RHS_PREPACKED only: bytes at `rhs`, descriptor included.
  tw_index_t rhs_bytes;
  // As tw_mmt4d_params_t::cpu_data.
  const uint64_t* cpu_data;
} tw_matmul_params_t;

// Numerics are those of a tile function (tile.h): integers exact modulo 2^32,
// floats with one bound over all of K, f16 and bf16 outputs rounded once.
//
// Types that no linked-in tile on this CPU has are widened exactly while they
// are packed, to s8 x s8, s16 x s16 or f32 x f32, whichever there is a tile of.
// If there is none either, UNSUPPORTED, or the portable C tile where
// ALLOW_GENERIC_FALLBACK is set. 6-bit types are UNSUPPORTED: single elements
// have no address. An rhs that is not prepacked is not packed either when M is
// at most 4, but read where it lies.
//
// `parallel_for` may be null: then the calling thread does all tasks. M or N of
// 0, or K of 0 with ACCUMULATE, writes nothing; K of 0 without it writes zeros.
// A prepacked rhs whose descriptor is none, damaged, or for something else is
// refused by a status of its own; the panels' digest is not computed here
// (tw_check_prepacked does). tw_matmul_explain says what was wrong.
tw_status_t tw_matmul(const tw_matmul_params_t* params,
                      const tw_parallel_for_t* parallel_for);

// Bytes of workspace that tw_matmul needs for these params: at most
// TW_MATMUL_MOST_WORKSPACE for each of `threads`; 0 where nothing is packed.
// Wherever the operands and out lie: reads no buffer but the descriptor of a
// prepacked rhs.
tw_status_t tw_matmul_workspace_size(const tw_matmul_params_t* params,
                                     tw_index_t* bytes);

// Says in one English sentence what tw_matmul would do with these arguments,
// without doing it, and returns the status that it would return. For a status
// other than OK the sentence names the field, its value and what it may be.
// `text` and `size` as for tw_mmt4d_explain.
tw_status_t tw_matmul_explain(const tw_matmul_params_t* params,
                              const tw_parallel_for_t* parallel_for, char* text,
                              size_t size);

// ---- Prepacking -------------------------------------------------------------

// Bytes of the prepacked rhs of `params`, of which N, K, flags and cpu_data are
// read.
tw_status_t tw_prepacked_size(const tw_matmul_params_t* params,
                              tw_index_t* bytes);

// Packs the rhs of `params`, of which rhs, rhs_stride, N, K, flags and cpu_data
// are read, for all tw_matmul of these types, N and K on such a CPU. `bytes` is
// the size of `prepacked`; OUT_OF_RANGE if it is less than tw_prepacked_size.
// `prepacked` must be aligned as a uint64_t.
tw_status_t tw_prepack(const tw_matmul_params_t* params, void* prepacked,
                       tw_index_t bytes, const tw_parallel_for_t* parallel_for);

// What tw_matmul_explain does, for tw_prepack.
tw_status_t tw_prepack_explain(const tw_matmul_params_t* params,
                               const void* prepacked, tw_index_t bytes,
                               const tw_parallel_for_t* parallel_for,
                               char* text, size_t size);

// Whether the `bytes` bytes at `prepacked` are a prepacked rhs without damage,
// panels included: OK, NOT_PREPACKED or DAMAGED. For what comes from a file;
// reads all of it.
tw_status_t tw_check_prepacked(const void* prepacked, tw_index_t bytes);

// What tw_matmul_explain does, for tw_check_prepacked.
tw_status_t tw_check_prepacked_explain(const void* prepacked, tw_index_t bytes,
                                       char* text, size_t size);

// ---- Panels -----------------------------------------------------------------

// For those who keep panels themselves: fills *params for a tw_mmt4d of the
// matmul M x N x K, in elements, over what tw_pack makes with these tile sizes:
// outer sizes, strides of packed operands, and flags (`types`, with
// SKIP_INTERMEDIATE_ROUNDINGS). Buffers and cpu_data are null, offsets 0.
tw_status_t tw_fill_mmt4d_params(tw_type_triple_t types, tw_index_t M,
                                 tw_index_t N, tw_index_t K,
                                 const tw_tile_sizes_t* sizes,
                                 tw_mmt4d_params_t* params);

// What tw_matmul_explain does, for tw_fill_mmt4d_params.
tw_status_t tw_fill_mmt4d_params_explain(tw_type_triple_t types, tw_index_t M,
                                         tw_index_t N, tw_index_t K,
                                         const tw_tile_sizes_t* sizes,
                                         const tw_mmt4d_params_t* params,
                                         char* text, size_t size);

TW_API_END

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_MATMUL_H_
