// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.mmt4d: everything that calls of tile functions rely on is checked here.

#include "mlir/IR/Builders.h"
#include "tilewright/Dialect/TwDialect.h"
#include <array>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

/// Operands in their order.
enum { kLhs, kRhs, kOut, kOperands };
constexpr const char *kNames[kOperands] = {"lhs", "rhs", "out"};

/// A kind of loops: which operands it indexes, in what place of each.
struct Kind {
  const char *name;
  unsigned operands; ///< bits 1 << operand
};
constexpr Kind kKinds[] = {
    {"batch", 1 << kLhs | 1 << kRhs | 1 << kOut},
    {"m", 1 << kLhs | 1 << kOut},
    {"n", 1 << kRhs | 1 << kOut},
    {"k", 1 << kLhs | 1 << kRhs},
};

using Maps = SmallVector<AffineMap, kOperands>;

Maps mapsOf(Mmt4dOp op) {
  return llvm::to_vector_of<AffineMap, kOperands>(
      op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
}

/// The kind of a loop, or null.
const Kind *kindOf(unsigned loop, const Maps &maps) {
  unsigned operands = 0;
  for (auto [operand, map] : llvm::enumerate(maps))
    if (map.isFunctionOfDim(loop))
      operands |= 1 << operand;
  const Kind *kind = llvm::find_if(
      kKinds, [&](const Kind &each) { return each.operands == operands; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

/// The loops of a kind, in the order in which they index an operand.
SmallVector<unsigned> loopsOf(const Kind &kind, unsigned operand,
                              const Maps &maps) {
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < maps[operand].getNumResults(); ++dim)
    if (kindOf(maps[operand].getDimPosition(dim), maps) == &kind)
      loops.push_back(maps[operand].getDimPosition(dim));
  return loops;
}

StringRef prefixOf(StringRef tile) {
  size_t end = tile.rfind("_mmt4d_tile_");
  return end == StringRef::npos ? StringRef(kDefaultPrefix)
                                : tile.take_front(end);
}

ParsedTileKey parseTile(StringRef tile) {
  return parseTileKey(tile.str(), prefixOf(tile).str());
}

/// Elements of the model compiler: integers are signless, the key has the sign.
bool isElement(Type type, tw_element_type_t element) {
  const ElementTypeInfo &expected = info(element);
  if (expected.kind != TW_ELEMENT_KIND_FLOAT)
    return type.isSignlessInteger(expected.bits);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return StringRef(name).equals_insensitive(expected.name);
}

class Verifier {
public:
  explicit Verifier(Mmt4dOp op) : op(op) {}

  LogicalResult verify() {
    return success(succeeded(verifyTile()) && succeeded(verifyForm()) &&
                   succeeded(verifyMaps()) && succeeded(verifyInnerSizes()) &&
                   succeeded(verifyOrder()) && succeeded(verifyOuterSizes()));
  }

private:
  ShapedType typeOf(unsigned operand) {
    return cast<ShapedType>(op->getOperand(operand).getType());
  }

  LogicalResult verifyTile() {
    ParsedTileKey parsed = parseTile(op.getTile());
    if (!parsed.key)
      return op.emitOpError() << parsed.error;
    key = *parsed.key;
    if (key.isScalable())
      return op.emitOpError() << "names the tile '" << op.getTile()
                              << "', but a layout needs fixed sizes";
    if (key.blockScaled)
      return op.emitOpError() << "names the tile '" << op.getTile()
                              << "', but has no panels of block scales";
    return success();
  }

  LogicalResult verifyForm() {
    bool onTensors = op.getResult() != nullptr;
    for (unsigned operand = 0; operand < kOperands; ++operand)
      if (isa<RankedTensorType>(typeOf(operand)) != onTensors)
        return op.emitOpError()
               << "is on tensors with a result or on buffers without one, but "
               << kNames[operand] << " has type " << typeOf(operand);
    const TypeTripleInfo &types = info(key.types);
    const tw_element_type_t elements[] = {types.lhs, types.rhs, types.out};
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      if (!isElement(typeOf(operand).getElementType(), elements[operand]))
        return op.emitOpError()
               << "has " << kNames[operand] << " elements of "
               << typeOf(operand).getElementType() << ", but those of the tile "
               << "are " << info(elements[operand]).name;
      if (info(elements[operand]).bits % 8)
        return op.emitOpError() << "has " << kNames[operand] << " elements of "
                                << info(elements[operand]).name
                                << ", which are less than a byte";
    }
    return success();
  }

  LogicalResult verifyMaps() {
    maps = mapsOf(op);
    if (maps.size() != kOperands)
      return op.emitOpError() << "has " << maps.size()
                              << " maps; expected those of lhs, rhs and out";
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      AffineMap map = maps[operand];
      if (map.getNumDims() != maps[kLhs].getNumDims() ||
          !map.isProjectedPermutation())
        return op.emitOpError() << "has the " << kNames[operand] << " map "
                                << AffineMapAttr::get(map)
                                << "; expected different loops out of "
                                << maps[kLhs].getNumDims();
      if (typeOf(operand).getRank() != map.getNumResults() + 2)
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << typeOf(operand)
               << "; expected " << map.getNumResults()
               << " dimensions, by its map, and 2 of the tile";
    }
    for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop)
      if (!kindOf(loop, maps))
        return op.emitOpError()
               << "has the loop d" << loop
               << ", which is neither batch (of all operands), nor m (of lhs "
                  "and out), n (of rhs and out) or k (of lhs and rhs)";
    return success();
  }

  LogicalResult verifyInnerSizes() {
    const int64_t sizes[kOperands][2] = {
        {key.m0, key.k0}, {key.n0, key.k0}, {key.m0, key.n0}};
    for (unsigned operand = 0; operand < kOperands; ++operand)
      if (typeOf(operand).getShape().take_back(2) != ArrayRef(sizes[operand]))
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << typeOf(operand)
               << ", but the tile's is ..." << sizes[operand][0] << 'x'
               << sizes[operand][1];
    return success();
  }

  LogicalResult verifyOrder() {
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      SmallVector<unsigned> expected;
      std::string order;
      for (const Kind &kind : kKinds) {
        if (!(kind.operands >> operand & 1))
          continue;
        llvm::append_range(expected, loopsOf(kind, operand, maps));
        order += (order.empty() ? "" : ", ") + std::string(kind.name);
      }
      for (unsigned dim = 0; dim < expected.size(); ++dim)
        if (maps[operand].getDimPosition(dim) != expected[dim])
          return op.emitOpError()
                 << "has the " << kNames[operand] << " map "
                 << AffineMapAttr::get(maps[operand])
                 << "; expected the kinds of loops in the order " << order;
    }
    for (const Kind &kind : kKinds) {
      unsigned first = kind.operands & 1 << kLhs ? kLhs : kRhs;
      for (unsigned operand = first + 1; operand < kOperands; ++operand)
        if (kind.operands >> operand & 1 &&
            loopsOf(kind, operand, maps) != loopsOf(kind, first, maps))
          return op.emitOpError()
                 << "has its " << kind.name << " loops in different orders in "
                 << kNames[first] << " and " << kNames[operand];
    }
    return success();
  }

  LogicalResult verifyOuterSizes() {
    struct Size {
      int64_t value = ShapedType::kDynamic;
      unsigned operand = 0;
    };
    SmallVector<Size> sizes(maps[kLhs].getNumDims());
    for (unsigned operand = 0; operand < kOperands; ++operand)
      for (unsigned dim = 0; dim < maps[operand].getNumResults(); ++dim) {
        int64_t value = typeOf(operand).getDimSize(dim);
        unsigned loop = maps[operand].getDimPosition(dim);
        if (ShapedType::isDynamic(value))
          continue;
        if (ShapedType::isDynamic(sizes[loop].value))
          sizes[loop] = {value, operand};
        if (sizes[loop].value != value)
          return op.emitOpError()
                 << "has the loop d" << loop << " of size " << sizes[loop].value
                 << " in " << kNames[sizes[loop].operand] << ", but " << value
                 << " in " << kNames[operand];
      }
    return success();
  }

  Mmt4dOp op;
  TileKey key;
  Maps maps;
};

} // namespace

LogicalResult Mmt4dOp::verify() { return Verifier(*this).verify(); }

TileKey Mmt4dOp::getKey() { return *parseTile(getTile()).key; }

StringRef Mmt4dOp::getPrefix() { return prefixOf(getTile()); }

Mmt4dOp::Dims Mmt4dOp::getDims() {
  Maps maps = mapsOf(*this);
  int64_t counts[std::size(kKinds)] = {};
  for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop)
    ++counts[kindOf(loop, maps) - kKinds];
  return {counts[0], counts[1], counts[2], counts[3]};
}

void Mmt4dOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getResult())
    return;
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    effects.emplace_back(MemoryEffects::Read::get(), operand);
  if (!getOverwrite())
    effects.emplace_back(MemoryEffects::Read::get(), &getOutMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getOutMutable());
}
