// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are made of the bitcode of C functions, whose arguments a name
// binds.

#ifndef TILEWRIGHT_CODEGEN_TEMPLATEBITCODE_H
#define TILEWRIGHT_CODEGEN_TEMPLATEBITCODE_H

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Registry/TileNames.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>
#include <string>

namespace tilewright {

/// What sets one kind of such functions apart, beside how they are made.
struct TemplateTraits {
  /// The file, below a bitcode directory.
  llvm::Expected<std::string> (*pathOf)(llvm::StringRef dir);
  llvm::StringLiteral function; ///< one of them, in messages
  llvm::StringLiteral bitcode;  ///< the file
  /// What their code may call.
  llvm::ArrayRef<llvm::StringRef> mayCall = {};
};

/// A file, read once, and what is made of it. Thread-safe.
class TemplateBitcode {
public:
  TemplateBitcode(llvm::StringRef dir, const TemplateTraits &traits)
      : traits(traits), dir(dir) {}
  virtual ~TemplateBitcode() = default;

  /// The function of `key`, named with options.prefix: LLVM, Asm, Bitcode,
  /// Object or Keys. Deterministic. Errors do not name the key.
  llvm::Error generate(const FunctionKey &key, Emit kind,
                       const GenerateOptions &options, Backends &backends,
                       llvm::SmallVectorImpl<char> &bytes, StepTimes &times);

  /// A hash of the file.
  llvm::Expected<std::string> hash();

protected:
  struct Making {
    llvm::MemoryBufferRef buffer; ///< the file
    const FunctionKey &key;
    const std::string &name; ///< of the function
    const GenerateOptions &options;
    Backend &backend;
    llvm::LLVMContext &context;
    ContextErrors &errors;
    StepTimes &times;
  };
  /// The module of the function, optimised and ready for code generation.
  virtual llvm::Expected<std::unique_ptr<llvm::Module>>
  make(const Making &making) = 0;

  llvm::Error otherVersion(const Making &making) const;
  llvm::Error verify(const Making &making, const llvm::Module &module) const;

  const TemplateTraits &traits;

private:
  llvm::Expected<llvm::MemoryBufferRef> read();
  llvm::Error checkOptions(Emit kind, const GenerateOptions &options) const;
  llvm::Error write(llvm::Module &module, Emit kind, Backend &backend,
                    llvm::SmallVectorImpl<char> &bytes) const;

  std::string dir;
  std::mutex mutex;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

/// ukernels/pack_template.c: tw_pack's own code with a name's constants bound,
/// for PackKeys.
std::unique_ptr<TemplateBitcode> packTemplate(llvm::StringRef dir);

/// ukernels/x86_64/amx_template.c: the body of the hand-written tiles of the
/// variant `vnni` with a name's sizes bound, for TileKeys of that variant.
std::unique_ptr<TemplateBitcode> amxTemplate(llvm::StringRef dir);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_TEMPLATEBITCODE_H
