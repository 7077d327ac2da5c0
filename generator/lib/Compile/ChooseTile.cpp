// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/ChooseTile.h"

#include "tilewright/tilewright.h"
#include <algorithm>
#include <array>
#include <optional>

namespace tilewright {
namespace {

using CpuData = std::array<uint64_t, TW_CPU_DATA_WORDS>;

/// A CPU that has the features of `isa` and no other.
CpuData cpuDataOf(const IsaInfo &isa) {
  CpuData data{};
  for (const CpuFeatureInfo *feature : isa.features)
    data[feature->word] |= uint64_t{1} << feature->bit;
  return data;
}

/// What the runtime library would use, if it has a hand-written tile.
std::optional<TileKey> queryTile(const TypeTripleInfo &types, int64_t m,
                                 int64_t n, const CpuData &cpu) {
  tw_tile_sizes_t sizes;
  if (tw_query_tile_sizes(types.value, m, n, cpu.data(), &sizes) !=
      TW_STATUS_OK)
    return std::nullopt;
  tw_mmt4d_params_t params{};
  params.M0 = sizes.M0;
  params.N0 = sizes.N0;
  params.K0 = sizes.K0;
  params.flags = types.value | TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  params.cpu_data = cpu.data();
  tw_tile_info_t found;
  if (tw_find_tile(&params, &found) != TW_STATUS_OK ||
      found.origin != TW_TILE_ORIGIN_HAND_WRITTEN)
    return std::nullopt;
  TileKey key;
  key.types = types.value;
  key.m0 = sizes.M0;
  key.n0 = sizes.N0;
  key.k0 = sizes.K0;
  key.isa = found.isa;
  return key;
}

/// A register block for the generator: two vectors of accumulators wide, as
/// many rows as leave registers for the operands (12 of 16 rows for 32
/// registers, 4 for 16), and K0 such that one K step of a row fills an
/// accumulator element.
TileKey defaultTile(const TypeTripleInfo &types, const IsaInfo &isa) {
  int accumulatorBits = info(types.accumulator).bits;
  int operandBits = std::max(info(types.lhs).bits, info(types.rhs).bits);
  TileKey key;
  key.types = types.value;
  key.m0 = isa.vectorRegisters >= 32 ? 12 : 4;
  key.n0 = std::max(2 * isa.vectorBits / accumulatorBits, 4);
  key.k0 = std::max(accumulatorBits / std::max(operandBits, 8), 1);
  key.isa = isa.isa;
  return key;
}

/// Whether `rows` rows of accumulators of the tile's width fit the registers
/// beside the operands.
bool fitsRegisters(const TileKey &key, int64_t rows) {
  const IsaInfo &isa = info(key.isa);
  int bits = key.n0 * info(info(key.types).accumulator).bits;
  int64_t vectors = (bits + isa.vectorBits - 1) / isa.vectorBits;
  return rows * vectors <= isa.vectorRegisters * 3 / 4;
}

} // namespace

TileKey chooseTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                   const IsaInfo &isa) {
  TileKey key =
      queryTile(types, m, n, cpuDataOf(isa)).value_or(defaultTile(types, isa));
  TileKey narrow = key;
  // One panel of rows instead of one with padding, or of several narrow ones
  // that would each read the whole rhs again.
  if (m > 0 && (m < key.m0 || fitsRegisters(key, m)))
    narrow.m0 = static_cast<int>(m);
  if (n > 0 && n < key.n0)
    narrow.n0 = static_cast<int>(n);
  return validateTileKey(narrow).empty() ? narrow : key;
}

} // namespace tilewright
