// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrontEnds.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace tilewright {

std::string frontEndAdvice(StringRef dialect) {
  StringRef converter =
      llvm::StringSwitch<StringRef>(dialect)
          .Cases({"stablehlo", "chlo", "vhlo"},
                 "iree-opt --iree-stablehlo-input-transformation-pipeline")
          .Case("torch",
                "iree-opt --pass-pipeline='builtin.module("
                "torch-backend-to-linalg-on-tensors-backend-pipeline)'")
          .Case("onnx", "iree-import-onnx")
          .Default("");
  if (converter.empty())
    return "";
  return "is what a front end works on; convert the model to linalg on tensors "
         "first, with `" +
         converter.str() + "`; see docs/models.md";
}

std::string withFrontEndAdvice(std::string error) {
  for (StringRef start : {"custom op '", "unregistered dialect '"}) {
    size_t at = StringRef(error).find(start);
    if (at == StringRef::npos)
      continue;
    StringRef dialect =
        StringRef(error).substr(at + start.size()).take_until([](char c) {
          return c == '.' || c == '\'';
        });
    std::string advice = frontEndAdvice(dialect);
    if (!advice.empty())
      return error + "; '" + dialect.str() + "' " + advice;
  }
  return error;
}

} // namespace tilewright
