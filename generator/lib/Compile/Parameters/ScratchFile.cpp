// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

thread_local ScratchFile *inUse = nullptr;

} // namespace

Expected<std::unique_ptr<ScratchFile>> ScratchFile::besides(StringRef path) {
  SmallString<128> model(sys::path::parent_path(path));
  sys::path::append(model, ".tilewright-%%%%%%%%");
  int descriptor = -1;
  SmallString<128> name;
  if (std::error_code error =
          sys::fs::createUniqueFile(model, descriptor, name))
    return createStringError(error, "cannot write beside '" + path +
                                        "': " + error.message());
  sys::fs::remove(name);
  return std::unique_ptr<ScratchFile>(new ScratchFile(descriptor));
}

ScratchFile::~ScratchFile() {
  for (MutableArrayRef<char> piece : mapped)
    ::munmap(piece.data(), piece.size());
  ::close(descriptor);
}

char *ScratchFile::allocate(size_t bytes) {
  size_t length = alignTo(bytes, sys::Process::getPageSizeEstimate());
  if (::ftruncate(descriptor, off_t(size + length)) != 0)
    return nullptr;
  void *memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED,
                        descriptor, off_t(size));
  if (memory == MAP_FAILED)
    return nullptr;
  size += length;
  mapped.emplace_back(static_cast<char *>(memory), length);
  return static_cast<char *>(memory);
}

ScratchFile::Use::Use(ScratchFile *file) : outer(inUse) { inUse = file; }
ScratchFile::Use::~Use() { inUse = outer; }

ScratchFile *ScratchFile::current() { return inUse; }

} // namespace tilewright
