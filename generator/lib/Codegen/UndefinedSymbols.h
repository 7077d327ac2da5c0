// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_UNDEFINEDSYMBOLS_H
#define TILEWRIGHT_LIB_CODEGEN_UNDEFINEDSYMBOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// An error if an object has undefined symbols but those `allowed`: the code
/// generator has called what the ABI of the object's function forbids, as the
/// compiler's runtime library.
llvm::Error checkUndefinedSymbols(llvm::ArrayRef<char> object,
                                  llvm::ArrayRef<llvm::StringRef> allowed = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CODEGEN_UNDEFINEDSYMBOLS_H
