// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large constants of generated code. The code refers to them by name, as to
// symbols that another file defines; their bytes never become constants of
// LLVM, which costs up to 40 bytes of memory for each. They are put behind the
// finished object. docs/adr/0021-constants-are-bytes.md has the reasons.

#ifndef TILEWRIGHT_CODEGEN_EXTERNALCONSTANTS_H
#define TILEWRIGHT_CODEGEN_EXTERNALCONSTANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// Where a constant starts: a cache line, which is also the widest vector.
constexpr uint64_t kConstantAlignment = 64;

/// One constant, its bytes as the target has them in memory.
struct ExternalConstant {
  std::string name; ///< externalConstantName() of the bytes
  /// Owned by somebody else, who outlives this. Repeated until `size`, for a
  /// constant whose elements are all equal.
  llvm::StringRef bytes;
  uint64_t size = 0;
};

/// A name that constants share if and only if their bytes are equal, in one
/// program as in one model: "tw.constant.<hash>".
std::string externalConstantName(llvm::StringRef bytes, uint64_t size);

/// The rest of a file, as pieces that follow each other and are not copied.
class FileTail {
public:
  /// Refers to `bytes`.
  void append(llvm::StringRef bytes);
  /// Refers to one or a few copies of `bytes`.
  void appendRepeated(llvm::StringRef bytes, uint64_t size);
  void appendZeros(uint64_t size);
  /// Keeps `bytes` itself.
  void appendOwned(std::string bytes);

  llvm::ArrayRef<llvm::StringRef> pieces() const { return allPieces; }
  uint64_t size() const { return totalSize; }

private:
  std::vector<llvm::StringRef> allPieces;
  std::vector<std::unique_ptr<std::string>> owned;
  uint64_t totalSize = 0;
};

/// Makes `object`, an ELF relocatable object, define those of `constants` that
/// it refers to: the file is then `object` followed by the tail. Each constant
/// is a read-only section of its own, in a COMDAT group of its name, so that a
/// program keeps one of several equal ones, and a linker drops those unused.
/// An error if the object is of another format or has no room for them.
llvm::Expected<FileTail>
appendConstants(llvm::SmallVectorImpl<char> &object,
                llvm::ArrayRef<ExternalConstant> constants);

/// The same as text, for the end of an assembly file.
std::string constantsAsAssembly(llvm::ArrayRef<ExternalConstant> constants);

/// Gives the declarations in `module` the bytes, for outputs that have to hold
/// everything as LLVM does: bitcode takes three times their size in memory.
void embedConstants(llvm::Module &module,
                    llvm::ArrayRef<ExternalConstant> constants);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_EXTERNALCONSTANTS_H
