// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadedPointer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace tilewright {

Value ThreadedPointer::in(func::FuncOp func) {
  if (Value known = pointers.lookup(func))
    return known;
  auto type = MemRefType::get({1}, IntegerType::get(func.getContext(), 8));
  (void)func.insertArgument(func.getNumArguments(), type, {}, func.getLoc());
  Value pointer = func.getArguments().back();
  pointers[func] = pointer;
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) {
    if (call.getCallee() == func.getName())
      calls.push_back(call);
  });
  for (func::CallOp call : calls)
    call.getOperandsMutable().append(in(call->getParentOfType<func::FuncOp>()));
  return pointer;
}

void ThreadedPointer::replace(memref::GetGlobalOp load, int64_t offset) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  Value pointer = in(load->getParentOfType<func::FuncOp>());
  int64_t end = offset + bytesInMemory(load.getType(), load);
  auto whole = MemRefType::get({end}, b.getI8Type());
  Value bytes = memref::ReinterpretCastOp::create(
      b, whole, pointer,
      /*offset=*/0, ArrayRef<int64_t>{end}, ArrayRef<int64_t>{1});
  Value start = arith::ConstantIndexOp::create(b, offset);
  Value view =
      memref::ViewOp::create(b, load.getType(), bytes, start, ValueRange());
  load.replaceAllUsesWith(view);
  load.erase();
}

SmallVector<func::FuncOp> ThreadedPointer::functions() const {
  SmallVector<func::FuncOp> found;
  for (const auto &entry : pointers)
    found.push_back(cast<func::FuncOp>(entry.first));
  return found;
}

int64_t bytesInMemory(MemRefType type, Operation *scope) {
  return type.getNumElements() * int64_t(DataLayout::closest(scope)
                                             .getTypeSize(type.getElementType())
                                             .getFixedValue());
}

} // namespace tilewright
