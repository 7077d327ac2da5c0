// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lld/Common/Driver.h"
#include "tilewright/Amdgpu/CodeObject.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tilewright {
namespace {

/// A file that is gone with this.
class ScratchFile {
public:
  static Expected<ScratchFile> create(StringRef suffix) {
    ScratchFile file;
    if (std::error_code error = sys::fs::createTemporaryFile(
            "tilewright-device", suffix, file.path))
      return createStringError(error, "cannot make a temporary file to link a "
                                      "code object: " +
                                          error.message());
    return std::move(file);
  }
  ScratchFile(ScratchFile &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  ~ScratchFile() {
    if (!path.empty())
      sys::fs::remove(path);
  }
  const char *name() { return path.c_str(); }

private:
  ScratchFile() = default;
  SmallString<128> path;
};

} // namespace

Expected<SmallVector<char, 0>> linkCodeObject(ArrayRef<char> object) {
  Expected<ScratchFile> in = ScratchFile::create("o");
  if (!in)
    return in.takeError();
  Expected<ScratchFile> out = ScratchFile::create("hsaco");
  if (!out)
    return out.takeError();
  {
    std::error_code error;
    raw_fd_ostream os(in->name(), error);
    os.write(object.data(), object.size());
    os.close();
    if (os.has_error())
      return createFileError(in->name(), os.error());
  }
  // LLD's linker has one state per process.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string words;
  raw_string_ostream text(words);
  const char *arguments[] = {"ld.lld",      "-shared",  "--no-undefined",
                             "--threads=1", in->name(), "-o",
                             out->name()};
  lld::Result result =
      lld::lldMain(arguments, text, text, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError("linking the code object failed: " + words);
  auto buffer = MemoryBuffer::getFile(out->name(), /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createFileError(out->name(), buffer.getError());
  StringRef bytes = (*buffer)->getBuffer();
  return SmallVector<char, 0>(bytes.begin(), bytes.end());
}

} // namespace tilewright
