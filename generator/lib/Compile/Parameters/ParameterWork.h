// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function computes of constants alone, and which of that is worth being
// kept.

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERWORK_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace tilewright {

/// A tensor that all calls compute alike.
struct ParameterWork {
  mlir::Value value;
  /// What makes it, in order, constants included.
  llvm::SmallVector<mlir::Operation *> slice;
  int64_t bytes = 0;      ///< of the tensor
  int64_t operations = 0; ///< as the report counts them
  int64_t bytesRead = 0;  ///< of constants, each once
  std::string whyNot;     ///< why it is not worth keeping; empty if it is
};

/// In the order of the function. Of what is worth little either way nothing is
/// said, nor of what the compiler does itself.
std::vector<ParameterWork> parameterWorkOf(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERWORK_H
