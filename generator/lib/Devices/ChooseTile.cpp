// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Devices/ChooseTile.h"

#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Registry/Registry.h"
#include "ukernels/query.h"
#include "ukernels/vector_length.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <limits>
#include <optional>

namespace tilewright {
namespace {

/// What asks for more than another has to gain by more than estimates err.
constexpr double kGain = 0.95;

bool mayBeChosen(const TargetCpu &target, const TileKey &key,
                 ScalableTiles scalable) {
  if (!target.has(key.isa))
    return false;
  if (!key.isScalable())
    return true;
  tw_tile_key_t row = keyInC(key);
  return (scalable == ScalableTiles::Any ||
          target.vectorBitsOf(info(key.isa))) &&
         tw_vector_bits(&row, target.cpuData.data()) > kLeastVectorBits;
}

/// What the runtime library would use, if it has a hand-written tile.
std::optional<TileKey> queryTile(const TypeTripleInfo &types, int64_t m,
                                 int64_t n, const TargetCpu &target,
                                 PanelForms forms) {
  std::vector<tw_tile_key_t> rows;
  for (const HandWrittenTile &tile : handWrittenTiles())
    if (tile.key.types == types.value &&
        mayBeChosen(target, tile.key, forms.scalable))
      rows.push_back(keyInC(tile.key));
  tw_tile_question_t question{types.value,
                              m,
                              n,
                              target.cpuData.data(),
                              forms.inGroups,
                              /*mixes_rows=*/0,
                              /*is_near=*/0,
                              {target.measured.data(), target.measured.size()}};
  tw_tile_choice_t choice;
  if (!tw_choose_tile(&question, rows.data(), rows.size(), &choice))
    return std::nullopt;
  return keyOfC(rows[choice.index]);
}

/// The row that the tile for a matmul is taken from, if there is one.
std::optional<TileKey> chooseRow(const TypeTripleInfo &types, int64_t m,
                                 int64_t n, const TargetCpu &target, bool anyM,
                                 PanelForms forms) {
  std::optional<TileKey> row = queryTile(types, m, n, target, forms);
  if (!anyM || m < 0)
    return row;
  // The rhs panels of tiles for many rows; of those tiles that for m.
  std::optional<TileKey> many = queryTile(types, -1, n, target, forms);
  if (many && (row->n0 != many->n0 || row->k0 != many->k0 ||
               row->n0Scalable != many->n0Scalable || row->vnni != many->vnni))
    return many;
  return row;
}

/// A register block for the generator: two vectors of accumulators wide, as
/// many rows as leave registers for the operands (12 of 16 rows for 32
/// registers, 4 for 16), and K0 such that one K step of a row fills `fill`
/// accumulator elements.
TileKey registerBlock(const TypeTripleInfo &types, const IsaInfo &isa,
                      int fill) {
  int accumulatorBits = info(types.accumulator).bits;
  int operandBits = std::max(info(types.lhs).bits, info(types.rhs).bits);
  TileKey key;
  key.types = types.value;
  key.m0 = isa.vectorRegisters >= 32 ? 12 : 4;
  key.n0 = std::max(2 * isa.vectorBits / accumulatorBits, 4);
  key.k0 = std::max(fill * accumulatorBits / std::max(operandBits, 8), 1);
  key.isa = isa.isa;
  return key;
}

/// The register block that the planner expects to be fastest.
TileKey defaultTile(const TypeTripleInfo &types, const TargetCpu &target) {
  TileKey best = registerBlock(types, target.best(), 1);
  double least = std::numeric_limits<double>::infinity();
  // From the instruction set that asks for least, and the least K0: what asks
  // for more has to gain from it.
  for (tw_isa_t isa : llvm::reverse(target.isas)) {
    if (isa == TW_ISA_GENERIC && target.isas.size() > 1)
      continue;
    for (int fill : {1, 2}) {
      TileKey key = registerBlock(types, info(isa), fill);
      llvm::Expected<TilePlan> plan = planTile(key);
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      double cycles =
          estimateCost(*plan, key).cycles / (double(key.m0) * key.n0 * key.k0);
      if (cycles >= kGain * least)
        continue;
      best = key;
      least = cycles;
    }
  }
  return best;
}

/// Whether `rows` rows of accumulators of the tile's width fit the registers
/// beside the operands.
bool fitsRegisters(const TileKey &key, int64_t rows) {
  const IsaInfo &isa = info(key.isa);
  int n0 = key.atVectorBits(isa.vectorBits).n0;
  int bits = n0 * info(info(key.types).accumulator).bits;
  int64_t vectors = (bits + isa.vectorBits - 1) / isa.vectorBits;
  return rows * vectors <= isa.vectorRegisters * 3 / 4;
}

} // namespace

TileKey chooseTile(const TypeTripleInfo &types, int64_t m, int64_t n,
                   const TargetCpu &target, bool anyM, PanelForms forms) {
  std::optional<TileKey> row = chooseRow(types, m, n, target, anyM, forms);
  TileKey key = row ? *row : defaultTile(types, target);
  TileKey narrow = key;
  // One panel of rows instead of one with padding, or of several narrow ones
  // that would each read the whole rhs again.
  if (m > 0 && !key.m0Scalable && (m < key.m0 || fitsRegisters(key, m)))
    narrow.m0 = static_cast<int>(m);
  if (n > 0 && !key.n0Scalable && n < key.n0)
    narrow.n0 = static_cast<int>(n);
  return validateTileKey(narrow).empty() ? narrow : key;
}

std::string whyMeasured(const TypeTripleInfo &types, int64_t m, int64_t n,
                        const TargetCpu &target, bool anyM, PanelForms forms) {
  if (target.measured.empty())
    return "";
  std::optional<TileKey> row = chooseRow(types, m, n, target, anyM, forms);
  for (const tw_measured_tile_t &it : target.measured) {
    // What was chosen for many rows may be for few of the same rhs.
    if (!row || keyOfC(it.tile) != *row ||
        (it.rows != tw_rows_of(m) && !(anyM && it.rows == TW_ROWS_MANY)))
      continue;
    return llvm::formatv("measured: of {0} {1} {2} takes {3:f3} of the time "
                         "of {4} for a multiply-add",
                         tw_rows_name(it.rows),
                         it.rows == TW_ROWS_ONE ? "row" : "rows",
                         printTileKey(*row), it.per_mille / 1000.0,
                         printTileKey(keyOfC(it.beside)))
        .str();
  }
  return "";
}

std::vector<TileKey> comparableTiles(const TypeTripleInfo &types, int64_t m,
                                     const TargetCpu &target) {
  TargetCpu unmeasured = target;
  unmeasured.measured.clear();
  std::optional<TileKey> first =
      queryTile(types, m, -1, unmeasured, PanelForms{ScalableTiles::Any});
  if (!first)
    return {};
  std::vector<std::pair<double, TileKey>> others;
  const uint64_t *cpu = target.cpuData.data();
  for (const HandWrittenTile &tile : handWrittenTiles()) {
    const TileKey &key = tile.key;
    if (key.types != types.value || key.vnni ||
        key.rounding == Rounding::kPerStep || key == *first ||
        (key.isa == TW_ISA_GENERIC) != (first->isa == TW_ISA_GENERIC) ||
        !mayBeChosen(target, key, ScalableTiles::Any))
      continue;
    tw_tile_key_t row = keyInC(key);
    others.emplace_back(
        tw_tile_cost(&row, tw_vector_bits(&row, cpu), m, -1, cpu), key);
  }
  llvm::sort(others);
  std::vector<TileKey> tiles = {*first};
  for (const auto &[cost, key] : others)
    tiles.push_back(key);
  return tiles;
}

} // namespace tilewright
