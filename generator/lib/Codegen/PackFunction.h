// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack functions: tw_pack's own code with a name's constants bound.

#ifndef TILEWRIGHT_LIB_CODEGEN_PACKFUNCTION_H
#define TILEWRIGHT_LIB_CODEGEN_PACKFUNCTION_H

#include "TemplateBitcode.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/pack_key.h"

namespace tilewright {

/// The bitcode of ukernels/pack_template.c. Thread-safe.
class PackTemplate {
public:
  explicit PackTemplate(llvm::StringRef dir);

  /// The function of `key`, named with options.prefix: LLVM, Asm, Bitcode,
  /// Object or Keys. Deterministic. Errors do not name the key.
  llvm::Error generate(const PackKey &key, Emit kind,
                       const GenerateOptions &options, Backends &backends,
                       llvm::SmallVectorImpl<char> &bytes, StepTimes &times);

  llvm::Expected<std::string> hash() { return file.hash(); }

private:
  TemplateBitcode file;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CODEGEN_PACKFUNCTION_H
