// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: scalable tile sizes where vectors have a known length.

#ifndef UKERNELS_VECTOR_LENGTH_H_
#define UKERNELS_VECTOR_LENGTH_H_

#include "tilewright/tilewright.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bits of the vectors that sizes of `scaling` count on the CPU of cpu_data; 0
// where it does not tell, or says what no CPU has, and of TW_SCALING_NONE.
int tw_vector_length(const uint64_t* cpu_data, tw_scaling_t scaling);

// Bits of the vectors that a tile with `key` computes with on the CPU of
// cpu_data: for scalable sizes the length that they count, 0 where cpu_data
// does not tell it; for fixed ones isas.def's.
int tw_vector_bits(const tw_tile_key_t* key, const uint64_t* cpu_data);

// Elements of the accumulator in a vector of `vector_bits`.
tw_index_t tw_lanes(const tw_tile_key_t* key, int vector_bits);

// The sizes of `key` where vectors have `vector_bits` bits.
tw_tile_sizes_t tw_sizes_at(const tw_tile_key_t* key, int vector_bits);

// The vector length for which `key`, which has a scalable size, has `sizes`; 0
// if none that a CPU can have does.
int tw_vector_bits_for(const tw_tile_key_t* key, const tw_tile_sizes_t* sizes);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_VECTOR_LENGTH_H_
