// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_SUPPORT_CONTEXTERRORS_H
#define TILEWRIGHT_SUPPORT_CONTEXTERRORS_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>

namespace llvm {
class DiagnosticInfo;
class LLVMContext;
} // namespace llvm

namespace tilewright {

/// Collects, while it lives, the errors that LLVM's readers, linker and back
/// ends report to a context. Without it LLVM prints them and ends the process.
/// Warnings and remarks are dropped.
class ContextErrors {
public:
  explicit ContextErrors(llvm::LLVMContext &context);
  ~ContextErrors();

  bool any() const { return !text.empty(); }
  /// What was reported since the last call; "; " stands between several.
  std::string take() { return std::exchange(text, {}); }
  llvm::Error takeError();

private:
  static void collect(const llvm::DiagnosticInfo *info, void *self);

  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> outer;
  std::string text;
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_CONTEXTERRORS_H
