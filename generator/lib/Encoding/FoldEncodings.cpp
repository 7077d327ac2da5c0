// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-encodings: what is encoded again without being used in between.

#include "EncodedValues.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

struct FoldEncodingsPass : impl::FoldEncodingsBase<FoldEncodingsPass> {
  using FoldEncodingsBase::FoldEncodingsBase;

  void runOnOperation() override {
    SmallVector<tw::SetEncodingOp> ops;
    getOperation().walk([&](tw::SetEncodingOp op) { ops.push_back(op); });
    for (tw::SetEncodingOp op : ops)
      fold(op);
  }

  void fold(tw::SetEncodingOp op) {
    auto unset = op.getSource().getDefiningOp<tw::UnsetEncodingOp>();
    if (!unset)
      return;
    if (hostPacksBlocks && (isOnHost(op) || isOnHost(unset)))
      return;
    Value encoded = unset.getSource();
    if (!areTogether(op, unset) ||
        encoded.getType() != op.getResult().getType()) {
      OpBuilder b(op);
      auto relayout =
          tw::RelayoutOp::create(b, op.getLoc(), encoded, op.getDest());
      placeLike(relayout, op);
      encoded = relayout.getResult();
    }
    op.getResult().replaceAllUsesWith(encoded);
    op->erase();
    // Who writes over it, or asks for its sizes, wants no elements of it. A
    // GPU's kernels unpack where they read.
    unset.getResult().replaceUsesWithIf(unset.getDest(), [&](OpOperand &use) {
      if (!isOnHost(unset))
        return false;
      auto over = dyn_cast<tw::UnsetEncodingOp>(use.getOwner());
      return (over && &use == &over.getDestMutable()) ||
             isa<tensor::DimOp>(use.getOwner());
    });
    if (unset->use_empty())
      unset->erase();
  }
};

} // namespace
} // namespace tilewright
