// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-hoist-parameter-work: what all calls compute alike is computed once.

#include "../CheckVectors.h"
#include "../Dispatch/CallerSizes.h"
#include "../MakeEntryPoints.h"
#include "ParameterWork.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/CSE.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_HOISTPARAMETERWORK
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A value of a function that is to be kept, under this number.
struct Moved {
  func::FuncOp from;
  Value value;
  int64_t number;
};

struct HoistParameterWorkPass
    : impl::HoistParameterWorkBase<HoistParameterWorkPass> {
  using HoistParameterWorkBase::HoistParameterWorkBase;

  void runOnOperation() override {
    std::string whyNone = whyNoneIsMoved();
    moved.clear();
    eachCall.clear();
    SmallVector<func::FuncOp> functions;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        functions.push_back(func);
    for (func::FuncOp func : functions)
      for (ParameterWork &work : parameterWorkOf(func)) {
        if (work.whyNot.empty())
          work.whyNot = whyNone;
        if (work.whyNot.empty())
          move(func, work);
        else
          note(func, work);
      }
    if (!eachCall.empty())
      getOperation()->setAttr(kEachCallAttr,
                              ArrayAttr::get(&getContext(), eachCall));
    if (once && failed(finish()))
      signalPassFailure();
  }

private:
  std::string whyNoneIsMoved() {
    if (!runOnce)
      return "it was asked for, --run-once=false";
    if (!hasInstance && !getOperation()->hasAttr(kStatesAttr))
      return "the model has no instances, which would keep it; it has with "
             "--parameters-out";
    return "";
  }

  /// Adds the work to the function that is called once.
  void move(func::FuncOp func, const ParameterWork &work) {
    Location loc = work.value.getLoc();
    if (!once) {
      auto b = OpBuilder::atBlockEnd(getOperation().getBody());
      once = func::FuncOp::create(b, loc, kRunOnce, b.getFunctionType({}, {}));
      b.setInsertionPointToStart(once.addEntryBlock());
      func::ReturnOp::create(b, loc);
    }
    ImplicitLocOpBuilder b(loc, once.getBody().front().getTerminator());
    IRMapping &mapping = clones[func];
    for (Operation *op : work.slice)
      if (op->getNumResults() && !mapping.contains(op->getResult(0)))
        b.clone(*op, mapping);
    tw::KeepOp::create(b, int64_t(moved.size()), mapping.lookup(work.value),
                       work.operations, work.bytesRead);
    moved.push_back({func, work.value, int64_t(moved.size())});
  }

  void note(func::FuncOp func, const ParameterWork &work) {
    Builder b(&getContext());
    CallerSizes caller(func);
    std::string type;
    llvm::raw_string_ostream(type) << work.value.getType();
    auto attribute = [&](StringRef name, Attribute value) {
      return b.getNamedAttr(name, value);
    };
    eachCall.push_back(b.getDictionaryAttr(
        {attribute("function", b.getStringAttr(caller.entry())),
         attribute("place", b.getStringAttr(placeOf(work.value.getLoc()))),
         attribute("type", b.getStringAttr(type)),
         attribute("bytes", b.getI64IntegerAttr(work.bytes)),
         attribute("operations", b.getI64IntegerAttr(work.operations)),
         attribute("bytes_read", b.getI64IntegerAttr(work.bytesRead)),
         attribute("because", b.getStringAttr(work.whyNot))}));
  }

  /// What several functions compute alike is computed, and kept, once.
  LogicalResult finish() {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, once);
    llvm::DenseMap<Value, int64_t> numbers;
    llvm::DenseMap<int64_t, int64_t> renumbered;
    for (auto keep : llvm::make_early_inc_range(
             once.getBody().front().getOps<tw::KeepOp>())) {
      auto [known, isNew] =
          numbers.try_emplace(keep.getValue(), int64_t(numbers.size()));
      renumbered[keep.getNumber()] = known->second;
      if (isNew)
        keep.setNumber(known->second);
      else
        keep.erase();
    }
    for (Moved &each : moved)
      read(each, renumbered[each.number]);
    clones.clear();
    // Its checks are its own: what calls assert did not move.
    checkVectors(once);
    return makeEntryPoint(std::exchange(once, nullptr), /*describe=*/false);
  }

  static void read(Moved &each, int64_t number) {
    auto b = OpBuilder::atBlockBegin(&each.from.getBody().front());
    auto kept = tw::KeptOp::create(b, each.value.getLoc(), each.value.getType(),
                                   number);
    placeLike(kept, each.value.getDefiningOp());
    each.value.replaceAllUsesWith(kept);
  }

  func::FuncOp once;
  std::vector<Moved> moved;
  llvm::DenseMap<Operation *, IRMapping> clones; ///< by function
  SmallVector<Attribute> eachCall;
};

} // namespace
} // namespace tilewright
