// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryMessages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/status.h"

using namespace mlir;

namespace tilewright {

namespace {

/// Puts a text beside `function`, and its address in there.
Value buildText(ImplicitLocOpBuilder &b, func::FuncOp function,
                const std::string &name, StringRef message) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  std::string bytes = message.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                       LLVM::Linkage::Private, name,
                                       b.getStringAttr(bytes));
  b.setInsertionPointToEnd(&function.getBody().front());
  return LLVM::AddressOfOp::create(b, global);
}

/// `message` of `status`, of other statuses `otherwise`.
Value choose(ImplicitLocOpBuilder &b, Value status, int64_t when, Value message,
             Value otherwise) {
  Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status,
                                   arith::ConstantIntOp::create(b, when, 32));
  return arith::SelectOp::create(b, is, message, otherwise);
}

} // namespace

void buildMessages(ImplicitLocOpBuilder &b, const std::string &name,
                   const std::string &entryName,
                   ArrayRef<std::string> messages) {
  unsigned texts = 0;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = func::FuncOp::create(
      b, name, b.getFunctionType({b.getI32Type()}, {pointer}));
  auto text = [&](StringRef message) {
    return buildText(b, function, name + "." + std::to_string(texts++),
                     message);
  };
  b.setInsertionPointToStart(function.addEntryBlock());
  Value status = function.getArgument(0);
  Value result = text("no status of " + entryName + " itself");
  auto say = [&](int64_t when, StringRef message) {
    result = choose(b, status, when, text(message), result);
  };
  say(0, "the results are written");
  say(TW_STATUS_INVALID_ARGUMENT, "a size is negative, or sizes do not agree");
  for (auto [index, message] : llvm::enumerate(messages))
    say(kFirstAssertion + int64_t(index), message);
  func::ReturnOp::create(b, result);
}

void addMessage(func::FuncOp messages, int32_t status, StringRef message) {
  Operation *end = messages.getBody().front().getTerminator();
  ImplicitLocOpBuilder b(messages.getLoc(), end);
  Value result = end->getOperand(0);
  end->erase();
  Value text = buildText(
      b, messages,
      messages.getName().str() + ".status" + std::to_string(status), message);
  b.setInsertionPointToEnd(&messages.getBody().front());
  func::ReturnOp::create(
      b, choose(b, messages.getArgument(0), status, text, result));
}

} // namespace tilewright
