// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright {
namespace {

/// A new directory with one file in it, both gone at the end.
class ScratchFile {
public:
  static Expected<ScratchFile> create(StringRef name, ArrayRef<char> bytes) {
    ScratchFile file;
    if (std::error_code error =
            sys::fs::createUniqueDirectory("tilewright-compile", file.dir))
      return createStringError(error, "cannot make a temporary directory: " +
                                          error.message());
    file.path = file.dir;
    sys::path::append(file.path, name);
    std::error_code error;
    raw_fd_ostream os(file.path, error);
    if (error)
      return createFileError(file.path, error);
    os.write(bytes.data(), bytes.size());
    os.close();
    if (os.has_error())
      return createFileError(file.path, os.error());
    return std::move(file);
  }

  ScratchFile(ScratchFile &&other)
      : dir(std::move(other.dir)), path(std::move(other.path)) {
    other.dir.clear();
  }

  ~ScratchFile() {
    if (dir.empty())
      return;
    sys::fs::remove(path);
    sys::fs::remove(dir);
  }

  std::string str() const { return std::string(path); }

private:
  ScratchFile() = default;
  SmallString<128> dir, path;
};

/// A file that appears under its name only when it is kept.
class PendingFile {
public:
  static Expected<PendingFile> create(const std::string &path,
                                      StringRef content) {
    Expected<sys::fs::TempFile> temp =
        sys::fs::TempFile::create(path + ".tmp-%%%%%%", 0666 & ~currentUmask());
    if (!temp)
      return createFileError(path, temp.takeError());
    PendingFile file(path, std::move(*temp));
    raw_fd_ostream os(file.temp->FD, /*shouldClose=*/false);
    os << content;
    os.flush();
    if (os.has_error()) {
      std::error_code error = os.error();
      os.clear_error();
      return createFileError(path, error);
    }
    return std::move(file);
  }

  PendingFile(PendingFile &&) = default;
  ~PendingFile() {
    if (temp)
      consumeError(temp->discard());
  }

  Error keep() {
    Error error = temp->keep(path);
    temp.reset();
    return error ? createFileError(path, std::move(error)) : Error::success();
  }

private:
  PendingFile(const std::string &path, sys::fs::TempFile temp)
      : path(path), temp(std::move(temp)) {}
  static unsigned currentUmask() { return sys::fs::getUmask(); }

  std::string path;
  std::optional<sys::fs::TempFile> temp;
};

} // namespace

Expected<BuildReport> buildModel(MemoryBufferRef source, StringRef outputPath,
                                 const BuildOptions &options) {
  bool asObject = options.output == LinkOutput::Archive;
  Expected<CompiledModel> model =
      compileModel(source, asObject ? ModelStage::Object : ModelStage::Bitcode,
                   options.model);
  if (!model)
    return model.takeError();

  std::string stem(sys::path::stem(outputPath));
  Expected<ScratchFile> code =
      ScratchFile::create(stem + (asObject ? ".o" : ".bc"), model->bytes);
  if (!code)
    return code.takeError();
  model->bytes.clear();

  std::optional<PendingFile> header;
  if (!options.headerPath.empty()) {
    std::string name(sys::path::filename(options.headerPath));
    Expected<PendingFile> pending = PendingFile::create(
        options.headerPath, emitHeader(name, model->entries));
    if (!pending)
      return pending.takeError();
    header.emplace(std::move(*pending));
  }

  LinkOptions link;
  link.output = options.output;
  link.inlineTiles = options.inlineTiles;
  link.withInputs = asObject;
  link.prefixes = {options.model.prefix};
  link.resolve = options.resolve;
  Expected<LinkReport> linked = linkTiles({code->str()}, outputPath, link);
  if (!linked)
    return linked.takeError();
  if (header)
    if (Error error = header->keep())
      return std::move(error);
  return BuildReport{options.model.target.name,
                     options.model.device ? options.model.device->name : "",
                     options.model.prefix, std::move(*model),
                     std::move(*linked)};
}

} // namespace tilewright
