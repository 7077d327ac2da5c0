// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #tw.tile: where names of tiles become keys.

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Planning/TilePlan.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

static StringRef prefixOf(StringRef tile) {
  size_t end = tile.rfind("_mmt4d_tile_");
  return end == StringRef::npos ? StringRef(kDefaultPrefix)
                                : tile.take_front(end);
}

TileAttr TileAttr::read(function_ref<InFlightDiagnostic()> emitError,
                        MLIRContext *context, StringRef name, StringRef plan) {
  StringRef prefix = prefixOf(name);
  ParsedTileKey parsed = parseTileKey(name.str(), prefix.str());
  if (!parsed.key) {
    emitError() << parsed.error;
    return nullptr;
  }
  return getChecked(emitError, context, *parsed.key, prefix, plan);
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               TileKey key, StringRef prefix, StringRef plan) {
  if (std::string why = validateTileKey(key); !why.empty())
    return emitError() << "is no tile: " << why;
  if (plan.empty())
    return success();
  llvm::Expected<TilePlan> read = readTilePlan(key, plan);
  if (!read)
    return emitError() << llvm::toString(read.takeError());
  return success();
}

std::string TileAttr::getName() const {
  return printTileKey(getKey(), std::string_view(getPrefix()));
}

TileAttr TileAttr::withPlan(StringRef plan) const {
  return get(getContext(), getKey(), getPrefix(), plan);
}

Attribute TileAttr::parse(AsmParser &parser, Type) {
  std::string name, plan;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name))
    return nullptr;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("plan") || parser.parseEqual() ||
       parser.parseString(&plan)))
    return nullptr;
  if (parser.parseGreater())
    return nullptr;
  return read([&] { return parser.emitError(where); }, parser.getContext(),
              name, plan);
}

void TileAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << '"';
  if (!getPlan().empty())
    printer << ", plan = \"" << getPlan() << '"';
  printer << '>';
}

LogicalResult tilewright::tw::verifyTile(Operation *op, Attribute attribute) {
  auto tile = dyn_cast<TileAttr>(attribute);
  if (!tile)
    return op->emitError() << kTile << ": expected #tw.tile<...>";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && function.getName() != tile.getName())
    return op->emitError() << "function '" << function.getName() << "' has "
                           << kTile << " = " << tile
                           << "; expected the tile that it is called after";
  return success();
}
