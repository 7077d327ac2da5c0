// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile function a matrix multiplication on a GPU is packed for.

#ifndef TILEWRIGHT_COMPILE_CHOOSEDEVICETILE_H
#define TILEWRIGHT_COMPILE_CHOOSEDEVICETILE_H

#include "tilewright/Codegen/TargetCpu.h"
#include "tilewright/key.h"

namespace tilewright {

/// The tile for a matmul [m][k] x [k][n] of `types` on `gpu`; a negative m or n
/// is unknown and taken as large. Always a valid key of the GPU's instruction
/// set.
///
/// K0 and the multiples of M0 and N0 are those of the matrix instruction that
/// multiplies these types fastest, so that the panels are what its lanes load;
/// without one, those of the dot product or multiply-add that does. A wave's
/// tile is as large as its matrix, up to what keeps the accumulators in half of
/// the registers.
TileKey chooseDeviceTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                         const TargetCpu &gpu);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_CHOOSEDEVICETILE_H
