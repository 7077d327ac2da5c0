// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on buffers -> the LLVM dialect of AMD GPUs.

#include "../Pipeline.h"
#include "DeviceCode.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What LLVM's back end has code for, in f32, of what else it would call a
/// library for.
bool isNativeInF32(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op,
             math::Log10Op>(op);
}

/// What it has code for in every type.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp,
             math::IsFiniteOp, math::IsNaNOp>(op);
}

struct ExpandDeviceMathPass : impl::ExpandDeviceMathBase<ExpandDeviceMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(
        patterns,
        {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "powf", "fpowi"});
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.sin", "math.cos", "math.tanh",
                                 "math.erf", "math.erfc", "math.atan",
                                 "math.atan2", "math.asin", "math.acos",
                                 "math.cbrt", "math.log1p", "math.expm1"},
                                name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult walk = getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isNative(op) ||
          (isNativeInF32(op) && op->getResult(0).getType().isF32()))
        return WalkResult::advance();
      // The body of a named operation has no place of its own in the source.
      Location loc = isa<UnknownLoc>(op->getLoc()) ? getOperation().getLoc()
                                                   : op->getLoc();
      emitError(loc) << "'" << op->getName() << "' on "
                     << op->getResult(0).getType()
                     << " cannot be computed on amdgpu, which has f32 "
                        "(f16 and bf16 through it) of the transcendental "
                        "functions; have a CPU do it, by its name as "
                        "tw.device";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

void addDeviceLLVMStep(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  math::MathExtendToSupportedTypesOptions extend;
  pm.addNestedPass<func::FuncOp>(
      math::createMathExtendToSupportedTypes(extend));
  pm.addNestedPass<func::FuncOp>(createExpandDeviceMath());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = narrowFloats();
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  ExpandSmallFloatsOptions small;
  small.nativeF16 = true;
  pm.addPass(createExpandSmallFloats(small));
  // Ceiling divisions and the like, of models' affine maps.
  pm.addPass(arith::createArithExpandOpsPass());
  addConversionsToLLVM(pm, UnknownMath::Refused);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

} // namespace tilewright
