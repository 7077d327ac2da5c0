// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_EXPLAINSIZES_H
#define TILEWRIGHT_LIB_COMPILE_EXPLAINSIZES_H

#include "DiagnosticLines.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Upstream's verifier says of sizes that differ only which operand is not as
/// it expects. What is wrong with them takes the place of `errors`, which a
/// handler of diagnostics adds to; nothing wrong, and they stay.
void explainSizes(mlir::ModuleOp module, DiagnosticLines &errors);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_EXPLAINSIZES_H
