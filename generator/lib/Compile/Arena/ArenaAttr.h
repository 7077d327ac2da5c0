// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_ARENA_ARENAATTR_H
#define TILEWRIGHT_LIB_COMPILE_ARENA_ARENAATTR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// What `tw.arena` holds, so that passes may follow the planning.
mlir::DictionaryAttr arenaAttr(mlir::MLIRContext *context, const Arena &arena);

Arena arenaOf(mlir::DictionaryAttr attr);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARENA_ARENAATTR_H
