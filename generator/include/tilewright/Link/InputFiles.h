// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker's inputs: bitcode files, ELF relocatable objects, and regular or
// thin archives of either, flattened into a list of modules.

#ifndef TILEWRIGHT_LINK_INPUTFILES_H
#define TILEWRIGHT_LINK_INPUTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

enum class InputKind { Bitcode, ElfObject };

/// One bitcode file or ELF object, by itself or as a member of an archive.
struct InputModule {
  /// For messages: "dir/a.o", "dir/lib.a(b.o)".
  std::string id;
  /// The file name without its folder, or the member's name.
  std::string baseName;
  InputKind kind;
  /// Lives as long as the InputFiles.
  llvm::MemoryBufferRef bytes;
  /// Its bytes are those of an earlier module: linking it again would define
  /// everything twice.
  bool duplicate = false;
};

/// Owns the inputs' memory. Move-only.
class InputFiles {
public:
  /// Opens and identifies all files; the same file given twice, whatever it is
  /// called, is read once. Members are listed in archive order. All errors are
  /// reported, joined, each naming the file (and member) and the reason: a file
  /// that is missing, a directory, empty, truncated, an executable or shared
  /// library, or anything else that is neither bitcode nor ELF.
  /// Those of `buffers`, which outlive this, follow the files.
  static llvm::Expected<InputFiles>
  open(llvm::ArrayRef<std::string> paths,
       llvm::ArrayRef<llvm::MemoryBufferRef> buffers = {});

  /// In the order given.
  llvm::ArrayRef<InputModule> modules() const { return allModules; }
  /// Files given again plus modules whose bytes were seen before.
  unsigned duplicates() const { return duplicateCount; }
  /// The files that thin archives name as their members.
  llvm::ArrayRef<std::string> memberFiles() const { return memberPaths; }

private:
  llvm::Error openFile(const std::string &path);
  llvm::Error addArchive(llvm::MemoryBufferRef buffer);
  llvm::Error addModule(llvm::MemoryBufferRef bytes, std::string id,
                        llvm::StringRef baseName);
  void markDuplicates();

  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  std::vector<std::unique_ptr<llvm::object::Archive>> archives;
  std::vector<llvm::sys::fs::UniqueID> fileIds;
  std::vector<std::string> memberPaths;
  std::vector<InputModule> allModules;
  unsigned duplicateCount = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LINK_INPUTFILES_H
