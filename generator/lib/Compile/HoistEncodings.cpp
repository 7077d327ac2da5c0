// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-hoist-encodings: the passes that pack before a program runs, in a row.

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

void registerHoistEncodingsPipeline() {
  PassPipelineRegistration<>(
      "tw-hoist-encodings",
      "What encodings of constants became is packed when compiling; what is "
      "computed of constants and packed, when an instance is made",
      [](OpPassManager &pm) {
        pm.addNestedPass<func::FuncOp>(createFoldConstantMoves());
        pm.addPass(createFoldConstantPacks());
        HoistParameterWorkOptions hoist;
        hoist.hasInstance = true;
        pm.addPass(createHoistParameterWork(hoist));
        pm.addPass(createPackKept());
      });
}

} // namespace tilewright
