// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArmEmission.h"
#include "ScalableTile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright {

Value ArmEmission::vectorLengthFactor(OpBuilder &b, Location loc,
                                      const ScalingInfo &scaling) const {
  if (!scaling.isStreaming)
    return Emission::vectorLengthFactor(b, loc, scaling);
  Type i64 = b.getI64Type();
  // rdsvl, which counts 64 bits here.
  Value doubles =
      LLVM::CallIntrinsicOp::create(
          b, loc, i64, b.getStringAttr("llvm.aarch64.sme.cntsd"), ValueRange())
          .getResult(0);
  Value one = LLVM::ConstantOp::create(b, loc, i64, 1);
  return LLVM::LShrOp::create(b, loc, doubles, one);
}

bool ArmEmission::isStreaming(const TilePlan &plan) const {
  return plan.scalable == ScalableIdiom::SmeOuter;
}

void ArmEmission::emitScalableTile(Emitter &e, const TileKey &key,
                                   const TilePlan &plan, Block &entry) const {
  if (isStreaming(plan))
    emitSmeTile(e, key, plan, entry);
  else
    emitSveTile(e, key, plan, entry);
}

const Emission &armEmission() {
  static const ArmEmission emission;
  return emission;
}

} // namespace tilewright
