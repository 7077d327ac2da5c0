// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX by plain loops, for CPUs that lack it. Included before anything else of
// a source of tiles (-include), it replaces the intrinsics by calls, so that
// the same source is compiled for the CPU at hand. What is not tested so are
// the instructions themselves.

#ifndef TESTS_TILES_AMX_MODEL_H_
#define TESTS_TILES_AMX_MODEL_H_

#include <stddef.h>
#ifdef TW_MODEL_REPLACES_AMX
#include <immintrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

void tw_model_loadconfig(const void* config);
void tw_model_release(void);
void tw_model_zero(int tile);
void tw_model_load(int tile, const void* from, ptrdiff_t stride);
void tw_model_store(int tile, void* to, ptrdiff_t stride);

// What a tile multiply reads its operands as.
typedef enum tw_model_types_t {
  TW_MODEL_S8S8,
  TW_MODEL_S8U8,
  TW_MODEL_U8S8,
  TW_MODEL_U8U8,
  TW_MODEL_BF16,
} tw_model_types_t;
void tw_model_multiply(tw_model_types_t types, int acc, int lhs, int rhs);

// What the calling thread has done so far.
typedef struct tw_model_counts_t {
  int configured;  // whether it has tile registers now
  long loadconfigs, releases, multiplies;
} tw_model_counts_t;
tw_model_counts_t tw_model_counts(void);

#ifdef __cplusplus
}
#endif

#ifdef TW_MODEL_REPLACES_AMX
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_dpbssd
#undef _tile_dpbsud
#undef _tile_dpbusd
#undef _tile_dpbuud
#undef _tile_dpbf16ps
#define _tile_loadconfig(config) tw_model_loadconfig(config)
#define _tile_release() tw_model_release()
#define _tile_zero(tile) tw_model_zero(tile)
#define _tile_loadd(tile, from, stride) tw_model_load(tile, from, stride)
#define _tile_stream_loadd(tile, from, stride) tw_model_load(tile, from, stride)
#define _tile_stored(tile, to, stride) tw_model_store(tile, to, stride)
#define _tile_dpbssd(acc, x, y) tw_model_multiply(TW_MODEL_S8S8, acc, x, y)
#define _tile_dpbsud(acc, x, y) tw_model_multiply(TW_MODEL_S8U8, acc, x, y)
#define _tile_dpbusd(acc, x, y) tw_model_multiply(TW_MODEL_U8S8, acc, x, y)
#define _tile_dpbuud(acc, x, y) tw_model_multiply(TW_MODEL_U8U8, acc, x, y)
#define _tile_dpbf16ps(acc, x, y) tw_model_multiply(TW_MODEL_BF16, acc, x, y)
#endif

#endif  // TESTS_TILES_AMX_MODEL_H_
