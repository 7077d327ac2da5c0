// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM reports some unsupported code, damage and a want of memory by aborting
// the process. Tools turn that into an error that names the file or the tile.

#ifndef TILEWRIGHT_SUPPORT_FATALERRORS_H
#define TILEWRIGHT_SUPPORT_FATALERRORS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// For tools only, once, before any thread is started: after this, where LLVM
/// would abort with a reason, the process prints "<tool>: error: <activity>:
/// <reason>" (Activity.h), removes its temporary files and exits with status 1.
void installFatalErrorHandler(llvm::StringRef tool);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_FATALERRORS_H
