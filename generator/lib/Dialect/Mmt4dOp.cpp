// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.mmt4d: everything that calls of tile functions rely on is checked here.

#include "TileOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

/// The loops of a kind, in the order in which they index an operand.
SmallVector<unsigned> loopsOf(const Kind &kind, unsigned operand,
                              const Maps &maps) {
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < maps[operand].getNumResults(); ++dim)
    if (kindOf(maps[operand].getDimPosition(dim), maps) == &kind)
      loops.push_back(maps[operand].getDimPosition(dim));
  return loops;
}

class Verifier {
public:
  explicit Verifier(Mmt4dOp op) : op(op) {}

  LogicalResult verify() {
    return success(succeeded(verifyTile()) &&
                   succeeded(verifyElements(op, key)) &&
                   succeeded(verifyMaps()) && succeeded(verifyInnerSizes()) &&
                   succeeded(verifyOrder()) && succeeded(verifyOuterSizes()) &&
                   succeeded(verifyScales()));
  }

private:
  ShapedType typeOf(unsigned operand) {
    return cast<ShapedType>(op->getOperand(operand).getType());
  }

  LogicalResult verifyTile() {
    key = op.getKey();
    return verifyBlockScales(op, op.getTile(), isScaled());
  }

  LogicalResult verifyMaps() {
    maps = mapsOf(op.getIndexingMaps());
    if (failed(verifyPermutations(op, maps)))
      return failure();
    for (unsigned operand = 0; operand < kOperands; ++operand)
      if (typeOf(operand).getRank() !=
          maps[operand].getNumResults() + innerRank(operand))
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << typeOf(operand)
               << "; expected " << maps[operand].getNumResults()
               << " dimensions, by its map, and " << innerRank(operand)
               << " of the tile";
    for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop)
      if (!kindOf(loop, maps))
        return op.emitOpError()
               << "has the loop d" << loop
               << ", which is neither batch (of all operands), nor m (of lhs "
                  "and out), n (of rhs and out) or k (of lhs and rhs)";
    return success();
  }

  bool isScaled() { return !op.getScales().empty(); }

  /// Blocks of the elements of scaled operands are a dimension.
  int64_t innerRank(unsigned operand) {
    if (operand == kRhs && !isScaled())
      return rhsTileDims(key);
    return isScaled() && operand != kOut ? 3 : 2;
  }

  LogicalResult verifyBlocks(unsigned operand, int64_t rows) {
    ShapedType type = typeOf(operand);
    const TypeTripleInfo &types = info(key.types);
    // Of elements of less than a byte, the bytes of a block.
    int bits = info(operand == kLhs ? types.lhs : types.rhs).bits;
    int64_t block = bits < 8 ? kScaleBlock * bits / 8 : kScaleBlock;
    const int64_t expected[] = {rows, key.k0 / kScaleBlock, block};
    if (type.getShape().take_back(3) == ArrayRef(expected))
      return success();
    return op.emitOpError() << "has the " << kNames[operand] << " type " << type
                            << ", but the tile's is ..." << expected[0] << 'x'
                            << expected[1] << 'x' << expected[2];
  }

  /// One for each block of the panels of lhs and rhs.
  LogicalResult verifyScales() {
    if (!isScaled())
      return success();
    if (op.getScales().size() != 2)
      return op.emitOpError() << "has " << op.getScales().size()
                              << " panels of block scales; expected those of "
                                 "lhs and of rhs";
    for (auto [operand, scales] : llvm::enumerate(op.getScales())) {
      auto type = cast<ShapedType>(scales.getType());
      ShapedType of = typeOf(operand);
      // But the blocks themselves, and the loop over them.
      int64_t blockLoop = maps[operand].getNumResults() - 1;
      SmallVector<int64_t> expected(of.getShape().drop_back());
      int64_t blocks = expected[blockLoop];
      expected.erase(expected.begin() + blockLoop);
      if (kindOf(maps[operand].getDimPosition(blockLoop), maps)->name !=
              StringRef("k") ||
          blocks != 1)
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << of
               << "; expected its last loop to be one of k, of one iteration, "
                  "over blocks of "
               << kScaleBlock;
      if (isa<RankedTensorType>(type) != isa<RankedTensorType>(of) ||
          !isa<Float8E8M0FNUType>(type.getElementType()) ||
          failed(verifyCompatibleShape(type.getShape(), expected)) ||
          type.getShape().take_back(2) != ArrayRef(expected).take_back(2))
        return op.emitOpError()
               << "has scales of " << kNames[operand] << " of type " << type
               << "; expected f8E8M0FNU and the dimensions of " << of
               << " but those of a block";
    }
    return success();
  }

  LogicalResult verifyInnerSizes() {
    using Sizes = TileSizesVerifier;
    Sizes sizes(op, key);
    if (isScaled())
      return success(succeeded(verifyBlocks(kLhs, key.m0)) &&
                     succeeded(verifyBlocks(kRhs, key.n0)) &&
                     succeeded(sizes.verify(kOut, Sizes::kM0, Sizes::kN0)));
    return success(succeeded(sizes.verify(kLhs, Sizes::kM0, Sizes::kK0)) &&
                   succeeded(sizes.verifyRhs()) &&
                   succeeded(sizes.verify(kOut, Sizes::kM0, Sizes::kN0)));
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

Mmt4dOp::Dims Mmt4dOp::getDims() {
  Maps maps = mapsOf(getIndexingMaps());
  int64_t counts[std::size(kKinds)] = {};
  for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop)
    ++counts[kindOf(loop, maps) - kKinds];
  return {counts[0], counts[1], counts[2], counts[3]};
}

unsigned Mmt4dOp::getTileDims(unsigned operand) {
  // Of a scaled operand the loop over a block is known, too.
  if (!getScales().empty())
    return operand < kOut ? 4 : 2;
  return operand == kRhs ? rhsTileDims(getKey()) : 2;
}

void Mmt4dOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getResult())
    return;
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand &scales : getScalesMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &scales);
  if (!getOverwrite())
    effects.emplace_back(MemoryEffects::Read::get(), &getOutMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getOutMutable());
}
