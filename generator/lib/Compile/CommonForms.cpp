// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-common-forms: what front ends write in several ways, in one.

#include "CTypes.h"
#include "ConstantElements.h"
#include "FlooredLoops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_COMMONFORMS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Loops that carry what the threads share: each writes its slices in turn.
void toLoops(scf::ForallOp forall) {
  IRRewriter rewriter(forall);
  Location loc = forall.getLoc();
  auto valuesOf = [&](ArrayRef<OpFoldResult> bounds) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, bounds);
  };
  SmallVector<Value> lower = valuesOf(forall.getMixedLowerBound()),
                     upper = valuesOf(forall.getMixedUpperBound()),
                     step = valuesOf(forall.getMixedStep());
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> carried(forall.getOutputs()), arguments;
  for (auto [from, to, by] : llvm::zip_equal(lower, upper, step)) {
    auto loop = scf::ForOp::create(rewriter, loc, from, to, by, carried);
    if (carried.empty())
      rewriter.eraseOp(loop.getBody()->getTerminator());
    loops.push_back(loop);
    arguments.push_back(loop.getInductionVar());
    llvm::copy(loop.getRegionIterArgs(), carried.begin());
    rewriter.setInsertionPointToEnd(loop.getBody());
  }
  llvm::append_range(arguments, carried);
  auto end = cast<scf::InParallelOp>(forall.getBody()->getTerminator());
  Block *inner = loops.back().getBody();
  rewriter.inlineBlockBefore(forall.getBody(), inner, inner->end(), arguments);
  rewriter.setInsertionPoint(end);
  // Several slices may go into one.
  const SmallVector<Value> shared = carried;
  for (Operation &op : end.getYieldingOps()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    Value &dest =
        carried[llvm::find(shared, insert.getDest()) - shared.begin()];
    dest = tensor::InsertSliceOp::create(
        rewriter, insert.getLoc(), insert.getSource(), dest,
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
  }
  rewriter.eraseOp(end);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    rewriter.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(rewriter, loc, carried);
    llvm::copy(loop.getResults(), carried.begin());
  }
  rewriter.replaceOp(forall, carried);
}

/// Branches, each in what the one before does else.
void toBranches(scf::IndexSwitchOp choice) {
  IRRewriter rewriter(choice);
  Location loc = choice.getLoc();
  auto fill = [&](Block &to, Region &from) {
    to.clear();
    rewriter.inlineBlockBefore(&from.front(), &to, to.end());
  };
  scf::IfOp first;
  for (auto [number, region] :
       llvm::zip_equal(choice.getCases(), choice.getCaseRegions())) {
    Value wanted = arith::ConstantIndexOp::create(rewriter, loc, number);
    Value is = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                     choice.getArg(), wanted);
    auto branch = scf::IfOp::create(rewriter, loc, choice.getResultTypes(), is,
                                    /*withElseRegion=*/true);
    if (first)
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    else
      first = branch;
    fill(*branch.thenBlock(), region);
    branch.elseBlock()->clear();
    rewriter.setInsertionPointToEnd(branch.elseBlock());
  }
  if (first) {
    fill(*rewriter.getInsertionBlock(), choice.getDefaultRegion());
    rewriter.replaceOp(choice, first.getResults());
    return;
  }
  Block &always = choice.getDefaultRegion().front();
  auto yield = cast<scf::YieldOp>(always.getTerminator());
  SmallVector<Value> results(yield.getResults());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&always, choice);
  rewriter.replaceOp(choice, results);
}

/// Of elements that are part of a byte a file may say the other bits, too.
void cleanBytes(arith::ConstantOp op) {
  auto value = dyn_cast<ElementsAttr>(op.getValue());
  if (!value || !isPartOfByte(value.getElementType()))
    return;
  std::optional<ConstantElements> elements = ConstantElements::of(value);
  char mask = (1 << value.getElementType().getIntOrFloatBitWidth()) - 1;
  if (!elements ||
      llvm::all_of(elements->bytes, [&](char byte) { return !(byte & ~mask); }))
    return;
  ElementsAttr cleaned =
      changeBytes(cast<RankedTensorType>(op.getType()), *elements,
                  [&](char byte) -> char { return byte & mask; });
  op.setValueAttr(cast<TypedAttr>(cleaned));
}

struct CommonFormsPass : impl::CommonFormsBase<CommonFormsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> foralls;
    SmallVector<scf::IndexSwitchOp> choices;
    SmallVector<linalg::GenericOp> generics;
    // Inner ones first.
    getOperation().walk([&](Operation *op) {
      if (auto forall = dyn_cast<scf::ForallOp>(op))
        foralls.push_back(forall);
      else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
        choices.push_back(choice);
      else if (auto constant = dyn_cast<arith::ConstantOp>(op))
        cleanBytes(constant);
      else if (auto generic = dyn_cast<linalg::GenericOp>(op))
        generics.push_back(generic);
    });
    for (scf::ForallOp forall : foralls)
      toLoops(forall);
    for (scf::IndexSwitchOp choice : choices)
      toBranches(choice);
    for (linalg::GenericOp generic : generics)
      splitFlooredLoops(generic);
  }
};

} // namespace
} // namespace tilewright
