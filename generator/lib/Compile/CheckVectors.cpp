// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-check-vectors: a model that is packed for vectors of one length runs where
// they have it.

#include "CheckVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CHECKVECTORS
#include "tilewright/Compile/Passes.h.inc"

namespace {

void check(func::FuncOp func, int bits, const ScalingInfo &scaling) {
  if (!bits)
    return;
  auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(),
                                              &func.getBody().front());
  Value scale = tw::VscaleOp::create(b, scaling.isStreaming),
        expected = arith::ConstantIndexOp::create(b, bits / kLeastVectorBits),
        isRight =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, scale, expected);
  cf::AssertOp::create(b, isRight,
                       "compiled for CPUs with " + std::string(scaling.title) +
                           " vectors of " + std::to_string(bits) + " bits");
}

struct CheckVectorsPass : impl::CheckVectorsBase<CheckVectorsPass> {
  void runOnOperation() override {
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        checkVectors(func);
  }
};

} // namespace

void checkVectors(func::FuncOp func) {
  for (tw::DeviceAttr device : devicesOf(func)) {
    FailureOr<std::shared_ptr<const Device>> found =
        findDevice(device.getTarget(), kDefaultPrefix, func.getContext());
    const TargetCpu *target =
        succeeded(found) ? (*found)->getTarget() : nullptr;
    if (!target)
      continue; // the host's code
    for (const ScalingInfo &scaling : scalings())
      check(func, target->reliedBits[scaling.scaling], scaling);
  }
}

} // namespace tilewright
