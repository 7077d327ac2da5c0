// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench/support/output.h"

#include "tilewright/Support/OutputFiles.h"

namespace tilewright::bench {

std::string checkOutputFile(const std::string& path) {
  return llvm::toString(OutputFiles().add(path));
}

std::string writeOutputFile(const std::string& path, const std::string& text) {
  return llvm::toString(writeOutput(path, text));
}

std::string flushPrinted() { return llvm::toString(flushStandardOutput()); }

}  // namespace tilewright::bench
