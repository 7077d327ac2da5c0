// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CNAMES_H
#define TILEWRIGHT_LIB_COMPILE_CNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

/// Whether `name` can be declared in C and in C++.
bool isCName(llvm::StringRef name);

/// What the model calls a function, made a name that C can declare and that is
/// none of the functions that compiled models call. `main` is what a program
/// has of its own: such a function is called as the model is.
std::string cFunctionName(llvm::StringRef name, llvm::StringRef model);

/// What the model calls an argument, made a name that C can declare and that
/// names neither a result nor a size in the header.
std::string cParameterName(llvm::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CNAMES_H
