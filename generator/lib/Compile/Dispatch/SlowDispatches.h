// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dispatches take longer than moving their bytes should.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_SLOWDISPATCHES_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_SLOWDISPATCHES_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// Estimates what share of the speed of a copy each of `dispatches` reaches,
/// and emits a remark at those of less than half or with loops over single
/// elements, unless all of their calls are known to be small. Contractions that
/// call tiles are not judged.
void judgeDispatches(mlir::ModuleOp module,
                     std::vector<ModelDispatch> &dispatches);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_SLOWDISPATCHES_H
