// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Tuning/Shapes.h"

#include "tilewright/Tuning/Tuning.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace tilewright {
namespace {

struct Core {
  StringRef identifier, name;
};
constexpr Core kCores[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) {#ENUM, llvm_cpu},
#include "tilewright/cores.def"
};

Expected<TileKey> tileOf(const ShapeEntry &entry, const std::string &name,
                         const MatmulRows &rows) {
  ParsedTileKey parsed = parseTileKey(name);
  if (!parsed.key || info(parsed.key->isa).isGpu())
    return createStringError("'" + name + "' names no tile of a CPU");
  if (info(parsed.key->types).name != entry.types)
    return createStringError("'" + name + "' is no tile of " + entry.types);
  if (parsed.key->rounding == Rounding::kPerStep || parsed.key->vnni)
    return createStringError("'" + name +
                             "' is of a variant that no query chooses");
  if (parsed.key->m0Scalable && rows.most > 0)
    return createStringError("'" + name + "' has a number of rows that " +
                             rows.name +
                             " of a matmul cannot be compared with");
  return *parsed.key;
}

constexpr StringLiteral kHead =
    R"(/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by `tilewright tune --table` of the files of generator/tuning; do not edit. Tiles that were measured to be quicker
 * than those that would be chosen otherwise, on a core (cores.def):
 *
 *   TW_MEASURED_TILE(CORE, ROWS, per_mille, tile, beside)
 *
 * ROWS: of the matmul (measured_rows.def); per_mille: the time of `tile` for a multiply-add by that of `beside`.
 */
)";

} // namespace

ArrayRef<MatmulRows> matmulRows() {
  static constexpr MatmulRows kRows[] = {
#define TW_ROWS(ENUM, name, most) {#ENUM, name, most},
#include "ukernels/measured_rows.def"
  };
  return kRows;
}

double paddedRows(int m0, const MatmulRows &rows) {
  if (rows.most < 0)
    return 1;
  return double(divideCeil(uint64_t(rows.most), uint64_t(m0)) * m0) /
         double(rows.most);
}

Expected<Shape> shapeOf(const ShapeEntry &entry) {
  auto rows = find_if(matmulRows(), [&](const MatmulRows &it) {
    return it.name == entry.rows;
  });
  if (rows == matmulRows().end())
    return createStringError("'" + entry.rows +
                             "' is no number of rows that is measured; "
                             "expected 1, 2-4, 5-16 or many");
  Expected<TileKey> tile = tileOf(entry, entry.tile, *rows),
                    beside = tileOf(entry, entry.beside, *rows);
  if (Error error = joinErrors(tile.takeError(), beside.takeError()))
    return std::move(error);
  const double ratio =
      entry.ratio * paddedRows(beside->m0, *rows) / paddedRows(tile->m0, *rows);
  return Shape{rows, *tile, *beside,
               std::max(1, int(std::lround(1000 * ratio)))};
}

std::string shapeText(const ShapeEntry &entry) {
  return entry.types + ", " + entry.rows +
         (entry.rows == "1" ? " row" : " rows");
}

Expected<std::string> printMeasuredTiles(const TuningDatabase &database) {
  std::string text = kHead.str();
  for (const Core &core : kCores) {
    std::vector<std::pair<const ShapeEntry *, Shape>> rows;
    for (const ShapeEntry &entry : database.shapes) {
      if (entry.core != core.name || entry.version != tuningVersion())
        continue;
      Expected<Shape> shape = shapeOf(entry);
      if (!shape)
        return createStringError(shapeText(entry) + ", of " + entry.core +
                                 ": " + toString(shape.takeError()));
      if (shape->isQuicker())
        rows.emplace_back(&entry, *shape);
    }
    sort(rows, [](const auto &a, const auto &b) {
      return std::tie(a.first->types, a.second.rows) <
             std::tie(b.first->types, b.second.rows);
    });
    if (!rows.empty())
      text += "\n";
    for (const auto &[entry, shape] : rows)
      text += formatv("TW_MEASURED_TILE({0}, {1}, {2}, \"{3}\",\n"
                      "                 \"{4}\")\n",
                      core.identifier, shape.rows->identifier, shape.perMille,
                      printTileKey(shape.tile), printTileKey(shape.beside))
                  .str();
  }
  return text + "\n#undef TW_MEASURED_TILE\n";
}

} // namespace tilewright
