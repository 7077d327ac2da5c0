// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools print about their input on standard error.

#ifndef TILEWRIGHT_SUPPORT_MESSAGES_H
#define TILEWRIGHT_SUPPORT_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright {

/// Whether a text is one line, or its line feeds end lines of it.
enum class Lines { One, Several };

/// `text` as it may be shown on a terminal: control and formatting characters,
/// which names and texts from input may hold, are spelt out ("\n", "\x1B",
/// "\u{202E}"), and so are bytes that are no UTF-8.
std::string escapeControls(llvm::StringRef text, Lines lines = Lines::One);

/// Prints "<tool>: error: <message>" as one line.
void printError(llvm::StringRef tool, llvm::StringRef message);

/// The same for a warning, and for a note.
void printWarning(llvm::StringRef tool, llvm::StringRef message);
void printNote(llvm::StringRef tool, llvm::StringRef message);

/// Prints each of joined errors.
void printErrors(llvm::StringRef tool, llvm::Error errors);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_MESSAGES_H
