// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_FRONTENDS_H
#define TILEWRIGHT_LIB_COMPILE_FRONTENDS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tilewright {

/// What to do about operations of a front end's dialect, as a part of a
/// sentence; empty of other dialects.
std::string frontEndAdvice(llvm::StringRef dialect);

/// `error` with that advice, if it is the parser's about such an operation in
/// its dialect's own syntax, or with the newer spelling of an operation that
/// MLIR had before; `model` is the text, of which it may say more.
std::string withFrontEndAdvice(std::string error, llvm::StringRef model);

/// `model` with operations that MLIR had before as what they are now, where
/// their syntax is the same but for the name. Nothing if it has none.
std::optional<std::string> withNewerSpellings(llvm::StringRef model);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_FRONTENDS_H
