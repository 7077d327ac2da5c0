// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_TOSA_H
#define TILEWRIGHT_LIB_COMPILE_TOSA_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace tilewright {

inline constexpr llvm::StringLiteral kTosaDialect = "tosa";

void registerTosa(mlir::DialectRegistry &registry);

/// Upstream's conversions of TOSA to linalg, arith, tensor, scf and ml_program.
void addTosaStep(mlir::OpPassManager &pm);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_TOSA_H
