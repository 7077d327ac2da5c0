// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What went wrong, for people: one line per cause.

#ifndef TILEWRIGHT_LIB_COMPILE_DIAGNOSTICLINES_H
#define TILEWRIGHT_LIB_COMPILE_DIAGNOSTICLINES_H

#include "mlir/IR/Diagnostics.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright {

/// Diagnostics of one severity, in order. Those that say the same of different
/// things, which are what they quote, are one line: that of the first, with the
/// number of the others.
class DiagnosticLines {
public:
  void add(const mlir::Diagnostic &diagnostic);
  bool empty() const { return causes.empty(); }
  std::vector<std::string> lines() const;

private:
  struct Cause {
    std::string first;
    size_t count = 0;
  };
  std::vector<Cause> causes;
  std::map<std::string, size_t> numbers; ///< of a cause, by its text
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DIAGNOSTICLINES_H
