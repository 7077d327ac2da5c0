// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of parameters that tilewright/instance.h describes.

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H

#include "tilewright/Codegen/ExternalConstants.h"
#include <array>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Where parameters of these sizes lie in the file.
std::vector<uint64_t> parameterOffsets(llvm::ArrayRef<uint64_t> sizes);

/// What tells the file of a model from that of any other, given the names of
/// the parameters' contents.
std::array<uint8_t, 32>
parametersIdentity(llvm::StringRef model,
                   llvm::ArrayRef<llvm::StringRef> contents);

/// The whole file; refers to the parameters' bytes.
FileTail parametersFile(llvm::ArrayRef<llvm::StringRef> parameters,
                        const std::array<uint8_t, 32> &identity);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_PARAMETERSFILE_H
