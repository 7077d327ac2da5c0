// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_SIZETEXT_H
#define TILEWRIGHT_LIB_COMPILE_SIZETEXT_H

#include "tilewright/Compile/EntrySizes.h"
#include <string>

namespace tilewright {

/// A size as an expression of C, with `names` for its symbols: "x_d0 * 2 + 1".
/// Quotients are of numbers that are not negative where a call succeeds.
std::string sizeText(mlir::AffineExpr size, llvm::ArrayRef<std::string> names);

/// Such names: those of what the caller passes, by `nameOf`, and expressions in
/// parentheses for what is computed of them.
llvm::SmallVector<std::string>
symbolTexts(llvm::ArrayRef<SizeSymbol> symbols,
            llvm::ArrayRef<ComputedSize> computed,
            llvm::function_ref<std::string(SizeSymbol)> nameOf);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_SIZETEXT_H
