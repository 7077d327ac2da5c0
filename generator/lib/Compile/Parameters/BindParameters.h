// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_BINDPARAMETERS_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_BINDPARAMETERS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/SafeTensors.h"

namespace tilewright {

/// Makes what is loaded from each `ml_program.global` of `module` a constant:
/// its value, or, of `#ml_program.extern`, the tensor of its name in
/// `parameters`, whose bytes it refers to. Fails with a diagnostic at each
/// global that has no such tensor, or one of another type.
mlir::LogicalResult bindParameters(mlir::ModuleOp module,
                                   const SafeTensors &parameters);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_BINDPARAMETERS_H
