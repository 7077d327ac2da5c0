// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PACKED_REQUESTPACKED_H
#define TILEWRIGHT_LIB_COMPILE_PACKED_REQUESTPACKED_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Sets kPackedArgumentAttr on the arguments that `requests` name, each
/// "<function>:<number or name>" or the same with "=<id>". Fails with a
/// diagnostic that says what there is instead.
mlir::LogicalResult requestPacked(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> requests);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PACKED_REQUESTPACKED_H
