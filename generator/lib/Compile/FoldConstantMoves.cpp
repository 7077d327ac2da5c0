// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-constant-moves: slices and casts of weights are constants, too.

#include "ElementCasts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

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

/// Operations on elements read what they read of it where it lies, and compute
/// while they read; casts and transposes among them are for who reads these.
bool isReadByElements(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    if (!reader || reader.getNumParallelLoops() != reader.getNumLoops())
      return false;
    bool isMove = isTranspose(reader) || !castsOf(reader).empty();
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

/// By their texts: a model's weights are alike.
using CastsByText = llvm::StringMap<std::optional<ElementCasts>>;

struct FoldCast : OpInterfaceRewritePattern<linalg::LinalgOp> {
  FoldCast(MLIRContext *context, bool nativeF16, CastsByText &known)
      : OpInterfaceRewritePattern(context), nativeF16(nativeF16), made(known) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> casts = castsOf(op);
    if (casts.empty() || op->use_empty() || isReadByElements(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<Known> known = knownValue(op.getDpsInputs()[0]);
    if (!type || !type.hasStaticShape() || !known)
      return failure();
    // Programs that share a file may differ in it.
    std::string how = textOf(casts) + (nativeF16 ? " with f16" : "");
    auto [entry, isNew] = made.try_emplace(how);
    if (isNew)
      entry->second = ElementCasts::of(casts, nativeF16);
    if (!entry->second)
      return failure();
    const ElementCasts &all = *entry->second;
    const ConstantElements &source = known->elements;
    // Called before this returns: on the way to another constant.
    auto fill = [&](MutableArrayRef<char> to) { all.fill(source, to); };
    if (source.isSplat) {
      SmallVector<char, 8> one(all.resultBytes());
      fill(one);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseElementsAttr::getFromRawBuffer(type, one));
      return success();
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, makeBetween(type, all.resultBytes(), how, source.bytes, fill));
    return success();
  }

private:
  bool nativeF16;
  CastsByText &made;
};

/// Whether something else that is folded here reads what a reshape or transpose
/// makes. Else a multiplication goes through the constant in the other order.
bool isMovedOn(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isMovedOn(user);
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return isa<tensor::ExtractSliceOp>(user) ||
           (reader && (isTranspose(reader) || !castsOf(reader).empty()));
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
    else if (linalgOp && (isTranspose(linalgOp) || !castsOf(linalgOp).empty()))
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
  using FoldConstantMovesBase::FoldConstantMovesBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isOfConstant(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    CastsByText casts;
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldSlice, FoldTranspose, FoldReshape<tensor::ExpandShapeOp>,
                 FoldReshape<tensor::CollapseShapeOp>>(&getContext());
    patterns.add<FoldCast>(&getContext(), nativeF16, casts);
    // Nothing but these, which is quick where there are none.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
