// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PROGRAM_SHAREDLIBRARY_H
#define TILEWRIGHT_LIB_COMPILE_PROGRAM_SHAREDLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>

namespace tilewright {

struct SharedLibraryOptions {
  llvm::Triple triple;
  std::string name; ///< by which programs ask for it, DT_SONAME
  /// The functions that it shows; nothing else is visible.
  std::vector<std::string> exports;
};

/// An error if there are no shared libraries of our making for `triple`.
llvm::Error checkSharedLibraryTriple(const llvm::Triple &triple);

/// Makes the object, in pieces, a shared library by LLD. Nothing of the target
/// is needed: what C libraries define is known by name.
llvm::Expected<llvm::SmallVector<char, 0>>
linkSharedLibrary(llvm::ArrayRef<llvm::StringRef> object,
                  const SharedLibraryOptions &options);

/// What says to a linker that `exports` are visible and all else is not.
std::string versionScript(llvm::ArrayRef<std::string> exports);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PROGRAM_SHAREDLIBRARY_H
