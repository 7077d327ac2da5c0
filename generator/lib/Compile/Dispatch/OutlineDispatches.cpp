// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-outline-dispatches: the work of a model as functions, equal ones once.

#include "../OperationKind.h"
#include "DispatchGroups.h"
#include "Epilogue.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_OUTLINEDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Takes apart the regions of `func`: the operations that may be part of a
/// dispatch, and the number of each one's region, from 1.
DispatchGroups::Regions inlineRegions(func::FuncOp func) {
  DispatchGroups::Regions regionOf;
  SmallVector<tw::DispatchRegionOp> regions;
  func.walk([&](tw::DispatchRegionOp region) { regions.push_back(region); });
  IRRewriter rewriter(func.getContext());
  for (auto [number, region] : llvm::enumerate(regions)) {
    Block &body = region.getBody().front();
    for (Operation &op : body) {
      if (!isDispatchable(&op))
        continue;
      regionOf[&op] = number + 1;
      if (!op.hasAttr(kDeviceAttr))
        placeLike(&op, region);
    }
    Operation *yield = body.getTerminator();
    SmallVector<Value> values(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&body, region);
    rewriter.replaceOp(region, values);
  }
  return regionOf;
}

class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module) {}

  LogicalResult outline(func::FuncOp func) {
    DispatchGroups groups(inlineRegions(func));
    groups.giveEachItsOwn(func);
    hoistSizes(func);
    collapseEpilogues(func);
    for (Block *block : DispatchGroups::blocksOf(func))
      for (ArrayRef<Operation *> group : groups.groupsOf(*block))
        if (failed(replace(group, groups.placeOf(group.back()))))
          return failure();
    return success();
  }

private:
  /// Sizes that bodies ask for become scalars, which functions are given.
  static void hoistSizes(func::FuncOp func) {
    SmallVector<std::pair<Operation *, Operation *>> sizes;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isDispatchable(op))
        return WalkResult::advance();
      op->walk([&](Operation *size) {
        if (isa<tensor::DimOp, memref::DimOp>(size) &&
            llvm::none_of(size->getOperands(), [&](Value operand) {
              return op->isAncestor(operand.getParentBlock()->getParentOp());
            }))
          sizes.push_back({size, op});
      });
      return WalkResult::skip();
    });
    for (auto [size, op] : sizes)
      size->moveBefore(op);
  }

  LogicalResult replace(ArrayRef<Operation *> all, Place place) {
    Operation *last = all.back();
    // A reshape of what is read stays outside.
    SmallVector<Operation *> group;
    for (Operation *op : all) {
      if (isa<DestinationStyleOpInterface>(op)) {
        group.push_back(op);
        continue;
      }
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return llvm::is_contained(group, operand.getDefiningOp());
          }))
        return op->emitOpError("is in the middle of a dispatch");
    }
    if (place == Place::Device && isa<linalg::PackOp, linalg::UnPackOp>(last))
      return last->emitOpError("of the device was not lowered");
    DispatchFunction dispatch = makeDispatchFunction(group, module, place);
    Operation *named = last;
    for (Operation *op : group)
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          isa<tw::MatmulOp, tw::Mmt4dOp>(op) ||
          (linalgOp && linalgOp.getNumReductionLoops()))
        named = op;
    StringRef callee = unique(dispatch.func, kindOf(named));
    OpBuilder builder(last);
    auto call = tw::DispatchOp::create(
        builder, last->getLoc(), ValueRange(dispatch.outputs).getTypes(),
        FlatSymbolRefAttr::get(module.getContext(), callee), dispatch.inputs,
        dispatch.outputs, builder.getDenseBoolArrayAttr(dispatch.accumulates));
    for (auto [result, value] :
         llvm::zip_equal(dispatch.results, call.getResults()))
      result.replaceUsesWithIf(value, [&](OpOperand &use) {
        return !llvm::is_contained(group, use.getOwner());
      });
    for (Operation *op : llvm::reverse(group))
      op->erase();
    return success();
  }

  /// The name of the function with this body.
  StringRef unique(func::FuncOp func, StringRef kind) {
    func->setAttr(kDispatchAttr, StringAttr::get(module.getContext(), kind));
    std::string text;
    llvm::raw_string_ostream os(text);
    func->print(os, OpPrintingFlags().useLocalScope());
    auto [known, isNew] = names.try_emplace(std::move(text));
    if (isNew) {
      known->second = (kind + "_" + Twine(counts[kind]++)).str();
      func.setName(known->second);
    } else {
      func.erase();
    }
    return known->second;
  }

  ModuleOp module;
  std::map<std::string, std::string> names; ///< by body
  llvm::StringMap<unsigned> counts;         ///< of functions, by kind
};

struct OutlineDispatchesPass
    : impl::OutlineDispatchesBase<OutlineDispatchesPass> {
  using OutlineDispatchesBase::OutlineDispatchesBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    Outliner outliner(getOperation());
    for (func::FuncOp func : funcs)
      if (!func.isExternal() && failed(outliner.outline(func)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
