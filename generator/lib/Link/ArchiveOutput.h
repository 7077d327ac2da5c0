// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The archive that `link` writes.

#ifndef TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H
#define TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H

#include "tilewright/Codegen/Resolve.h"
#include "tilewright/Link/InputFiles.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

/// Makes the global symbol `name` of an ELF relocatable object a weak
/// definition. An error if the object does not define it.
llvm::Error weakenDefinition(llvm::SmallVectorImpl<char> &object,
                             llvm::StringRef name);

/// Writes one archive with a symbol table: the modules of `inputs` (may be
/// null), then one member NAME.o per tile, weakened. Same arguments, same
/// bytes.
llvm::Error writeTileArchive(const InputFiles *inputs,
                             llvm::MutableArrayRef<ResolvedTile> tiles,
                             llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H
