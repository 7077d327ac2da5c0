// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLD's linker of ELF files as a function from bytes to bytes.

#ifndef TILEWRIGHT_CODEGEN_RUNLLD_H
#define TILEWRIGHT_CODEGEN_RUNLLD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright {

/// A file that LLD reads: its bytes are in several places, and are copied once.
struct LldInput {
  llvm::ArrayRef<llvm::StringRef> pieces;
  /// What stands before its path, as "--version-script="; empty for what is
  /// linked.
  std::string option;
};

/// What `ld.lld <options> <inputs>` writes. The error is what LLD says. One at
/// a time; options of the process (cl::opt) are none of LLD's.
llvm::Expected<llvm::SmallVector<char, 0>>
runLld(llvm::ArrayRef<std::string> options, llvm::ArrayRef<LldInput> inputs);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_RUNLLD_H
