// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallEpilogue.h"

#include "Dispatch/ArgumentWords.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Of m_begin, m_end, n_begin, n_end.
constexpr unsigned kBounds = 4;

/// A function of the context and the bounds of a block, which calls `epilogue`,
/// whose arguments are the words at the context and the bounds.
LLVM::LLVMFuncOp makeCallback(func::FuncOp epilogue) {
  ImplicitLocOpBuilder b(epilogue.getLoc(), epilogue.getContext());
  b.setInsertionPointAfter(epilogue);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> arguments(1 + kBounds, b.getI64Type());
  arguments[0] = pointer;
  auto function = LLVM::LLVMFuncOp::create(
      b, (epilogue.getName() + ".call").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  arguments),
      LLVM::Linkage::Internal);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  unsigned words = epilogue.getNumArguments() - kBounds;
  SmallVector<Value> values;
  for (auto [number, type] :
       llvm::enumerate(epilogue.getArgumentTypes().take_front(words))) {
    Value value = loadWord(b, function.getArgument(0), int64_t(number), type);
    values.push_back(isa<MemRefType>(type) ? asBuffer(b, value, type) : value);
  }
  for (unsigned bound = 0; bound < kBounds; ++bound)
    values.push_back(function.getArgument(1 + bound));
  func::CallOp::create(b, epilogue, values);
  LLVM::ReturnOp::create(b, ValueRange());
  return function;
}

} // namespace

EpilogueCall::EpilogueCall(ImplicitLocOpBuilder &b, tw::MatmulOp op)
    : words(stackWords(b, op,
                       op.getEpilogueOperands().size() + op.getFirstMLoop())),
      operands(op.getEpilogueOperands().size()),
      function(makeCallback(
          op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
              op.getEpilogueAttr().getAttr()))) {
  for (auto [number, value] : llvm::enumerate(op.getEpilogueOperands()))
    storeWord(b, words, int64_t(number), value);
}

void EpilogueCall::setIndex(ImplicitLocOpBuilder &b, unsigned loop,
                            Value index) const {
  storeWord(b, words, operands + loop, index);
}

} // namespace tilewright
