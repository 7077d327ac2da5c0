// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile function a matrix multiplication is packed for.

#ifndef TILEWRIGHT_COMPILE_CHOOSETILE_H
#define TILEWRIGHT_COMPILE_CHOOSETILE_H

#include "tilewright/key.h"

namespace tilewright {

/// The tile for a matmul [m][k] x [k][n] of `types` on CPUs with `isa`; a
/// negative m or n is unknown and taken as large. Always a valid key of an ISA
/// that `isa` implies.
///
/// Where hand-written tiles exist for `types`, the sizes are those that the
/// runtime library's tw_query_tile_sizes answers for the same CPU, so that what
/// the compiler packs and what the library would pack are the same. Where none
/// exists, they are a block that fills the accumulator registers. In both cases
/// a matrix narrower than the tile, or with so few rows that their accumulators
/// fit the registers, gets a tile of exactly its size, hand-written or
/// generated, instead of padding or several panels.
TileKey chooseTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                   const IsaInfo &isa);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_CHOOSETILE_H
