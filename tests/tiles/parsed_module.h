// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR in the text of a test.

#ifndef TESTS_TILES_PARSED_MODULE_H_
#define TESTS_TILES_PARSED_MODULE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace tilewright::testing {

// Null, and a failure of the test, if `text` is no module.
inline std::unique_ptr<llvm::Module> parse(const std::string& text,
                                           llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module != nullptr) << problem.getMessage().str() << "\n" << text;
  return module;
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_PARSED_MODULE_H_
