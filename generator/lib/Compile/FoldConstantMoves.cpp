// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-constant-moves: slices and casts of weights are constants, too.

#include "ConstantElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"
#include <cstring>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDCONSTANTMOVES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A constant whose bytes are known.
struct Known {
  ElementsAttr value;
  ConstantElements elements;
};

std::optional<Known> knownValue(Value tensor) {
  ElementsAttr value;
  if (!matchPattern(tensor, m_Constant(&value)))
    return std::nullopt;
  std::optional<ConstantElements> elements = ConstantElements::of(value);
  if (!elements)
    return std::nullopt;
  return Known{value, *elements};
}

/// What casts make of an element, one after the other.
class CastChain {
public:
  /// Of the elements of one tensor; none if `op` does anything else.
  static std::optional<CastChain> of(linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
        op.getNumDpsInits() != 1 ||
        op.getNumParallelLoops() != op.getNumLoops() ||
        !llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }))
      return std::nullopt;
    CastChain chain;
    Value value = op.getBlock()->getTerminator()->getOperand(0);
    while (Operation *cast = value.getDefiningOp()) {
      if (!isFolded(cast))
        return std::nullopt;
      chain.casts.insert(chain.casts.begin(), cast);
      value = cast->getOperand(0);
    }
    if (value != op.getBlock()->getArgument(0) || chain.casts.empty() ||
        chain.casts.size() + 1 != op.getBlock()->getOperations().size())
      return std::nullopt;
    return chain;
  }

  Type from() const { return casts.front()->getOperand(0).getType(); }

  APInt apply(APInt bits) const {
    for (Operation *cast : casts)
      bits = apply(cast, bits);
    return bits;
  }

  std::string text() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "cast " << from();
    for (Operation *cast : casts)
      os << ' ' << cast->getName() << ' ' << cast->getResult(0).getType();
    return text;
  }

private:
  /// Small floats round in ways of their own, with instructions or without.
  static bool isFolded(Operation *cast) {
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(cast))
      return false;
    Type to = cast->getResult(0).getType();
    auto truncation = dyn_cast<arith::TruncFOp>(cast);
    return to.isIntOrFloat() &&
           (to.isInteger() || to.getIntOrFloatBitWidth() >= 16) &&
           !(truncation && truncation.getRoundingmode());
  }

  static APInt apply(Operation *cast, const APInt &bits) {
    Type from = cast->getOperand(0).getType(),
         to = cast->getResult(0).getType();
    unsigned width = to.getIntOrFloatBitWidth();
    if (isa<arith::ExtSIOp>(cast))
      return bits.sext(width);
    if (isa<arith::ExtUIOp>(cast))
      return bits.zext(width);
    if (isa<arith::TruncIOp>(cast))
      return bits.trunc(width);
    const llvm::fltSemantics &semantics =
        llvm::cast<FloatType>(to).getFloatSemantics();
    constexpr auto kNearest = llvm::RoundingMode::NearestTiesToEven;
    if (auto number = dyn_cast<FloatType>(from)) {
      APFloat value(number.getFloatSemantics(), bits);
      bool isInexact;
      value.convert(semantics, kNearest, &isInexact);
      return value.bitcastToAPInt();
    }
    APFloat value(semantics);
    value.convertFromAPInt(bits, /*IsSigned=*/isa<arith::SIToFPOp>(cast),
                           kNearest);
    return value.bitcastToAPInt();
  }

  SmallVector<Operation *> casts;
};

/// Operations on elements read what they read of it where it lies, and compute
/// while they read; casts and transposes among them are for who reads these.
bool isReadByElements(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    if (!reader || reader.getNumParallelLoops() != reader.getNumLoops())
      return false;
    bool isMove = isTranspose(reader) || CastChain::of(reader);
    return !isMove || isReadByElements(user);
  });
}

struct FoldSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType(), from = op.getSourceType();
    if (!type.hasStaticShape() || !from.hasStaticShape() ||
        !op.getOffsets().empty() || !op.getStrides().empty() ||
        op->use_empty() || isReadByElements(op))
      return failure();
    std::optional<Known> known = knownValue(op.getSource());
    if (!known)
      return failure();
    const ConstantElements &source = known->elements;
    if (source.isSplat) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseElementsAttr::getFromRawBuffer(type, source.bytes));
      return success();
    }
    int64_t offset = 0;
    SmallVector<ElementStep> steps;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [dim, size, start, stride] : llvm::enumerate(
             from.getShape(), op.getStaticOffsets(), op.getStaticStrides())) {
      offset = offset * size + start;
      if (!dropped.test(dim))
        steps.push_back({int64_t(dim), stride});
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, makeMovedBetween(type, source, from.getShape(), steps, offset));
    return success();
  }
};

/// Of each value that an element of 16 bits or less may have, what it becomes.
struct CastTable {
  int64_t elementBytes;
  std::vector<char> values;

  /// None of a type that has no bytes of its own in memory.
  static std::optional<CastTable> of(const CastChain &chain, Type to) {
    unsigned fromBits = chain.from().getIntOrFloatBitWidth(),
             toBits = to.getIntOrFloatBitWidth();
    if (fromBits > 16 ||
        (toBits != 8 && toBits != 16 && toBits != 32 && toBits != 64))
      return std::nullopt;
    CastTable table{toBits / 8, {}};
    table.values.resize((size_t(1) << fromBits) * table.elementBytes);
    for (uint64_t bits = 0; bits < uint64_t(1) << fromBits; ++bits) {
      uint64_t word = chain.apply(APInt(fromBits, bits)).getZExtValue();
      std::memcpy(&table.values[bits * table.elementBytes], &word,
                  table.elementBytes); // little-endian
    }
    return table;
  }

  template <class Word> void fill(ArrayRef<char> from, char *to) const {
    // Of less than a byte, the others of its bits say nothing.
    size_t mask = values.size() / elementBytes - 1;
    for (size_t at = 0; at < from.size();
         at += sizeof(Word), to += elementBytes) {
      Word word;
      std::memcpy(&word, &from[at], sizeof(Word));
      std::memcpy(to, &values[(word & mask) * elementBytes], elementBytes);
    }
  }
};

/// By the chains' texts: a model's weights are alike.
using CastTables = llvm::StringMap<std::shared_ptr<const CastTable>>;

struct FoldCast : OpInterfaceRewritePattern<linalg::LinalgOp> {
  FoldCast(MLIRContext *context, CastTables &tables)
      : OpInterfaceRewritePattern(context), tables(tables) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<CastChain> chain = CastChain::of(op);
    if (!chain || op->use_empty() || isReadByElements(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<Known> known = knownValue(op.getDpsInputs()[0]);
    if (!type || !type.hasStaticShape() || !known)
      return failure();
    std::string how = chain->text();
    auto [entry, isNew] = tables.try_emplace(how);
    if (isNew)
      if (std::optional<CastTable> made =
              CastTable::of(*chain, type.getElementType()))
        entry->second = std::make_shared<const CastTable>(std::move(*made));
    std::shared_ptr<const CastTable> table = entry->second;
    if (!table)
      return failure();
    const ConstantElements &source = known->elements;
    auto fill = [table, source](MutableArrayRef<char> to) {
      if (source.elementBytes == 1)
        table->fill<uint8_t>(source.bytes, to.data());
      else
        table->fill<uint16_t>(source.bytes, to.data());
    };
    if (source.isSplat) {
      SmallVector<char, 8> one(table->elementBytes);
      fill(one);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseElementsAttr::getFromRawBuffer(type, one));
      return success();
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, makeBetween(type, table->elementBytes, how, source.bytes, fill));
    return success();
  }

private:
  CastTables &tables;
};

/// Whether something else that is folded here reads what a reshape or transpose
/// makes. Else a multiplication goes through the constant in the other order.
bool isMovedOn(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isMovedOn(user);
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return isa<tensor::ExtractSliceOp>(user) ||
           (reader && (isTranspose(reader) || CastChain::of(reader)));
  });
}

struct FoldTranspose : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    return success(isTranspose(op) && isMovedOn(op) &&
                   succeeded(foldConstantTranspose(op, rewriter)));
  }
};

/// Upstream reshapes constants that are attributes, not those that are
/// resources.
template <class Reshape> struct FoldReshape : OpRewritePattern<Reshape> {
  using OpRewritePattern<Reshape>::OpRewritePattern;

  LogicalResult matchAndRewrite(Reshape op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    std::optional<Known> known = knownValue(op.getSrc());
    if (!known || !type.hasStaticShape() || !isMovedOn(op) ||
        !isa<DenseResourceElementsAttr>(known->value))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, makeReshaped(type, known->elements.bytes));
    return success();
  }
};

/// Whether `op` is one that is folded here, of a constant that nothing else has
/// a part in.
bool isOfConstant(Operation *op) {
  while (op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    Value source;
    if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>(op))
      source = op->getOperand(0);
    else if (linalgOp && (isTranspose(linalgOp) || CastChain::of(linalgOp)))
      source = linalgOp.getDpsInputs()[0];
    else
      return false;
    if (matchPattern(source, m_Constant()))
      return true;
    op = source.getDefiningOp();
  }
  return false;
}

struct FoldConstantMovesPass
    : impl::FoldConstantMovesBase<FoldConstantMovesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isOfConstant(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    CastTables tables;
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldSlice, FoldTranspose, FoldReshape<tensor::ExpandShapeOp>,
                 FoldReshape<tensor::CollapseShapeOp>>(&getContext());
    patterns.add<FoldCast>(&getContext(), tables);
    // Nothing but these, which is quick where there are none.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
