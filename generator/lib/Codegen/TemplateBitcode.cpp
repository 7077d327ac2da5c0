// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TemplateBitcode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {

Expected<MemoryBufferRef> TemplateBitcode::read() {
  std::lock_guard<std::mutex> lock(mutex);
  if (buffer)
    return buffer->getMemBufferRef();
  Expected<std::string> path = pathOf(dir);
  if (!path)
    return path.takeError();
  auto file = MemoryBuffer::getFile(*path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createFileError(*path, file.getError());
  buffer = std::move(*file);
  return buffer->getMemBufferRef();
}

Expected<std::string> TemplateBitcode::hash() {
  Expected<MemoryBufferRef> bytes = read();
  if (!bytes)
    return bytes.takeError();
  return utohexstr(xxh3_64bits(bytes->getBuffer()));
}

} // namespace tilewright
