// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.matmul: everything that its calls rely on is checked here.

#include "TileOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

/// The loops of the matrices, behind all others: m, n, k.
constexpr unsigned kMatrixLoops = 3;

class Verifier {
public:
  explicit Verifier(MatmulOp op) : op(op), maps(mapsOf(op.getIndexingMaps())) {}

  LogicalResult verify() {
    FailureOr<TileKey> named = verifyTileName(op, op.getTile());
    if (failed(named))
      return failure();
    key = *named;
    return success(
        succeeded(verifyElements(op, key)) && succeeded(verifyForm()) &&
        succeeded(verifyPermutations(op, maps)) && succeeded(verifyRanks()) &&
        succeeded(verifyLoops()) && succeeded(verifyInnermost()) &&
        succeeded(verifyPanels()) && succeeded(verifySizes()));
  }

private:
  ShapedType typeOf(unsigned operand) {
    return cast<ShapedType>(op->getOperand(operand).getType());
  }

  LogicalResult verifyForm() {
    auto workspace = cast<ShapedType>(op.getWorkspace().getType());
    if (workspace.getRank() != 1 || !workspace.getElementType().isInteger(8))
      return op.emitOpError() << "has the workspace type " << workspace
                              << "; expected one dimension of i8";
    if (op.getNumResults() != 0 && op.getNumResults() != 2)
      return op.emitOpError() << "has " << op.getNumResults()
                              << " results; expected out and the workspace";
    return success();
  }

  LogicalResult verifyRanks() {
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      unsigned inner = operand == kRhs && op.getRhsPacked() ? 2 : 0;
      if (typeOf(operand).getRank() != maps[operand].getNumResults() + inner)
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << typeOf(operand)
               << "; expected " << maps[operand].getNumResults()
               << " dimensions, by its map"
               << (inner ? ", and 2 of the tile" : "");
    }
    return success();
  }

  LogicalResult verifyLoops() {
    unsigned count = maps[kLhs].getNumDims();
    if (count < kMatrixLoops)
      return op.emitOpError() << "has " << count << " loops; expected m, n, k";
    for (unsigned loop = 0; loop < count; ++loop) {
      const Kind *kind = kindOf(loop, maps);
      StringRef expected = "batch, m or n";
      bool isRight = kind && StringRef(kind->name) != "k";
      if (loop + kMatrixLoops >= count) {
        expected = kKinds[loop + kMatrixLoops - count + 1].name;
        isRight = kind && kind->name == expected;
      }
      if (!isRight)
        return op.emitOpError()
               << "has the loop d" << loop << " of kind "
               << (kind ? kind->name : "none") << "; expected " << expected;
    }
    return success();
  }

  unsigned innermost(unsigned operand) {
    return maps[operand].getDimPosition(maps[operand].getNumResults() - 1);
  }

  LogicalResult verifyInnermost() {
    for (unsigned operand = 0; operand < kOperands; ++operand)
      if (innermost(operand) < op.getMLoop())
        return op.emitOpError()
               << "has the " << kNames[operand] << " map "
               << AffineMapAttr::get(maps[operand])
               << ", whose innermost loop is none of the last three";
    return success();
  }

  LogicalResult verifyPanels() {
    if (!op.getRhsPacked())
      return success();
    if (op.getThin())
      return op.emitOpError()
             << "is thin, but the rhs is packed; expected one of both";
    AffineMap map = maps[kRhs];
    unsigned rank = map.getNumResults();
    if (rank < 2 || map.getDimPosition(rank - 2) != op.getNLoop() ||
        map.getDimPosition(rank - 1) != op.getKLoop())
      return op.emitOpError()
             << "has the rhs map " << AffineMapAttr::get(map)
             << "; expected it to end in n, k, as rhs is packed";
    const int64_t sizes[] = {key.n0, key.k0};
    if (typeOf(kRhs).getShape().take_back(2) != ArrayRef(sizes))
      return op.emitOpError()
             << "has the rhs type " << typeOf(kRhs) << ", but the tile's is ..."
             << key.n0 << 'x' << key.k0;
    return success();
  }

  /// What is known of a loop, in elements or in panels and steps, agrees.
  LogicalResult verifySizes() {
    for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop) {
      int64_t known = ShapedType::kDynamic;
      for (unsigned operand : {kLhs, kOut, kRhs}) {
        std::optional<unsigned> dim =
            maps[operand].getResultPosition(getAffineDimExpr(loop));
        int64_t size = dim ? typeOf(operand).getDimSize(*dim) : known;
        if (ShapedType::isDynamic(size))
          continue;
        int64_t tile = 1;
        if (operand == kRhs && op.getRhsPacked())
          tile = loop == op.getNLoop()   ? key.n0
                 : loop == op.getKLoop() ? key.k0
                                         : 1;
        if (ShapedType::isDynamic(known) && tile == 1)
          known = size;
        if (!ShapedType::isDynamic(known) &&
            size != llvm::divideCeilSigned(known, tile))
          return op.emitOpError()
                 << "has the loop d" << loop << " of size " << known << ", but "
                 << size << " in " << kNames[operand];
      }
    }
    return success();
  }

  AffineExpr getAffineDimExpr(unsigned loop) {
    return mlir::getAffineDimExpr(loop, op.getContext());
  }

  MatmulOp op;
  TileKey key;
  Maps maps;
};

} // namespace

LogicalResult MatmulOp::verify() { return Verifier(*this).verify(); }

TileKey MatmulOp::getKey() { return *parseTile(getTile()).key; }

SmallVector<AffineMap> MatmulOp::getMaps() { return mapsOf(getIndexingMaps()); }

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getNumResults())
    return;
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    effects.emplace_back(MemoryEffects::Read::get(), operand);
  if (!getOverwrite())
    effects.emplace_back(MemoryEffects::Read::get(), &getOutMutable());
  for (OpOperand *operand : {&getOutMutable(), &getWorkspaceMutable()})
    effects.emplace_back(MemoryEffects::Write::get(), operand);
}
