// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-move-narrow-floats: what moves f16 and bf16 moves i16. LLVM's back end for
// x86 converts what it has no registers for to f32 and back, by a call of a
// library that models do not link.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_MOVENARROWFLOATS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The type of i16; null of other elements.
Type asIntegers(Type type) {
  if (!isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type)))
    return {};
  Type integer = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(integer);
  return integer;
}

/// Whether elements come out as they went in.
bool onlyMoves(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::InsertElementOp, LLVM::ExtractElementOp,
             LLVM::ShuffleVectorOp, LLVM::SelectOp>(op);
}

struct MoveNarrowFloatsPass : impl::MoveNarrowFloatsBase<MoveNarrowFloatsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!onlyMoves(op))
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
