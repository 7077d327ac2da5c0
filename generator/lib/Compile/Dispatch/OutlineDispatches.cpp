// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-outline-dispatches: the work of a model as functions, equal ones once.

#include "../OperationKind.h"
#include "DispatchFunction.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_OUTLINEDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module) {}

  void outline(func::FuncOp func) {
    giveEachItsFill(func);
    hoistSizes(func);
    SmallVector<SmallVector<Operation *>> groups;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isDispatchable(op))
        return WalkResult::advance();
      if (!isFillOfOther(op))
        groups.push_back(groupOf(op));
      return WalkResult::skip();
    });
    for (ArrayRef<Operation *> group : groups)
      replace(group);
  }

private:
  /// A fill belongs to the operation that goes on from it.
  void giveEachItsFill(func::FuncOp func) {
    SmallVector<linalg::FillOp> fills;
    func.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : fill->getUses())
        if (isInitOfDispatch(use) && !fill->hasOneUse())
          uses.push_back(&use);
      for (OpOperand *use : uses) {
        OpBuilder builder(use->getOwner());
        use->set(builder.clone(*fill)->getResult(0));
      }
      if (fill->use_empty())
        fill.erase();
    }
  }

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

  static bool isInitOfDispatch(OpOperand &use) {
    return isDispatchable(use.getOwner()) &&
           cast<DestinationStyleOpInterface>(use.getOwner()).isDpsInit(&use);
  }

  static bool isFillOfOther(Operation *op) {
    return isa<linalg::FillOp>(op) && op->hasOneUse() &&
           isInitOfDispatch(*op->use_begin()) &&
           op->use_begin()->getOwner()->getBlock() == op->getBlock();
  }

  SmallVector<Operation *> groupOf(Operation *root) {
    SmallVector<Operation *> group;
    for (Value init : cast<DestinationStyleOpInterface>(root).getDpsInits())
      if (Operation *fill = init.getDefiningOp(); fill && isFillOfOther(fill))
        group.push_back(fill);
    group.push_back(root);
    return group;
  }

  void replace(ArrayRef<Operation *> group) {
    Operation *last = group.back();
    DispatchFunction dispatch = makeDispatchFunction(group, module);
    StringRef callee = unique(dispatch.func, kindOf(last));
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
  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    Outliner outliner(getOperation());
    for (func::FuncOp func : funcs)
      if (!func.isExternal())
        outliner.outline(func);
  }
};

} // namespace
} // namespace tilewright
