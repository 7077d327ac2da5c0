// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile function a matrix multiplication is packed for.

#ifndef TILEWRIGHT_DEVICES_CHOOSETILE_H
#define TILEWRIGHT_DEVICES_CHOOSETILE_H

#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/key.h"

namespace tilewright {

/// Which tiles of scalable sizes may be chosen, where vectors are longer than
/// those of fixed sizes: panels of fixed sizes are packed by the compiler,
/// those of scalable ones when the program runs, unless it relies on a length.
enum class ScalableTiles {
  OfKnownLength, ///< where the target says how long vectors are
  Any,
};

/// Which panels the tiles that may be chosen take.
struct PanelForms {
  ScalableTiles scalable = ScalableTiles::OfKnownLength;
  bool inGroups = false; ///< the variant `vnni`, too
};

/// The tile for a matmul [m][k] x [k][n] of `types` on CPUs of `target`; a
/// negative m or n is unknown and taken as large. Always a valid key, of one of
/// the target's instruction sets.
///
/// Where hand-written tiles exist for `types`, the sizes are those that the
/// runtime library's tw_query_tile_sizes answers on such a CPU, so that what
/// the compiler packs and what the library would pack are the same
/// (tw_query_tile_form's, where panels may be in groups); as there,
/// what was measured (`target.measured`) counts more than what is estimated.
/// Where no tile exists, it is a block that fills the accumulator registers, of
/// the instruction set that the planner expects to be fastest. In both cases a
/// matrix narrower than the tile, or with so few rows that their accumulators
/// fit the registers, gets a tile of exactly its size, hand-written or
/// generated, instead of padding or several panels. With `anyM` only M0 depends
/// on m.
TileKey chooseTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                   const TargetCpu &target, bool anyM = false,
                   PanelForms forms = {});

/// Why the tile that chooseTile takes is not the one with the least estimated
/// cost: what was measured. Empty if nothing was that decided.
std::string whyMeasured(const TypeTripleInfo &types, int64_t m, int64_t n,
                        const TargetCpu &target, bool anyM, PanelForms forms);

/// The hand-written tiles that the runtime library chooses from for a matmul of
/// `m` rows (negative: many) and many columns: first the one that it takes
/// where nothing was measured, then those of `types` by their estimated cost.
/// Empty if it has none.
std::vector<TileKey> comparableTiles(const TypeTripleInfo &types, int64_t m,
                                     const TargetCpu &target);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_CHOOSETILE_H
