// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-vectorize-dispatches: the loops of outlined functions.

#include "../DeviceTargets.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Compile/Passes.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_VECTORIZEDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct VectorizeDispatchesPass
    : impl::VectorizeDispatchesBase<VectorizeDispatchesPass> {
  using VectorizeDispatchesBase::VectorizeDispatchesBase;

  void runOnOperation() override {
    DeviceTargets targets;
    // Equal ones for devices with equal vectors.
    std::map<std::pair<int64_t, bool>, OpPassManager> loopsFor;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      if ((!func->hasAttr(kDispatchAttr) && !func->hasAttr(kEpilogueAttr)) ||
          isForDevice(func))
        continue;
      VectorTarget vectors = vectorsOf(targets.of(func));
      auto [loops, isNew] = loopsFor.try_emplace(
          {vectors.bytes, vectors.masks}, func::FuncOp::getOperationName());
      if (isNew) {
        loops->second.addPass(createLowerAffinePass());
        VectorizeLoopsOptions options;
        options.vectorBytes = vectors.bytes;
        options.masks = vectors.masks;
        loops->second.addPass(createVectorizeLoops(options));
      }
      if (failed(runPipeline(loops->second, func)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tilewright
