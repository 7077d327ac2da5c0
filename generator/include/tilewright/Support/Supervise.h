// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One supervised child does a tool's work, so that what LLVM's readers do with
// damaged input ends in a sentence (docs/adr/0013-supervision.md).

#ifndef TILEWRIGHT_SUPPORT_SUPERVISE_H
#define TILEWRIGHT_SUPPORT_SUPERVISE_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// For tools only: the first thing that main does, before InitLLVM and before
/// any thread is started. Returns in a child, which does the work; the caller
/// waits for it and ends as it ends, passing signals on. If a signal ends the
/// child, the parent says at what (Activity.h), removes the child's temporary
/// files and exits with status 1; if it was one by which people end programs,
/// the parent dies of it too.
///
/// Returns in the calling process if TILEWRIGHT_NO_SUPERVISION is set and not
/// empty, if there is no process to be had, and on other systems than Linux.
void supervise(llvm::StringRef tool, int argc, char **argv);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_SUPERVISE_H
