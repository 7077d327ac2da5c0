// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_WRITECODE_H
#define TILEWRIGHT_LIB_COMPILE_WRITECODE_H

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// Makes `model.bytes`, of its stage, of optimised code, with
/// `model.constants` in them, unless they are `apart`, of an object or bitcode.
llvm::Error writeCode(llvm::Module &code, Backend &backend, bool apart,
                      CompiledModel &model);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_WRITECODE_H
