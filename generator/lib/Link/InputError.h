// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_LINK_INPUTERROR_H
#define TILEWRIGHT_LIB_LINK_INPUTERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// What a link accepts, for messages.
constexpr llvm::StringLiteral kAcceptedInputs =
    "LLVM bitcode, an ELF relocatable object, or an archive of these";

/// An error about one input, which it names: "'lib.a(x.o)': <why>".
inline llvm::Error inputError(llvm::StringRef id, const llvm::Twine &why) {
  return llvm::createStringError("'" + id + "': " + why);
}

/// The same with another error's words as the reason.
inline llvm::Error inputError(llvm::StringRef id, llvm::Error why) {
  return inputError(id, llvm::Twine(toString(std::move(why))));
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_INPUTERROR_H
