// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of the variant `vnni`: the body of the hand-written ones with a name's
// sizes bound.

#ifndef TILEWRIGHT_LIB_CODEGEN_AMXTILE_H
#define TILEWRIGHT_LIB_CODEGEN_AMXTILE_H

#include "TemplateBitcode.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/TileGenerator.h"

namespace tilewright {

/// The bitcode of ukernels/x86_64/amx_template.c. Thread-safe.
class AmxTemplate {
public:
  explicit AmxTemplate(llvm::StringRef dir);

  /// The tile of `key`, named with options.prefix: LLVM, Asm, Bitcode, Object
  /// or Keys. Deterministic. Errors do not name the key.
  llvm::Error generate(const TileKey &key, Emit kind,
                       const GenerateOptions &options, Backends &backends,
                       llvm::SmallVectorImpl<char> &bytes, StepTimes &times);

  llvm::Expected<std::string> hash() { return file.hash(); }

private:
  TemplateBitcode file;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CODEGEN_AMXTILE_H
