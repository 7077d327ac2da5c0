// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_LINK_BITCODEMODULES_H
#define TILEWRIGHT_LIB_LINK_BITCODEMODULES_H

#include "llvm/Bitcode/BitcodeReader.h"
#include <vector>

namespace tilewright {

/// The modules of untrusted bitcode, at least one, whose records name nothing
/// outside of the string table: LLVM's reader does not check that of
/// partitions, and would take what lies behind the file for their names.
llvm::Expected<std::vector<llvm::BitcodeModule>>
readBitcodeModules(llvm::MemoryBufferRef bytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_BITCODEMODULES_H
