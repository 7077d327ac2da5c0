// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

thread_local ScratchFile *inUse = nullptr;

} // namespace

ScratchFile::ScratchFile(int descriptor, StringRef path, size_t programs)
    : descriptor(descriptor), path(path), programs(programs), end(tableRoom()) {
}

uint64_t ScratchFile::tableRoom() const {
  // For 2,000 entries of each program.
  return programs * (64 << 10);
}

Expected<std::unique_ptr<ScratchFile>> ScratchFile::besides(StringRef path,
                                                            size_t programs) {
  StringRef folder = sys::path::parent_path(path);
#ifdef O_TMPFILE
  int nameless = ::open(folder.empty() ? "." : folder.str().c_str(),
                        O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (nameless >= 0)
    return std::unique_ptr<ScratchFile>(
        new ScratchFile(nameless, path, programs));
#endif
  // A file system that has no such files: one that lost its name.
  SmallString<128> model(folder);
  sys::path::append(model, ".tilewright-%%%%%%%%");
  int descriptor = -1;
  SmallString<128> name;
  if (std::error_code error =
          sys::fs::createUniqueFile(model, descriptor, name))
    return createStringError(error, "cannot write beside '" + path +
                                        "': " + error.message());
  sys::fs::remove(name);
  return std::unique_ptr<ScratchFile>(
      new ScratchFile(descriptor, path, programs));
}

ScratchFile::~ScratchFile() {
  for (const Piece &piece : mapped)
    ::munmap(piece.memory.data(), piece.memory.size());
  ::close(descriptor);
}

char *ScratchFile::allocate(size_t bytes) {
  size_t length = alignTo(bytes, sys::Process::getPageSizeEstimate());
  // A page that a full disk has no room for would be a signal when it is
  // written.
  if (::fallocate(descriptor, 0, off_t(end), off_t(length)) != 0 &&
      (errno != EOPNOTSUPP ||
       ::ftruncate(descriptor, off_t(end + length)) != 0))
    return nullptr;
  void *memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED,
                        descriptor, off_t(end));
  if (memory == MAP_FAILED)
    return nullptr;
  mapped.push_back({{static_cast<char *>(memory), length}, end});
  end += length;
  return static_cast<char *>(memory);
}

char *ScratchFile::allocateFilled(StringRef key, size_t size,
                                  ArrayRef<char> source, Fill fill) {
  char *&memory = filled[key];
  if (memory)
    return memory;
  memory = allocate(size);
  if (!memory)
    return nullptr;
  makeReady(source);
  pending.push_back({source, {memory, size}, std::move(fill)});
  return memory;
}

char *ScratchFile::allocateBetween(StringRef key, size_t size,
                                   ArrayRef<char> source, const Fill &fill) {
  makeReady(source);
  if (!between) {
    Expected<std::unique_ptr<ScratchFile>> made = besides(path, programs);
    if (!made) {
      consumeError(made.takeError());
      return nullptr;
    }
    between = std::move(*made);
  }
  char *memory = between->allocateFilled(key, size, source, fill);
  between->fillAll();
  return memory;
}

void ScratchFile::makeReady(ArrayRef<char> source) {
  std::less_equal<const char *> before; // also of pointers into other memory
  if (any_of(pending, [&](const Pending &each) {
        return before(each.memory.begin(), source.begin()) &&
               before(source.end(), each.memory.end());
      }))
    fillAll();
}

void ScratchFile::fillAll() {
  llvm::sort(pending, [](const Pending &x, const Pending &y) {
    return std::less<const char *>()(x.source.data(), y.source.data());
  });
  for (const Pending &each : pending)
    each.fill(each.memory);
  pending.clear();
}

std::optional<uint64_t> ScratchFile::offsetOf(StringRef bytes) const {
  std::less_equal<const char *> before; // also of pointers into other memory
  for (const auto &[memory, offset] : mapped)
    if (before(memory.begin(), bytes.begin()) &&
        before(bytes.end(), memory.end()))
      return offset + (bytes.begin() - memory.begin());
  return std::nullopt;
}

Error ScratchFile::finish(StringRef table, uint64_t bytes) {
  uint64_t at = 0;
  while (at < table.size()) {
    ssize_t written =
        sys::RetryAfterSignal(-1, ::pwrite, descriptor, table.data() + at,
                              table.size() - at, off_t(at));
    if (written < 0)
      return errorCodeToError(errnoAsErrorCode());
    at += written;
  }
  if (::ftruncate(descriptor, off_t(bytes)) != 0)
    return errorCodeToError(errnoAsErrorCode());
  return Error::success();
}

ScratchFile::Use::Use(ScratchFile *file) : outer(inUse) { inUse = file; }
ScratchFile::Use::~Use() { inUse = outer; }

ScratchFile *ScratchFile::current() { return inUse; }

} // namespace tilewright
