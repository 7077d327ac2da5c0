// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/MatmulWorkspace.h"

#include "tilewright/contraction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// K of a tile that rounds: its blocks hold all of K.
constexpr int64_t kMostWholeK = 8192;

uint64_t product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  for (uint64_t factor : factors)
    result = SaturatingMultiply(result, factor);
  return result;
}

/// Rows, columns or steps of tiles; more than there can be where the extent is
/// not known.
uint64_t parts(int64_t extent, int64_t tile) {
  if (extent < 0)
    return uint64_t(1) << 40;
  return std::max<uint64_t>(divideCeil(extent, tile), 1);
}

std::optional<int64_t> workspaceOf(const TileKey &key, const MatmulSizes &sizes,
                                   bool rhsPacked, bool outTransposed) {
  const TypeTripleInfo &types = info(key.types);
  if (std::max(key.m0, key.n0) > TW_MATMUL_MOST_TILE_ROWS ||
      int64_t(key.m0) * key.n0 > TW_MATMUL_MOST_TILE_ELEMENTS ||
      int64_t(std::max(key.m0, key.n0)) * key.k0 > TW_MATMUL_MOST_STEP_ELEMENTS)
    return std::nullopt;
  bool rounds = types.out != types.accumulator;
  if (rounds && (sizes.k < 0 || sizes.k > kMostWholeK))
    return std::nullopt;
  uint64_t rows = parts(sizes.m, key.m0), columns = parts(sizes.n, key.n0),
           steps = parts(sizes.k, key.k0);
  uint64_t lhsStep = uint64_t(key.m0) * key.k0 * info(types.lhs).bits / 8,
           rhsStep = uint64_t(key.n0) * key.k0 * info(types.rhs).bits / 8,
           tile = uint64_t(key.m0) * key.n0 * info(types.out).bits / 8;
  uint64_t mostLhs = TW_MATMUL_MOST_LHS_BLOCK,
           mostRhs = TW_MATMUL_MOST_RHS_BLOCK;
  if (!outTransposed)
    mostRhs += TW_MATMUL_MOST_OUT_BLOCK;
  if (rhsPacked) {
    mostLhs += TW_MATMUL_MOST_RHS_BLOCK;
    mostRhs = rhsStep = 0;
  }
  uint64_t step = std::max(lhsStep, rhsStep);
  uint64_t tiles = product({rows, columns});
  if (!outTransposed)
    tiles = std::min<uint64_t>(tiles,
                               rhsPacked ? TW_MATMUL_MOST_STREAMED_TILES : 1);
  struct Part {
    uint64_t bytes, most;
  };
  const Part blocks[] = {{product({rows, steps, lhsStep}), mostLhs},
                         {product({columns, steps, rhsStep}), mostRhs},
                         {product({tiles, tile}), TW_MATMUL_MOST_OUT_BLOCK},
                         {product({steps, step}), TW_MATMUL_MOST_SCRATCH}};
  uint64_t bytes = 0;
  for (const Part &part : blocks) {
    // A block is a tile of rows at least, with all of its steps where it
    // rounds.
    uint64_t most =
        rounds ? std::max(part.most, product({steps, step})) : part.most;
    bytes += alignTo(std::min(part.bytes, most), 64);
  }
  return bytes;
}

} // namespace

std::optional<int64_t> matmulWorkspace(const TileKey &key,
                                       const MatmulSizes &sizes, bool rhsPacked,
                                       bool outTransposed) {
  if (!key.isScalable())
    return workspaceOf(key, sizes, rhsPacked, outTransposed);
  int64_t most = 0;
  for (int bits = kLeastVectorBits; bits <= kMaxVectorBits;
       bits += kLeastVectorBits) {
    std::optional<int64_t> bytes =
        workspaceOf(key.atVectorBits(bits), sizes, rhsPacked, outTransposed);
    if (!bytes)
      return std::nullopt;
    most = std::max(most, *bytes);
  }
  return most;
}

} // namespace tilewright
