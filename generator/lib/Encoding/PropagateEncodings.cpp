// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-propagate-encodings: what is computed of results of contractions, as these
// lie.

#include "ElementCluster.h"
#include "EncodedFlow.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PROPAGATEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

struct PropagateEncodingsPass
    : impl::PropagateEncodingsBase<PropagateEncodingsPass> {
  using PropagateEncodingsBase::PropagateEncodingsBase;

  void runOnOperation() override {
    if (hostPacksBlocks)
      return;
    // Each step may leave something to do for the next.
    while (encodeFlow(getOperation()))
      ;
    // By block and encoding: all that are unset so are of one cluster, or of
    // none.
    llvm::SetVector<std::pair<Block *, Attribute>> kinds;
    getOperation().walk([&](tw::UnsetEncodingOp op) {
      tw::EncodingAttr encoding = encodingOf(op.getSource().getType());
      if (encoding && encoding.getOperand() == tw::Operand::Out)
        kinds.insert(
            {op->getBlock(), encoding.withOperand(encoding.getOperand())});
    });
    for (auto [block, encoding] : kinds)
      propagate(*block, cast<tw::EncodingAttr>(encoding));
    while (encodeFlow(getOperation()))
      ;
  }

  void propagate(Block &block, tw::EncodingAttr encoding) {
    auto unsets = block.getOps<tw::UnsetEncodingOp>();
    auto first = llvm::find_if(unsets, [&](tw::UnsetEncodingOp op) {
      tw::EncodingAttr own = encodingOf(op.getSource().getType());
      return own && own.withOperand(own.getOperand()) == encoding &&
             isOnHost(op);
    });
    if (first == unsets.end())
      return;
    ElementCluster cluster(encoding, *first, deviceFor(*first).get());
    bool isAny = false;
    for (Operation &op : block)
      isAny |= cluster.add(&op);
    if (isAny && (always || cluster.saves() > 0))
      cluster.rewrite();
  }

  std::shared_ptr<const Device> deviceFor(Operation *op) {
    tw::DeviceAttr device = deviceOf(op);
    if (!device)
      return nullptr;
    // What is wrong with a device is said where its layouts are asked for.
    ScopedDiagnosticHandler quiet(op->getContext(),
                                  [](Diagnostic &) { return success(); });
    FailureOr<std::shared_ptr<const Device>> found =
        findDevice(device.getTarget(), "tw", op->getContext());
    return succeeded(found) ? *found : nullptr;
  }
};

} // namespace
} // namespace tilewright
