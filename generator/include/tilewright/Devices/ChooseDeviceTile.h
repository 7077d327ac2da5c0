// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile function a matrix multiplication on a GPU is packed for.

#ifndef TILEWRIGHT_DEVICES_CHOOSEDEVICETILE_H
#define TILEWRIGHT_DEVICES_CHOOSEDEVICETILE_H

#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/key.h"

namespace tilewright {

/// The tile for a matmul [m][k] x [k][n] of `types` on `gpu`; a negative m or n
/// is unknown and taken as large. Always a valid key of the GPU's instruction
/// set.
///
/// The multiples of M0 and N0 are those of the matrix instruction that
/// multiplies these types fastest, and K0 is what makes the panels wide loads
/// of its lanes; without one, it is those of the dot product or multiply-add
/// that multiplies. A wave's tile is as large as its matrix, up to what keeps
/// the accumulators in half of the registers. Few rows get a hand-written tile
/// for few rows, where there is one. With `anyM` only M0 depends on m: the
/// panels of columns are those of unknown m, and few rows get a tile of few.
TileKey chooseDeviceTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                         const TargetCpu &gpu, bool anyM = false);

/// The same with block scales, of the variant `mx`, for operands of MX formats.
/// Where an instruction takes scales, K0 is its; else each K step is a block.
TileKey chooseScaledTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                         const TargetCpu &gpu, bool anyM = false);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_CHOOSEDEVICETILE_H
