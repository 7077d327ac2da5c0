// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of GPUs, by the table of matrix instructions.

#include "tilewright/Devices/ChooseDeviceTile.h"

#include "tilewright/Registry/Registry.h"
#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include <algorithm>

namespace tilewright {
namespace {

/// The most rows and columns of a wave's tile: 64 x 64 f32 accumulators are 64
/// registers of 64 lanes.
constexpr int kLargest = 64;
/// Rows and columns of every target's smallest dense matrix instructions.
constexpr int kSideOfSmallest = 16;
/// Rows that a tile for few rows has at most.
constexpr int kNarrow = 8;

double rate(const MatrixInstruction &instruction) {
  return double(instruction.m) * instruction.n * instruction.k *
         instruction.blocks / instruction.cycles;
}

/// The least multiple of `step` by a power of two that covers `extent`.
int cover(int64_t extent, int step) {
  int size = step;
  while (size < kLargest && (extent < 0 || size < extent))
    size *= 2;
  return size;
}

/// Rows (columns) of padding in tiles of `size` rows.
int64_t padding(int64_t extent, int size) {
  return extent < 0 ? 0 : (extent + size - 1) / size * size - extent;
}

/// Whether an instruction takes scales in a layout that tiles know.
bool takesScales(const MatrixInstruction &instruction) {
  return instruction.call == MatrixCall::MFMA_SCALE;
}

bool takesNoScales(const MatrixInstruction &instruction) {
  return !instruction.isScaled();
}

/// The fastest dense one for the types, of those that `isOf` says; of equally
/// fast ones, what pads less, then the larger, which loads less per product.
/// Null if there is none.
const MatrixInstruction *
bestInstruction(const TypeTripleInfo &types, int64_t m, int64_t n, tw_isa_t isa,
                bool (*isOf)(const MatrixInstruction &)) {
  const MatrixInstruction *best = nullptr;
  auto isBetter = [&](const MatrixInstruction &x, const MatrixInstruction &y) {
    if (rate(x) != rate(y))
      return rate(x) > rate(y);
    int64_t ofX = padding(m, cover(m, x.m)) + padding(n, cover(n, x.n));
    int64_t ofY = padding(m, cover(m, y.m)) + padding(n, cover(n, y.n));
    return ofX != ofY ? ofX < ofY : x.m * x.n > y.m * y.n;
  };
  for (const MatrixInstruction &instruction : matrixInstructions(isa)) {
    if (instruction.blocks != 1 || !isOf(instruction) ||
        instruction.accumulator != types.accumulator ||
        !instruction.accepts(types.lhs, types.rhs))
      continue;
    if (!best || isBetter(instruction, *best))
      best = &instruction;
  }
  return best;
}

/// As many k as make a lane's part of a row the widest load, 16 bytes.
int panelK0(const MatrixInstruction &instruction) {
  int bits = info(instruction.lhsTypes.front()).bits;
  return std::max(instruction.k, instruction.kGroups() * 16 * 8 / bits);
}

/// The hand-written tile for few rows of a matrix, which no matrix instruction
/// of full size would use well; null if there is none.
const HandWrittenTile *narrowTile(const TypeTripleInfo &types, int64_t m,
                                  int64_t n, tw_isa_t isa) {
  const HandWrittenTile *best = nullptr;
  for (const HandWrittenTile &tile : handWrittenTiles()) {
    const TileKey &key = tile.key;
    if (key.types != types.value || key.isa != isa || key.blockScaled ||
        key.rounding != Rounding::kOnce || m < 0 || key.m0 < m ||
        key.m0 > kNarrow)
      continue;
    if (!best || std::pair(key.m0, padding(n, key.n0)) <
                     std::pair(best->key.m0, padding(n, best->key.n0)))
      best = &tile;
  }
  return best;
}

/// The tile for `m` rows of those that share the panels of columns of `many`,
/// the tile for many rows: any M0 can be generated. Multiples of `step`.
TileKey withRowsFor(int64_t m, TileKey many, int step) {
  if (m < 0)
    return many;
  TileKey key = many;
  key.m0 = cover(m, step);
  // K steps of few rows of 4- and 6-bit elements may not fill bytes.
  while (key.m0 < many.m0 && !validateTileKey(key).empty())
    key.m0 *= 2;
  return key.m0 < many.m0 ? key : many;
}

} // namespace

TileKey chooseDeviceTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                         const TargetCpu &gpu, bool anyM) {
  if (anyM)
    return withRowsFor(m, chooseDeviceTile(types, -1, n, gpu), 1);
  TileKey key;
  key.types = types.value;
  key.isa = gpu.isas.front();
  if (const HandWrittenTile *tile = narrowTile(types, m, n, key.isa))
    return tile->key;
  if (const MatrixInstruction *best =
          bestInstruction(types, m, n, key.isa, takesNoScales)) {
    key.m0 = cover(m, best->m);
    key.n0 = cover(n, best->n);
    key.k0 = panelK0(*best);
    return key;
  }
  // Dot products take 32 bits of each operand. A wave's lanes lie along N0; few
  // rows keep the accumulators of a lane few.
  int bits = std::max(info(types.lhs).bits, info(types.rhs).bits);
  key.m0 = std::min(cover(m, 4), 32);
  key.n0 = std::min(cover(n, 16), 64);
  key.k0 = std::max(32 / bits, 1);
  return key;
}

TileKey chooseScaledTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                         const TargetCpu &gpu, bool anyM) {
  if (anyM)
    return withRowsFor(m, chooseScaledTile(types, -1, n, gpu), kSideOfSmallest);
  TileKey key;
  key.types = types.value;
  key.isa = gpu.isas.front();
  key.blockScaled = true;
  if (const MatrixInstruction *best =
          bestInstruction(types, m, n, key.isa, takesScales)) {
    key.m0 = cover(m, best->m);
    key.n0 = cover(n, best->n);
    key.k0 = best->k;
    return key;
  }
  // The sum of a block is scaled by itself, whatever computes it.
  key.m0 = cover(m, kSideOfSmallest);
  key.n0 = cover(n, kSideOfSmallest);
  key.k0 = kScaleBlock;
  return key;
}

} // namespace tilewright
