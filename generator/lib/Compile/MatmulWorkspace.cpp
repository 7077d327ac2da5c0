// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/MatmulWorkspace.h"

#include "tilewright/matmul.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Tiles of more rows or columns than this, or of more elements of out or of a
/// step, are not the library's: their blocks may exceed its workspace.
constexpr int64_t kMostTileRows = 256, kMostTileElements = 1 << 14,
                  kMostStepElements = 1 << 12;
/// K of a tile that rounds: its blocks hold all of K.
constexpr int64_t kMostWholeK = 8192;

uint64_t product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  for (uint64_t factor : factors)
    result = SaturatingMultiply(result, factor);
  return result;
}

} // namespace

std::optional<int64_t> matmulWorkspace(const TileKey &key,
                                       const MatmulSizes &sizes, bool rhsPacked,
                                       bool outTransposed) {
  const TypeTripleInfo &types = info(key.types);
  if (std::max(key.m0, key.n0) > kMostTileRows ||
      int64_t(key.m0) * key.n0 > kMostTileElements ||
      int64_t(std::max(key.m0, key.n0)) * key.k0 > kMostStepElements)
    return std::nullopt;
  bool rounds = types.out != types.accumulator;
  if (rounds && (sizes.k < 0 || sizes.k > kMostWholeK))
    return std::nullopt;
  if (std::min({sizes.m, sizes.n, sizes.k}) < 0)
    return rounds ? std::nullopt : std::optional(TW_MATMUL_MOST_WORKSPACE);
  uint64_t rows = divideCeil(sizes.m, key.m0),
           columns = divideCeil(sizes.n, key.n0),
           steps = std::max<uint64_t>(divideCeil(sizes.k, key.k0), 1);
  uint64_t lhsStep = uint64_t(key.m0) * key.k0 * info(types.lhs).bits / 8,
           rhsStep = uint64_t(key.n0) * key.k0 * info(types.rhs).bits / 8,
           tile = uint64_t(key.m0) * key.n0 * info(types.out).bits / 8;
  if (rhsPacked)
    rhsStep = 0;
  uint64_t parts[] = {product({rows, steps, lhsStep}),
                      product({columns, steps, rhsStep}),
                      outTransposed ? product({rows, columns, tile}) : tile,
                      product({steps, std::max(lhsStep, rhsStep)})};
  uint64_t bytes = 0;
  for (uint64_t part : parts)
    bytes = SaturatingAdd(bytes, part, uint64_t(64));
  if (rounds)
    return bytes;
  return std::min<uint64_t>(bytes, TW_MATMUL_MOST_WORKSPACE);
}

} // namespace tilewright
