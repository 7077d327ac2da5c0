// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_COMPILE_ENTRYMESSAGES_H
#define TILEWRIGHT_COMPILE_ENTRYMESSAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <string>

namespace tilewright {

/// `const char *<name>(int32_t status)`, of the statuses of the entry point
/// `entryName`; those from kFirstAssertion on say `messages`.
void buildMessages(mlir::ImplicitLocOpBuilder &b, const std::string &name,
                   const std::string &entryName,
                   llvm::ArrayRef<std::string> messages);

/// Lets such a function say `message` of one more status.
void addMessage(mlir::func::FuncOp messages, int32_t status,
                llvm::StringRef message);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_ENTRYMESSAGES_H
