// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/ContextErrors.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace tilewright {

ContextErrors::ContextErrors(LLVMContext &context)
    : context(context), outer(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  context.setDiagnosticHandlerCallBack(collect, this);
}

ContextErrors::~ContextErrors() {
  context.setDiagnosticHandler(std::move(outer));
}

Error ContextErrors::takeError() {
  return any() ? createStringError(take()) : Error::success();
}

void ContextErrors::collect(const DiagnosticInfo *info, void *self) {
  if (info->getSeverity() != DS_Error)
    return;
  std::string &text = static_cast<ContextErrors *>(self)->text;
  if (!text.empty())
    text += "; ";
  raw_string_ostream os(text);
  DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
}

} // namespace tilewright
