// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Transforms/LowerTileFunction.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/TileFunctions.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERMMT4D
#include "tilewright/Transforms/Passes.h.inc"

namespace {

struct LowerMmt4dPass : impl::LowerMmt4dBase<LowerMmt4dPass> {
  using LowerMmt4dBase::LowerMmt4dBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(lower(function)))
        return signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function) {
    FailureOr<std::optional<TileKey>> key = tileKeyOf(function, prefix);
    if (failed(key))
      return failure();
    if (!*key)
      return success();
    if (function.getFunctionType() != tileFunctionType(&getContext(), **key))
      return success(); // lowered already
    llvm::Expected<TilePlan> tilePlan = planTile(**key, plan);
    if (!tilePlan)
      return function.emitError(llvm::toString(tilePlan.takeError()));
    if (llvm::Error error = lowerTileFunction(function, **key, *tilePlan))
      return function.emitError(llvm::toString(std::move(error)));
    return success();
  }
};

} // namespace
} // namespace tilewright
