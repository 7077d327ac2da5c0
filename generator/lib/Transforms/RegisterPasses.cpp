// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this library by their names. In one file: TableGen's functions
// for it, a lambda for each pass, take a compiler longer than a pass.

#include "tilewright/Transforms/Passes.h"

namespace tilewright {
namespace registration {

#define GEN_PASS_REGISTRATION
#include "tilewright/Transforms/Passes.h.inc"

} // namespace registration

void registerTilewrightTransformsPasses() {
  registration::registerTilewrightTransformsPasses();
}

} // namespace tilewright
