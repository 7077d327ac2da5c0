// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs the target's C library, headers and linker is left to its C
// compiler: executables, and shared libraries with a runtime in them.

#ifndef TILEWRIGHT_LIB_COMPILE_PROGRAM_SYSTEMCOMPILER_H
#define TILEWRIGHT_LIB_COMPILE_PROGRAM_SYSTEMCOMPILER_H

#include "SharedLibrary.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// C sources that a model is linked with, by their folder in ukernels/.
enum class Runtime { Runner, Instance, Hip };

struct SystemCompilerOptions {
  /// The compiler and its options, separated by blanks; empty for `cc`.
  std::string compiler;
  std::vector<Runtime> runtimes;
  llvm::Triple triple;
  /// Of a shared library; none for an executable.
  std::optional<SharedLibraryOptions> library;
};

/// Compiles the runtimes and links them with the object, in pieces.
llvm::Expected<llvm::SmallVector<char, 0>>
linkBySystemCompiler(llvm::ArrayRef<llvm::StringRef> object,
                     const SystemCompilerOptions &options);

/// An error if that cannot work: no compiler, or one of another machine.
llvm::Error checkSystemCompiler(const SystemCompilerOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PROGRAM_SYSTEMCOMPILER_H
