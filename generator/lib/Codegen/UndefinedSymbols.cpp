// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UndefinedSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace tilewright {

Error checkUndefinedSymbols(ArrayRef<char> object,
                            ArrayRef<StringRef> allowed) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()),
                         "generated object");
  auto file = object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (object::SymbolRef symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined) ||
        (*flags & object::SymbolRef::SF_FormatSpecific))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    // The linker defines these: no code stands behind them.
    if (*name == "_fltused" || *name == ".TOC." || is_contained(allowed, *name))
      continue;
    return createStringError("the generated code calls '" + *name +
                             "', which the ABI of its function forbids");
  }
  return Error::success();
}

} // namespace tilewright
