// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Link/InputFiles.h"
#include "InputError.h"
#include "tilewright/Support/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <set>
#include <tuple>

using namespace llvm;

namespace tilewright {
namespace {

/// Why a file of this kind is no input. Only for kinds that are not accepted.
std::string whyRefused(file_magic magic) {
  switch (magic) {
  case file_magic::elf_executable:
  case file_magic::elf_shared_object:
    return (magic == file_magic::elf_executable ? "an ELF executable"
                                                : "an ELF shared library or "
                                                  "executable") +
           std::string(", whose own link has settled its undefined names; "
                       "pass the objects and archives it was linked from");
  case file_magic::unknown:
    return "neither LLVM bitcode, nor an ELF relocatable object, nor an "
           "archive of these";
  default:
    return "of a binary kind that is not supported; expected " +
           kAcceptedInputs.str();
  }
}

} // namespace

Error InputFiles::addModule(MemoryBufferRef bytes, std::string id,
                            StringRef baseName) {
  if (bytes.getBufferSize() == 0)
    return inputError(id, "the file is empty");
  file_magic magic = identify_magic(bytes.getBuffer());
  InputKind kind;
  if (magic == file_magic::bitcode)
    kind = InputKind::Bitcode;
  else if (magic == file_magic::elf_relocatable)
    kind = InputKind::ElfObject;
  else
    return inputError(id, "is " + whyRefused(magic));
  MemoryBufferRef named(bytes.getBuffer(), bytes.getBufferIdentifier());
  allModules.push_back({std::move(id), baseName.str(), kind, named});
  return Error::success();
}

Error InputFiles::addArchive(MemoryBufferRef buffer) {
  StringRef path = buffer.getBufferIdentifier();
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create(buffer);
  if (!archive)
    return inputError(path, archive.takeError());

  // All headers are walked before any member is read: LLVM finds that a member
  // reaches past the end of a truncated archive when it steps over it.
  std::vector<object::Archive::Child> children;
  Error walk = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(walk))
    children.push_back(child);
  if (walk)
    return inputError(path, std::move(walk));

  Error errors = Error::success();
  for (const object::Archive::Child &child : children) {
    Expected<StringRef> name = child.getName();
    if (!name) {
      errors =
          joinErrors(std::move(errors), inputError(path, name.takeError()));
      continue;
    }
    std::string id = (path + "(" + *name + ")").str();
    if ((*archive)->isThin()) {
      Expected<std::string> file = child.getFullName();
      if (!file) {
        errors =
            joinErrors(std::move(errors), inputError(id, file.takeError()));
        continue;
      }
      memberPaths.push_back(std::move(*file));
    }
    // Reads the file of a thin archive's member, from beside the archive.
    Expected<MemoryBufferRef> bytes = child.getMemoryBufferRef();
    Error error = bytes ? addModule(*bytes, id, sys::path::filename(*name))
                        : inputError(id, bytes.takeError());
    errors = joinErrors(std::move(errors), std::move(error));
  }
  archives.push_back(std::move(*archive));
  return errors;
}

Error InputFiles::openFile(const std::string &path) {
  sys::fs::file_status status;
  if (std::error_code ec = sys::fs::status(path, status))
    return inputError(path, Twine(ec.message()));
  if (sys::fs::is_directory(status))
    return inputError(path, "is a directory; name the files in it");
  if (!sys::fs::is_regular_file(status))
    return inputError(path, "is not a regular file");
  if (is_contained(fileIds, status.getUniqueID())) {
    ++duplicateCount;
    return Error::success();
  }
  fileIds.push_back(status.getUniqueID());

  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return inputError(path, Twine(buffer.getError().message()));
  ReadingInput reading(path, kAcceptedInputs);
  buffers.push_back(std::move(*buffer));
  MemoryBufferRef bytes = *buffers.back();
  if (identify_magic(bytes.getBuffer()) == file_magic::archive)
    return addArchive(bytes);
  return addModule(bytes, path, sys::path::filename(path));
}

void InputFiles::markDuplicates() {
  std::set<std::tuple<uint64_t, uint64_t, size_t>> seen;
  for (InputModule &module : allModules) {
    ReadingInput reading(module.id, kAcceptedInputs);
    StringRef bytes = module.bytes.getBuffer();
    XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(bytes));
    module.duplicate =
        !seen.insert({hash.low64, hash.high64, bytes.size()}).second;
    duplicateCount += module.duplicate;
  }
}

Expected<InputFiles> InputFiles::open(ArrayRef<std::string> paths,
                                      ArrayRef<MemoryBufferRef> buffers) {
  InputFiles inputs;
  Error errors = Error::success();
  for (const std::string &path : paths)
    errors = joinErrors(std::move(errors), inputs.openFile(path));
  for (MemoryBufferRef buffer : buffers)
    errors =
        joinErrors(std::move(errors),
                   inputs.addModule(buffer, buffer.getBufferIdentifier().str(),
                                    buffer.getBufferIdentifier()));
  if (errors)
    return std::move(errors);
  inputs.markDuplicates();
  return std::move(inputs);
}
} // namespace tilewright
