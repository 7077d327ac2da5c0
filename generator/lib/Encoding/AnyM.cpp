// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodedValues.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What it writes to, which is last.
OpOperand &destOf(Operation *maker) {
  return maker->getOpOperand(maker->getNumOperands() - 1);
}

void retype(Value value, ChangeEncodingFn change) {
  auto type = cast<RankedTensorType>(value.getType());
  if (tw::EncodingAttr encoding = encodingOf(type))
    value.setType(RankedTensorType::get(type.getShape(), type.getElementType(),
                                        change(encoding)));
}

} // namespace

bool isEncodedHere(linalg::GenericOp op) {
  return llvm::all_of(
             op->getOperands(),
             [](Value operand) {
               Operation *maker = operand.getDefiningOp();
               return isa_and_nonnull<tw::SetEncodingOp, linalg::FillOp>(
                          maker) &&
                      destOf(maker).get().getDefiningOp<tensor::EmptyOp>();
             }) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<tw::UnsetEncodingOp>);
}

void changeEncodings(linalg::GenericOp op, ChangeEncodingFn change) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *maker = operand.get().getDefiningOp();
    OpBuilder b(op);
    Operation *copy = b.clone(*maker);
    OpOperand &dest = destOf(copy);
    b.setInsertionPoint(copy);
    dest.set(b.clone(*dest.get().getDefiningOp())->getResult(0));
    retype(dest.get(), change);
    operand.set(copy->getResult(0));
    retype(operand.get(), change);
    if (maker->use_empty())
      maker->erase();
  }
  retype(op->getResult(0), change);
}

void makeAnyM(linalg::GenericOp op) {
  changeEncodings(
      op, [](tw::EncodingAttr encoding) { return encoding.withAnyM(); });
}

} // namespace tilewright
