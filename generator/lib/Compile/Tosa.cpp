// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tosa.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToMLProgram/TosaToMLProgram.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

void registerTosa(DialectRegistry &registry) {
  registry.insert<tosa::TosaDialect>();
}

void addTosaStep(OpPassManager &pm) {
  // Not upstream's pipeline, whose canonicalization has patterns of tensors.
  pm.addPass(createTosaToMLProgram());
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(tosa::createTosaConvertIntegerTypeToSignless());
  funcs.addPass(tosa::createTosaOptionalDecompositionsPass());
  funcs.addPass(tosa::createTosaInferShapesPass());
  funcs.addPass(tosa::createTosaMakeBroadcastablePass());
  funcs.addPass(tosa::createTosaToLinalgNamed());
  funcs.addPass(tosa::createTosaMakeBroadcastablePass());
  funcs.addPass(tosa::createTosaToLinalg());
  TosaToArithPassOptions arith;
  arith.includeApplyRescale = true;
  funcs.addPass(createTosaToArithPass(arith));
  funcs.addPass(createTosaToTensorPass());
  funcs.addPass(createTosaToSCFPass());
  // Erases shapes that nothing uses any more.
  funcs.addPass(createCSEPass());
}

} // namespace tilewright
