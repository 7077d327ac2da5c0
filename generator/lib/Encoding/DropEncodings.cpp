// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-drop-encodings: as on a device without data tiling.

#include "EncodedValues.h"
#include "tilewright/Encoding/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_DROPENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

struct DropEncodingsPass : impl::DropEncodingsBase<DropEncodingsPass> {
  void runOnOperation() override {
    if (failed(specializeEncodings(getOperation(), "",
                                   /*hostPacksBlocks=*/false,
                                   /*tiles=*/false)) ||
        failed(materializeEncodings(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
