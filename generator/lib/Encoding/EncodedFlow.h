// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODEDFLOW_H
#define TILEWRIGHT_LIB_ENCODING_ENCODEDFLOW_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Encodes what control flow hands on, between iterations and branches of
/// operations of `scf` and in calls of private functions, where that saves
/// bytes: what each of them sets is set before, what each unsets is unset
/// behind. All that is handed on from one to the other is of one encoding, on
/// the host, and its sizes are known. Whether anything was.
bool encodeFlow(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODEDFLOW_H
