// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_LINK_SUPPORTFUNCTION_H
#define TILEWRIGHT_LIB_LINK_SUPPORTFUNCTION_H

#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tilewright {

/// A function that comes with compiled models (Registry.h), and the object or
/// bitcode that defines it.
struct SupportFunction {
  std::string name;
  llvm::SmallVector<char, 0> bytes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_SUPPORTFUNCTION_H
