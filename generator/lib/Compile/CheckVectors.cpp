// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-check-vectors: a model that is packed for vectors of one length runs where
// they have it, and one whose code is for long vectors where they are as long.

#include "CheckVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Planning/Target.h"

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

/// LLVM knows what its own operation for that says at least where code is for
/// vectors of that length, and would leave the comparison out.
void checkLeast(func::FuncOp func, const TargetCpu &target) {
  const Target *room = findTarget(target.archName());
  int bits = target.best().vectorBits;
  if (!room || room->vectorBytes().empty() || bits <= kLeastVectorBits)
    return;
  auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(),
                                              &func.getBody().front());
  Value bytes =
      LLVM::InlineAsmOp::create(
          b, b.getI64Type(), /*operands=*/ValueRange(), room->vectorBytes(),
          /*constraints=*/"=r", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
          .getResult(0);
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, bytes,
                            arith::ConstantIntOp::create(b, bits / 8, 64));
  cf::AssertOp::create(b, isLong,
                       "compiled for CPUs with vectors of at least " +
                           std::to_string(bits) + " bits");
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
    checkLeast(func, *target);
  }
}

} // namespace tilewright
