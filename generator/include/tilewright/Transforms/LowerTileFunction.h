// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tw-lower-mmt4d's work on one tile function.

#ifndef TILEWRIGHT_TRANSFORMS_LOWERTILEFUNCTION_H
#define TILEWRIGHT_TRANSFORMS_LOWERTILEFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Planning/TilePlan.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// Gives `function` the type (!llvm.ptr noalias x 4) -> () and, as its body,
/// the code of `plan`: arith, vector, scf and llvm operations. What `function`
/// was before does not matter, but for its name. Uses the LLVM, SCF, arith,
/// vector and func dialects, which must be loaded. Fails when `plan` does not
/// fit `key`; `function` is then unchanged.
llvm::Error lowerTileFunction(mlir::func::FuncOp function, const TileKey &key,
                              const TilePlan &plan);

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_LOWERTILEFUNCTION_H
