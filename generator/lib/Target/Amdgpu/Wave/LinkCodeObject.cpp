// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/RunLld.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"

using namespace llvm;

namespace tilewright {

Expected<SmallVector<char, 0>> linkCodeObject(ArrayRef<char> object) {
  StringRef bytes(object.data(), object.size());
  Expected<SmallVector<char, 0>> linked =
      runLld({"-shared", "--no-undefined"}, {{bytes, ""}});
  if (!linked)
    return createStringError("linking the code object failed: " +
                             toString(linked.takeError()));
  return linked;
}

} // namespace tilewright
