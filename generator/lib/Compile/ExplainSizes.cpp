// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplainSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "tilewright/Compile/EntrySizes.h"

using namespace mlir;

namespace tilewright {

void explainSizes(ModuleOp module, DiagnosticLines &errors) {
  DiagnosticLines verifier;
  std::swap(errors, verifier);
  module.walk([&](linalg::LinalgOp op) {
    bool differ = false;
    {
      // Until then it has found everything else of the operation to be in
      // order.
      ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &d) {
        differ |=
            llvm::StringRef(d.str()).contains("inferred input/output operand");
      });
      if (succeeded(verify(op, /*verifyRecursively=*/false)))
        return;
    }
    if (differ)
      (void)checkSizes(op);
  });
  if (errors.empty())
    std::swap(errors, verifier);
}

} // namespace tilewright
