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
bool mayBecomeParameters(const ScratchFile &file,
                         llvm::ArrayRef<llvm::StringRef> parameters);

/// What tells the file of a model from that of any other, given the names of
/// the parameters' contents, and where they are.
std::array<uint8_t, 32>
parametersIdentity(llvm::StringRef model,
                   llvm::ArrayRef<llvm::StringRef> contents,
                   llvm::ArrayRef<uint64_t> offsets);

/// Writes the file: into `scratch` (which may be null) if the parameters are
/// there where the offsets are, else anew.
llvm::Error writeParameters(llvm::ArrayRef<llvm::StringRef> parameters,
                            llvm::ArrayRef<uint64_t> offsets,
                            const std::array<uint8_t, 32> &identity,
                            ScratchFile *scratch, llvm::StringRef path,
                            OutputFiles &outputs);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H
