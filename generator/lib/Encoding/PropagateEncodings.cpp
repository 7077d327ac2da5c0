// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-propagate-encodings: what is computed of results of contractions, as these
// lie.

#include "ElementCluster.h"
#include "EncodedFlow.h"
#include "EncodedSources.h"
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
    // By block and encoding: all that are unset or set so are of one cluster,
    // or of none.
    computeOperands();
    llvm::SetVector<Kind> results;
    getOperation().walk([&](tw::UnsetEncodingOp op) {
      tw::EncodingAttr encoding = encodingOf(op.getSource().getType());
      if (encoding && encoding.getOperand() == tw::Operand::Out && isOnHost(op))
        results.insert({op->getBlock(), encoding.ofOperand()});
    });
    for (Kind kind : results)
      computeOfResults(kind);
    // What was set for these.
    computeOperands();
    while (encodeFlow(getOperation()))
      ;
  }

  /// Which block, and the encoding of an operand itself.
  using Kind = std::pair<Block *, tw::EncodingAttr>;

  void computeOfResults(Kind kind) {
    auto [block, encoding] = kind;
    Operation *first = nullptr;
    for (auto op : block->getOps<tw::UnsetEncodingOp>())
      if (!first && isOnHost(op) && isOf(op.getSource(), kind))
        first = op;
    if (!first)
      return;
    ElementCluster cluster(tilesFor(encoding, first), first);
    bool isAny = false;
    for (Operation &op : *block)
      isAny |= cluster.add(&op);
    if (isAny && (always || cluster.saves() > 0))
      cluster.rewrite();
  }

  void computeOperands() {
    llvm::SetVector<Kind> operands;
    getOperation().walk([&](tw::SetEncodingOp op) {
      tw::EncodingAttr encoding = encodingOf(op.getResult().getType());
      if (encoding && isOnHost(op))
        operands.insert({op->getBlock(), encoding.ofOperand()});
    });
    for (Kind kind : operands)
      computeOperands(kind);
  }

  void computeOperands(Kind kind) {
    auto [block, encoding] = kind;
    Operation *first = nullptr;
    for (auto op : block->getOps<tw::SetEncodingOp>())
      if (!first && isOnHost(op) && isOf(op.getResult(), kind))
        first = op;
    if (!first)
      return;
    OperandTiles tiles = tilesFor(encoding, first);
    // What lies as without an encoding is not set by moving it.
    if (tiles.isIdentity())
      return;
    EncodedSources sources(tiles, first);
    for (Operation &op : llvm::reverse(*block))
      sources.add(&op);
    if (!always)
      sources.choose();
    if (!sources.isEmpty() && (always || sources.saves() > 0))
      sources.rewrite();
  }

  static bool isOf(Value value, Kind kind) {
    tw::EncodingAttr own = encodingOf(value.getType());
    return own && own.ofOperand() == kind.second;
  }

  static OperandTiles tilesFor(tw::EncodingAttr encoding, Operation *op) {
    return {encoding, deviceFor(op).get()};
  }

  static std::shared_ptr<const Device> deviceFor(Operation *op) {
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
