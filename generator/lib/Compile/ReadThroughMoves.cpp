// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadThroughMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Operations of a body that is computed again for each of its readers' bodies.
constexpr int64_t kMostOperations = 24;

/// Whether it costs no more than to load what it would have stored. Of a
/// branch both sides may be computed.
bool isCheap(Operation *op) {
  return isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp, scf::IfOp,
             scf::YieldOp, arith::ConstantOp, arith::NegFOp, arith::AddFOp,
             arith::SubFOp, arith::MulFOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, arith::AndIOp, arith::CmpIOp, arith::SelectOp,
             arith::IndexCastOp, arith::ExtFOp, arith::TruncFOp>(op);
}

/// Whether elements that follow each other in the result do so, or are one, in
/// what is read.
bool keepsRows(AffineMap from, AffineMap to) {
  if (from.getNumResults() == 0 || to.getNumResults() == 0)
    return true;
  auto innermost = cast<AffineDimExpr>(to.getResults().back());
  return from.getResults().back() == innermost ||
         !from.isFunctionOfDim(innermost.getPosition());
}

/// Whether the elements of `producer` may be computed where one use reads them.
bool isMove(linalg::LinalgOp producer) {
  if (!producer.hasPureTensorSemantics() || producer.getNumDpsInits() != 1 ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      isa<linalg::FillOp>(producer))
    return false;
  OpOperand *init = producer.getDpsInitOperand(0);
  AffineMap to = producer.getMatchingIndexingMap(init);
  if (!to.isPermutation() || producer.payloadUsesValueFromOperand(init))
    return false;
  int64_t count = 0;
  bool areCheap = true, isAtComputed = false, computes = false;
  producer.getBlock()->walk([&](Operation *op) {
    ++count;
    areCheap &= isCheap(op);
    isAtComputed |= isa<tensor::ExtractOp>(op);
    for (Type type : op->getResultTypes())
      computes |= isa<FloatType>(type) &&
                  !isa<tensor::ExtractOp, scf::IfOp, arith::ConstantOp>(op);
  });
  if (!areCheap || count > kMostOperations ||
      (computes && !producer->hasOneUse()))
    return false;
  // What goes through its operands in order is fused otherwise, or is the
  // epilogue of what made them.
  SmallVector<OpOperand *> inputs = producer.getDpsInputOperands();
  if (isAtComputed)
    return llvm::all_of(
        inputs, [&](OpOperand *input) { return producer.isScalar(input); });
  if (inputs.size() != 1 || count > 1 || producer.isScalar(inputs[0]))
    return false;
  AffineMap from = producer.getMatchingIndexingMap(inputs[0]);
  return producer.getBlock()->getTerminator()->getOperand(0) ==
             producer.getMatchingBlockArgument(inputs[0]) &&
         from.isProjectedPermutation() && keepsRows(from, to);
}

struct ReadThroughMove : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp read,
                                PatternRewriter &rewriter) const override {
    auto reader = read->getParentOfType<linalg::LinalgOp>();
    auto producer = read.getTensor().getDefiningOp<linalg::LinalgOp>();
    if (!reader || !producer || reader->getBlock() != producer->getBlock() ||
        !areTogether(reader, producer) || !isMove(producer))
      return failure();
    // The iteration that made the element.
    OpOperand *init = producer.getDpsInitOperand(0);
    SmallVector<Value> at(producer.getNumLoops());
    for (auto [expr, index] :
         llvm::zip_equal(producer.getMatchingIndexingMap(init).getResults(),
                         read.getIndices()))
      at[cast<AffineDimExpr>(expr).getPosition()] = index;
    IRMapping mapping;
    for (OpOperand *input : producer.getDpsInputOperands()) {
      Value element = input->get();
      if (!producer.isScalar(input)) {
        SmallVector<Value> indices;
        for (AffineExpr expr :
             producer.getMatchingIndexingMap(input).getResults())
          indices.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
        element = tensor::ExtractOp::create(rewriter, read.getLoc(), element,
                                            indices);
      }
      mapping.map(producer.getMatchingBlockArgument(input), element);
    }
    Block *body = producer.getBlock();
    for (Operation &op : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op))
        mapping.map(index.getResult(), at[index.getDim()]);
      else
        rewriter.clone(op, mapping);
    }
    rewriter.replaceOp(
        read, mapping.lookupOrDefault(body->getTerminator()->getOperand(0)));
    return success();
  }
};

} // namespace

void populateReadThroughMoves(RewritePatternSet &patterns) {
  patterns.add<ReadThroughMove>(patterns.getContext());
}

} // namespace tilewright
