// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-vectorize-dispatches: the loops of outlined functions.

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_VECTORIZEDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct VectorizeDispatchesPass
    : impl::VectorizeDispatchesBase<VectorizeDispatchesPass> {
  using VectorizeDispatchesBase::VectorizeDispatchesBase;

  void runOnOperation() override {
    OpPassManager loops(func::FuncOp::getOperationName());
    loops.addPass(createLowerAffinePass());
    VectorizeLoopsOptions options;
    options.vectorBytes = vectorBytes;
    options.masks = masks;
    loops.addPass(createVectorizeLoops(options));
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if ((func->hasAttr(kDispatchAttr) || func->hasAttr(kEpilogueAttr)) &&
          !isForDevice(func) && failed(runPipeline(loops, func)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
