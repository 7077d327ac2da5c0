// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-split-dispatches: the loops of outlined functions, as tasks.

#include "SplitLoops.h"
#include "TaskCalls.h"
#include "Tasks.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPLITDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A size may be cast on its way from a constant to a call.
std::optional<int64_t> constantOf(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

/// Of each argument the constant that all calls pass, if they do.
SmallVector<std::optional<int64_t>> constantsOf(func::FuncOp func,
                                                ArrayRef<func::CallOp> calls) {
  SmallVector<std::optional<int64_t>> constants(func.getNumArguments());
  if (calls.empty())
    return constants;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!type.isInteger(64))
      continue;
    std::optional<int64_t> known = constantOf(calls[0]->getOperand(i));
    if (known && llvm::all_of(calls, [&, i = i](func::CallOp call) {
          return constantOf(call.getOperand(i)) == known;
        }))
      constants[i] = known;
  }
  return constants;
}

struct SplitDispatchesPass : impl::SplitDispatchesBase<SplitDispatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (threadsOf(module) > 1) {
      llvm::StringMap<SmallVector<func::CallOp>> calls;
      module.walk(
          [&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
      SmallVector<func::FuncOp> dispatches;
      for (func::FuncOp func : module.getOps<func::FuncOp>())
        if (func->hasAttr(kDispatchTypeAttr))
          dispatches.push_back(func);
      SymbolTable symbols(module);
      for (func::FuncOp func : dispatches)
        split(func, constantsOf(func, calls[func.getName()]), symbols);
    }
    SmallVector<tw::WorkOp> estimates;
    module.walk([&](tw::WorkOp op) { estimates.push_back(op); });
    for (tw::WorkOp op : estimates)
      op.erase();
  }

  static void split(func::FuncOp func,
                    ArrayRef<std::optional<int64_t>> constants,
                    SymbolTable &symbols) {
    for (auto loop : func.getOps<scf::ForOp>())
      if (loop->hasAttr(kParallelAttr))
        loop.walk(
            [](LoopLikeOpInterface inner) { moveLoopInvariantCode(inner); });
    std::optional<SmallVector<LoopNest>> nests = loopNestsOf(func);
    if (!nests || nests->empty() || !canPassArguments(func))
      return;
    SmallVector<func::FuncOp> parts;
    for (size_t number = 0; number < nests->size(); ++number)
      parts.push_back(makePart(func, number));
    for (auto [nest, part] : llvm::zip_equal(*nests, parts)) {
      symbols.insert(part);
      callPart(nest, part, constants, symbols);
    }
    for (LoopNest &nest : *nests)
      nest.loops.front().erase();
    eraseUnused(func);
  }
};

} // namespace
} // namespace tilewright
