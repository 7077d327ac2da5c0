// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-check-sizes: sizes that contradict each other, before folding makes
// operations of them that upstream's verifier refuses in its own words.

#include "tilewright/Compile/EntrySizes.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CHECKSIZES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct CheckSizesPass : impl::CheckSizesBase<CheckSizesPass> {
  void runOnOperation() override {
    if (failed(checkSizes(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
