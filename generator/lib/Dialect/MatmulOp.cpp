// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.matmul: everything that its calls rely on is checked here.

#include "TileOperands.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Dialect/Windows.h"
#include "tilewright/contraction.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

class Verifier {
public:
  explicit Verifier(MatmulOp op) : op(op), maps(mapsOf(op.getIndexingMaps())) {}

  LogicalResult verify() {
    if (failed(verifyBlockScales(op, op.getTile())))
      return failure();
    key = op.getKey();
    if (key.vnni && (op.isGathered() || op.getRhsKept()))
      return op.emitOpError()
             << "names the tile '" << op.getTile().getName()
             << "', whose rhs panels are in groups along K (variant 'vnni'), "
             << (op.isGathered() ? "and gathers its lhs" : "and keeps its rhs")
             << "; expected a tile without this variant";
    return success(succeeded(verifyElements(op, key)) &&
                   succeeded(verifyForm()) &&
                   succeeded(verifyPermutations(op, maps, /*gathered=*/true)) &&
                   succeeded(verifyRanks()) && succeeded(verifyLoops()) &&
                   succeeded(verifyInnermost()) &&
                   succeeded(verifyGathered()) && succeeded(verifyPanels()) &&
                   succeeded(verifyFewRows()) && succeeded(verifySizes()));
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
    if (op.getEpilogue() && op.getNumResults())
      return op.emitOpError()
             << "has an epilogue; expected none but on buffers";
    if (!op.getEpilogue() && !op.getEpilogueOperands().empty())
      return op.emitOpError() << "has operands of an epilogue; expected "
                                 "`epilogue`, the function that takes them";
    return success();
  }

  LogicalResult verifyRanks() {
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      unsigned inner =
          operand == kRhs && op.getRhsPacked() ? rhsTileDims(key) : 0;
      if (typeOf(operand).getRank() != maps[operand].getNumResults() + inner)
        return op.emitOpError()
               << "has the " << kNames[operand] << " type " << typeOf(operand)
               << "; expected " << maps[operand].getNumResults()
               << " dimensions, by its map"
               << (inner ? ", and " + std::to_string(inner) + " of the tile"
                         : "");
    }
    return success();
  }

  /// What the loop has to be; nothing if it is of the batch, m or n.
  StringRef expectedKind(unsigned loop) {
    if (loop < op.getFirstMLoop())
      return "";
    return loop < op.getNLoop() ? "m" : loop == op.getNLoop() ? "n" : "k";
  }

  LogicalResult verifyLoops() {
    unsigned count = maps[kLhs].getNumDims();
    uint64_t needed = op.getMLoops() + 1 + op.getKLoops();
    if (count < needed || op.getMLoops() > TW_GATHER_LOOPS ||
        op.getKLoops() > TW_GATHER_LOOPS)
      return op.emitOpError()
             << "has " << count << " loops, of which " << op.getMLoops()
             << " are m and " << op.getKLoops()
             << " k; expected m, n, k, and no more than " << TW_GATHER_LOOPS
             << " of a kind";
    for (unsigned loop = 0; loop < count; ++loop) {
      const Kind *kind = kindOf(loop, maps);
      StringRef expected = expectedKind(loop);
      bool isRight = kind && (expected.empty() ? StringRef(kind->name) != "k"
                                               : expected == kind->name);
      if (!isRight)
        return op.emitOpError()
               << "has the loop d" << loop << " of kind "
               << (kind ? kind->name : "none") << "; expected "
               << (expected.empty() ? "batch, m or n" : expected);
    }
    return success();
  }

  LogicalResult verifyInnermost() {
    for (unsigned operand = 0; operand < kOperands; ++operand) {
      if (operand == kLhs && op.isGathered())
        continue;
      unsigned innermost =
          maps[operand].getDimPosition(maps[operand].getNumResults() - 1);
      if (innermost < op.getMLoop())
        return op.emitOpError() << "has the " << kNames[operand] << " map "
                                << AffineMapAttr::get(maps[operand])
                                << ", whose innermost loop is none of m, n, k";
    }
    return success();
  }

  /// Rows of a gathered lhs are rows of out, and its columns steps of panels.
  LogicalResult verifyGathered() {
    if (!op.isGathered())
      return success();
    if (!op.hasRhsPanels())
      return op.emitOpError()
             << "gathers its lhs; expected a packed rhs, or one that is kept";
    AffineMap out = maps[kOut];
    unsigned first = *out.getResultPosition(dim(op.getFirstMLoop()));
    for (unsigned i = 0; i < op.getMLoops(); ++i)
      if (first + i >= out.getNumResults() ||
          out.getResult(first + i) != dim(op.getFirstMLoop() + i))
        return op.emitOpError() << "has the out map " << AffineMapAttr::get(out)
                                << "; expected its loops of m side by side";
    if (op.getKSize().has_value() ==
        maps[kLhs].getResultPosition(dim(op.getKLoop())).has_value())
      return op.emitOpError()
             << "has " << (op.getKSize() ? "a" : "no")
             << " k_size, and the lhs map " << AffineMapAttr::get(maps[kLhs])
             << "; expected one if the last loop of k is part of a sum";
    return success();
  }

  LogicalResult verifyFewRows() {
    ArrayRef<int64_t> few = op.getFewRows();
    if (few.empty())
      return success();
    if (!op.hasRhsPanels() || op.isGathered())
      return op.emitOpError()
             << "has tiles of few rows, which are for a matrix by a packed rhs";
    int64_t before = 0;
    for (int64_t rows : few) {
      if (rows <= before || !MatmulOp::keyOfFew(key, rows))
        return op.emitOpError()
               << "has few_rows = [" << few
               << "]; expected ascending ones below the tile's "
               << key.atVectorBits(kLeastVectorBits).m0;
      before = rows;
    }
    if (few.size() > TW_CONTRACTION_FEW)
      return op.emitOpError() << "has " << few.size() << " tiles of few rows; "
                              << "calls have " << TW_CONTRACTION_FEW;
    return success();
  }

  LogicalResult verifyPanels() {
    if (int(op.getRhsPacked()) + int(op.getRhsKept()) + int(op.getThin()) > 1)
      return op.emitOpError()
             << "has more than one of `rhs_packed`, `rhs_kept` "
                "and `thin`; expected one or none";
    if (!op.getRhsPacked() && !op.isGathered())
      return success();
    AffineMap map = maps[kRhs];
    unsigned inner = 1 + unsigned(op.getKLoops());
    bool isRight = map.getNumResults() >= inner;
    for (unsigned i = 0; isRight && i < inner; ++i)
      isRight = map.getDimPosition(map.getNumResults() - inner + i) ==
                op.getNLoop() + i;
    if (!isRight)
      return op.emitOpError()
             << "has the rhs map " << AffineMapAttr::get(map)
             << "; expected it to end in n, k, as "
             << (op.getRhsPacked() ? "rhs is packed" : "lhs is gathered");
    if (!op.getRhsPacked())
      return success();
    return TileSizesVerifier(op, key).verifyRhs();
  }

  /// What is known of a loop, in elements or in panels and steps, agrees, and
  /// windows lie inside.
  LogicalResult verifySizes() {
    SmallVector<int64_t> sizes;
    for (unsigned loop = 0; loop < maps[kLhs].getNumDims(); ++loop) {
      int64_t known = ShapedType::kDynamic;
      if (loop == op.getKLoop() && op.getKSize())
        known = int64_t(*op.getKSize());
      for (unsigned operand : {kLhs, kOut, kRhs}) {
        std::optional<unsigned> position =
            maps[operand].getResultPosition(dim(loop));
        int64_t size = position ? typeOf(operand).getDimSize(*position) : known;
        if (ShapedType::isDynamic(size))
          continue;
        int64_t tile = 1;
        if (operand == kRhs && op.getRhsPacked()) {
          ArrayRef<int64_t> inner =
              typeOf(kRhs).getShape().take_back(rhsTileDims(key));
          tile = loop == op.getNLoop()   ? inner.drop_back().back()
                 : loop == op.getKLoop() ? key.k0
                                         : 1;
        }
        if (ShapedType::isDynamic(tile))
          continue;
        if (operand == kRhs && loop == op.getKLoop() && op.isGathered() &&
            !op.getRhsPacked()) {
          // Filled up to whole steps.
          if (size % key.k0 == 0 &&
              (ShapedType::isDynamic(known) ||
               size == int64_t(llvm::alignTo(known, key.k0))))
            continue;
          return op.emitOpError()
                 << "has the loop d" << loop << " of size " << known << ", but "
                 << size << " in rhs; expected whole steps of " << key.k0;
        }
        if (ShapedType::isDynamic(known) && tile == 1)
          known = size;
        if (!ShapedType::isDynamic(known) &&
            size != llvm::divideCeilSigned(known, tile))
          return op.emitOpError()
                 << "has the loop d" << loop << " of size " << known << ", but "
                 << size << " in " << kNames[operand];
      }
      sizes.push_back(known);
    }
    return verifyWindows(sizes);
  }

  LogicalResult verifyWindows(ArrayRef<int64_t> loops) {
    SmallVector<WindowTerms> indices = *windowTermsOf(maps[kLhs]);
    for (auto [dimension, terms] : llvm::enumerate(indices)) {
      int64_t size = typeOf(kLhs).getDimSize(dimension), last = 0;
      if (ShapedType::isDynamic(size))
        continue;
      for (WindowTerm term : terms) {
        // What is not known is taken for 1; of 0 nothing is read.
        int64_t loop = loops[term.loop];
        last += ShapedType::isDynamic(loop) ? 0 : (loop - 1) * term.step;
        if (loop == 0)
          return success();
      }
      if (last >= size)
        return op.emitOpError()
               << "has windows of " << last + 1 << " elements in dimension "
               << dimension << " of the lhs type " << typeOf(kLhs);
    }
    return success();
  }

  AffineExpr dim(unsigned loop) {
    return getAffineDimExpr(loop, op.getContext());
  }

  MatmulOp op;
  TileKey key;
  Maps maps;
};

} // namespace

LogicalResult MatmulOp::verify() { return Verifier(*this).verify(); }

std::optional<TileKey> MatmulOp::keyOfFew(TileKey tile, int64_t rows) {
  if (rows >= tile.atVectorBits(kLeastVectorBits).m0)
    return std::nullopt;
  tile.m0 = int(rows);
  tile.m0Scalable = false;
  if (!validateTileKey(tile).empty())
    return std::nullopt;
  return tile;
}

TileAttr MatmulOp::getTileOfFew(int64_t rows) {
  return TileAttr::get(getContext(), *keyOfFew(getKey(), rows),
                       getTile().getPrefix());
}

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
  if (getEpilogue())
    effects.emplace_back(MemoryEffects::Read::get(), &getOutMutable());
  for (OpOperand &operand : getEpilogueOperandsMutable())
    if (isa<MemRefType>(operand.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
}

LogicalResult MatmulOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getEpilogue())
    return success();
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      getOperation(), getEpilogueAttr());
  if (!callee)
    return emitOpError() << "has the epilogue @" << *getEpilogue()
                         << ", which is no function";
  // The batch's loops, the rows and the columns.
  SmallVector<Type> expected(getEpilogueOperands().getTypes());
  expected.append(getFirstMLoop() + 4, IntegerType::get(getContext(), 64));
  if (callee.getArgumentTypes() != ArrayRef(expected) || callee.getNumResults())
    return emitOpError() << "has the epilogue @" << *getEpilogue()
                         << " of type " << callee.getFunctionType()
                         << "; expected "
                         << FunctionType::get(getContext(), expected, {});
  return success();
}

bool MatmulOp::isGathered() {
  return getMLoops() > 1 || getKLoops() > 1 ||
         !getMaps().front().isProjectedPermutation();
}
