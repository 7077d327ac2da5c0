// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The archive that `link` writes.

#ifndef TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H
#define TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H

#include "SupportFunction.h"
#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Link/InputFiles.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright {

/// Makes the global symbol `name` of an ELF relocatable object a weak
/// definition. An error if the object does not define it.
llvm::Error weakenDefinition(llvm::SmallVectorImpl<char> &object,
                             llvm::StringRef name);

/// Makes one archive with a symbol table: the modules of `inputs` (may be
/// null), then one member NAME.o per tile and support function, weakened. Same
/// arguments, same bytes. Into `bytes`, which is empty, and what follows that.
///
/// `constants` are put behind the one input, which then is the last member:
/// its tail is the archive's, and need not be in memory twice.
llvm::Expected<FileTail>
writeTileArchive(const InputFiles *inputs,
                 llvm::ArrayRef<ExternalConstant> constants,
                 llvm::MutableArrayRef<ResolvedTile> tiles,
                 llvm::MutableArrayRef<SupportFunction> support,
                 llvm::SmallVectorImpl<char> &bytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_ARCHIVEOUTPUT_H
