// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-contiguous-buffers: types say that buffers are contiguous, where they are.

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CONTIGUOUSBUFFERS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The contiguous buffer that `value` is, of which its type says nothing; else
/// null.
TypedValue<MemRefType> contiguous(Value value) {
  auto op = value.getDefiningOp<memref::CastOp>();
  auto source = op ? dyn_cast<TypedValue<MemRefType>>(op.getSource())
                   : TypedValue<MemRefType>();
  if (!source || !source.getType().getLayout().isIdentity())
    return nullptr;
  return source;
}

/// Where both branches yield what is contiguous, so is the result.
void yieldContiguous(scf::IfOp op) {
  for (OpResult result : op.getResults()) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type || type.getLayout().isIdentity())
      continue;
    unsigned number = result.getResultNumber();
    auto one = contiguous(op.thenYield().getOperand(number));
    auto other = contiguous(op.elseYield().getOperand(number));
    if (!one || !other || one.getType() != other.getType())
      continue;
    op.thenYield().setOperand(number, one);
    op.elseYield().setOperand(number, other);
    result.setType(one.getType());
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto before = memref::CastOp::create(b, op.getLoc(), type, result);
    result.replaceAllUsesExcept(before.getResult(), before);
  }
}

/// So is a reshape of what is.
template <typename Reshape> void viewContiguous(Reshape op) {
  auto source = contiguous(op.getSrc());
  MemRefType type = op.getResultType();
  if (!source || source.getType().getShape() != op.getSrcType().getShape())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto its =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value view;
  if constexpr (std::is_same_v<Reshape, memref::ExpandShapeOp>)
    view = memref::ExpandShapeOp::create(
        b, its, source, op.getReassociationIndices(), op.getMixedOutputShape());
  else
    view = memref::CollapseShapeOp::create(b, its, source,
                                           op.getReassociationIndices());
  op.replaceAllUsesWith(memref::CastOp::create(b, type, view).getResult());
  op.erase();
}

/// What a loop carries has a type that says nothing of where elements lie,
/// though what is carried is known to be contiguous.
void useContiguous(tw::DispatchOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto source = contiguous(operand.get()))
      operand.set(source);
}

struct ContiguousBuffersPass
    : impl::ContiguousBuffersBase<ContiguousBuffersPass> {
  // Branches before what is made of them, as they stand.
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([](scf::IfOp op) { yieldContiguous(op); })
          .Case<memref::ExpandShapeOp, memref::CollapseShapeOp>(
              [](auto op) { viewContiguous(op); })
          .Case([](tw::DispatchOp op) { useContiguous(op); });
    });
  }
};

} // namespace
} // namespace tilewright
