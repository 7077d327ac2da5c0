// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Transforms/Pipelines.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "tilewright/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

void buildLowerToLoops(OpPassManager &pm, bool nativeF16) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createExpandSmallFloats({nativeF16}));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
}

void buildLowerToLLVM(OpPassManager &pm) {
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions barePointers;
  barePointers.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(barePointers));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct LoopsOptions : PassPipelineOptions<LoopsOptions> {
  Option<bool> nativeF16{*this, "native-f16",
                         llvm::cl::desc("Keep the target's f16 conversions")};
};
} // namespace

void registerTilewrightPipelines() {
  PassPipelineRegistration<LoopsOptions>(
      "tw-lower-to-loops",
      "Lower defined tile functions to upstream's plain loops: the oracle",
      [](OpPassManager &pm, const LoopsOptions &options) {
        buildLowerToLoops(pm, options.nativeF16);
      });
  PassPipelineRegistration<>(
      "tw-lower-to-llvm",
      "Lower tile functions, after their plan or loops, to the LLVM dialect",
      [](OpPassManager &pm) { buildLowerToLLVM(pm); });
}

} // namespace tilewright
