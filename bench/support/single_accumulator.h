// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference that independent accumulators are measured against.

#ifndef TILEWRIGHT_BENCH_SUPPORT_SINGLE_ACCUMULATOR_H_
#define TILEWRIGHT_BENCH_SUPPORT_SINGLE_ACCUMULATOR_H_

#include "tilewright/tile.h"

namespace tilewright::bench {

// f32f32f32_1x16x1 for AVX-512 as one writes it first: one accumulator, whose
// chain of dependent FMAs bounds it by latency. Ignores OUT_ROW_STRIDE, which
// means nothing for one row. Null on other architectures.
extern const tw_mmt4d_tile_fn_t singleAccumulatorTile;

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_SINGLE_ACCUMULATOR_H_
