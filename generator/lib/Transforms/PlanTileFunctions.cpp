// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plan-tile-functions: which plan each tile function has.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/TileFunctions.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLANTILEFUNCTIONS
#include "tilewright/Transforms/Passes.h.inc"

namespace {

struct PlanTileFunctionsPass
    : impl::PlanTileFunctionsBase<PlanTileFunctionsPass> {
  using PlanTileFunctionsBase::PlanTileFunctionsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (function.isExternal() && failed(planFor(function)))
        return signalPassFailure();
  }

  LogicalResult planFor(FunctionOpInterface function) {
    FailureOr<tw::TileAttr> tile = tileOf(function, prefix);
    if (failed(tile))
      return failure();
    if (!*tile || !tile->getPlan().empty())
      return success();
    const TileKey key = tile->getKey();
    bool isCalled = isa<LLVM::LLVMFuncOp>(function.getOperation());
    if (isCalled && (key.vnni || info(key.isa).isGpu()))
      return success();
    llvm::Expected<TilePlan> chosen = planTile(key, withCore(plan, key, core));
    if (!chosen)
      return function->emitError(llvm::toString(chosen.takeError()));
    function->setAttr(tw::kTile, tile->withPlan(printTilePlan(*chosen)));
    return success();
  }
};

} // namespace
} // namespace tilewright
