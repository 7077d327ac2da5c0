// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-mask-narrow-floats: masked loads and stores of f16 and bf16 as those of
// i16. LLVM's back end for x86 converts what it has no registers for to f32 and
// back, by a call of a library that models do not link.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_MASKNARROWFLOATS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The vector of i16; null of other elements.
Type asIntegers(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !isa<Float16Type, BFloat16Type>(vector.getElementType()))
    return {};
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

struct MaskNarrowFloatsPass : impl::MaskNarrowFloatsBase<MaskNarrowFloatsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
               LLVM::masked_scatter>(op))
        return;
      OpBuilder b(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Type type = asIntegers(operand.get().getType()))
          operand.set(
              LLVM::BitcastOp::create(b, op->getLoc(), type, operand.get()));
      for (OpResult result : op->getResults()) {
        Type before = result.getType(), type = asIntegers(before);
        if (!type)
          continue;
        result.setType(type);
        b.setInsertionPointAfter(op);
        auto cast = LLVM::BitcastOp::create(b, op->getLoc(), before, result);
        result.replaceAllUsesExcept(cast, cast);
      }
    });
  }
};

} // namespace
} // namespace tilewright
