// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile as one writes it first, in C11: what "times plain loops" is times of,
// and what real results are compared with.

#ifndef MEASURE_PLAIN_TILE_H_
#define MEASURE_PLAIN_TILE_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of scratch that tw_plain_tile needs for these types and sizes; 0 where
// it has loops for the operands as they lie.
tw_index_t tw_plain_scratch_bytes(tw_type_triple_t types, tw_index_t K, int M0,
                                  int N0, int K0);

// Computes what a tile function of the types and sizes in `params` computes,
// in three loops with one sum each; contiguous out tile, element-aligned
// panels. Others than pairs of one C type, or of s8 and u8, are decoded into
// `scratch` first, which is aligned for float. Narrow outputs are rounded once
// if `params` has SKIP_INTERMEDIATE_ROUNDINGS, else after each K step.
void tw_plain_tile(void* out_tile, const void* lhs_panel, const void* rhs_panel,
                   const tw_mmt4d_params_t* params, void* scratch);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MEASURE_PLAIN_TILE_H_
