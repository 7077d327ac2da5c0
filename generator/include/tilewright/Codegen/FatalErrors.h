// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's back ends report some unsupported code by aborting the process. Tools
// turn that into an error that names the tile.

#ifndef TILEWRIGHT_CODEGEN_FATALERRORS_H
#define TILEWRIGHT_CODEGEN_FATALERRORS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <string>

namespace tilewright {

/// For tools only, once, before any thread is started: after this, where LLVM
/// would abort, the process prints "<tool>: error: <tile>: <reason>", removes
/// its temporary files and exits with status 1.
void installFatalErrorHandler(llvm::StringRef tool);

/// Says, while it lives, which tile this thread is working on: to the handler
/// above and to stack traces.
class CurrentTile {
public:
  explicit CurrentTile(llvm::StringRef name);
  ~CurrentTile();
  CurrentTile(const CurrentTile &) = delete;
  CurrentTile &operator=(const CurrentTile &) = delete;

  /// That of the calling thread; empty if there is none.
  static llvm::StringRef name();

private:
  std::string text;
  llvm::PrettyStackTraceString entry;
  llvm::StringRef outer;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_FATALERRORS_H
