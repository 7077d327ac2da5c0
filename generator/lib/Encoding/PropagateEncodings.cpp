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
    for (Kind kind : kindsOf<tw::SetEncodingOp>())
      computeOperands(kind);
    for (Kind kind : kindsOf<tw::UnsetEncodingOp>())
      computeOfResults(kind);
    // What was set for these.
    for (Kind kind : kindsOf<tw::SetEncodingOp>())
      computeOperands(kind);
    while (encodeFlow(getOperation()))
      ;
  }

  /// Which block, and the encoding of an operand itself.
  using Kind = std::pair<Block *, tw::EncodingAttr>;

  static Value encodedBy(tw::SetEncodingOp op) { return op.getResult(); }
  static Value encodedBy(tw::UnsetEncodingOp op) { return op.getSource(); }

  /// That of what an operation on the host sets or unsets; null of any other.
  template <typename Op> static Kind kindOf(Op op) {
    tw::EncodingAttr encoding = encodingOf(encodedBy(op).getType());
    return encoding && isOnHost(op) ? Kind(op->getBlock(), encoding.ofOperand())
                                    : Kind(nullptr, nullptr);
  }

  template <typename Op> llvm::SetVector<Kind> kindsOf() {
    llvm::SetVector<Kind> kinds;
    getOperation().walk([&](Op op) {
      if (Kind kind = kindOf(op); kind.first)
        kinds.insert(kind);
    });
    return kinds;
  }

  /// Null if none is left.
  template <typename Op> static Operation *firstOf(Kind kind) {
    for (auto op : kind.first->getOps<Op>())
      if (kindOf(op) == kind)
        return op;
    return nullptr;
  }

  void computeOfResults(Kind kind) {
    auto [block, encoding] = kind;
    Operation *first = firstOf<tw::UnsetEncodingOp>(kind);
    if (!first || encoding.getOperand() != tw::Operand::Out)
      return;
    ElementCluster cluster(tilesFor(encoding, first), first);
    bool isAny = false;
    for (Operation &op : *block)
      isAny |= cluster.add(&op);
    if (isAny && (always || cluster.saves() > 0))
      cluster.rewrite();
  }

  void computeOperands(Kind kind) {
    auto [block, encoding] = kind;
    Operation *first = firstOf<tw::SetEncodingOp>(kind);
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
