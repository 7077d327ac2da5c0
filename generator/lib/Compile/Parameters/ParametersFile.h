// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of parameters that tilewright/instance.h describes.

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H

#include "ScratchFile.h"
#include "tilewright/Support/OutputFiles.h"
#include <array>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Where parameters of these sizes lie in a file that is written.
std::vector<uint64_t> parameterOffsets(llvm::ArrayRef<uint64_t> sizes);

/// Whether the scratch file, which `parameters` are in but for some, may as
/// well become their file when it has these, too: it would not be much larger.
/// One of several programs does anyway.
bool mayBecomeParameters(const ScratchFile &file,
                         llvm::ArrayRef<llvm::StringRef> parameters);

/// What tells the file of a model from that of any other, given the names of
/// the parameters' contents, and where they are.
std::array<uint8_t, 32>
parametersIdentity(llvm::StringRef model,
                   llvm::ArrayRef<llvm::StringRef> contents,
                   llvm::ArrayRef<uint64_t> offsets);

/// What a program reads from a file: bytes, and where they are there.
struct ProgramParameters {
  llvm::ArrayRef<llvm::StringRef> bytes;
  llvm::ArrayRef<uint64_t> offsets;
  std::array<uint8_t, 32> identity;
  std::string target; ///< what it is compiled for, as users spell it
};

/// Writes the file of all of `programs`: into `scratch` (which may be null) if
/// the parameters are there where the offsets are, else anew.
llvm::Error writeParameters(llvm::ArrayRef<ProgramParameters> programs,
                            ScratchFile *scratch, llvm::StringRef path,
                            OutputFiles &outputs);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H
