// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DiagnosticLines.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tilewright {
namespace {

/// `text` without what stands in single quotes: names and types.
std::string withoutQuoted(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '\'');
  std::string result;
  for (size_t i = 0; i < parts.size(); i += 2)
    result += (parts[i] + "'").str();
  return result;
}

} // namespace

void DiagnosticLines::add(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  auto [number, isNew] = numbers.insert({withoutQuoted(text), causes.size()});
  if (isNew) {
    std::string line;
    llvm::raw_string_ostream os(line);
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      os << place.getFilename().getValue() << ':' << place.getLine() << ':'
         << place.getColumn() << ": ";
    os << text;
    causes.push_back({line});
  }
  ++causes[number->second].count;
}

std::vector<std::string> DiagnosticLines::lines() const {
  std::vector<std::string> result;
  for (const Cause &cause : causes)
    result.push_back(cause.count == 1 ? cause.first
                                      : cause.first + ", and " +
                                            std::to_string(cause.count - 1) +
                                            " more like it");
  return result;
}

} // namespace tilewright
