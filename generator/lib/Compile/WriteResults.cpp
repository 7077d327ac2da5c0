// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-write-results: what is returned is computed where the caller wants it.

#include "OperationKind.h"
#include "RowMajorView.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_WRITERESULTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What `value` was made from by reshapes and casts, which keep all elements in
/// order.
Value withoutViews(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

unsigned spaceOf(Value memory) {
  return cast<MemRefType>(memory.getType()).getMemorySpaceAsInt();
}

/// Whether it is a tensor without contents in that memory.
bool isEmptyIn(unsigned space, Value value) {
  auto alloc = value.getDefiningOp<bufferization::AllocTensorOp>();
  if (!space || !alloc)
    return !space && value.getDefiningOp<tensor::EmptyOp>();
  auto its = dyn_cast_or_null<IntegerAttr>(alloc.getMemorySpaceAttr());
  return !alloc.getCopy() && its && its.getInt() == space;
}

/// The init that `value` has its elements written into first, if that is a
/// tensor without contents in the memory `space`; else null. What is written
/// over on the way has no other use: it would have to be kept elsewhere.
OpOperand *firstInit(Value value, unsigned space) {
  OpOperand *init = nullptr;
  while (auto writer = value.getDefiningOp<DestinationStyleOpInterface>()) {
    init = writer.getTiedOpOperand(cast<OpResult>(value));
    value = init->get();
    if (isa_and_nonnull<DestinationStyleOpInterface>(value.getDefiningOp()) &&
        !value.hasOneUse())
      return nullptr;
  }
  return init && isEmptyIn(space, value) ? init : nullptr;
}

struct WriteResultsPass : impl::WriteResultsBase<WriteResultsPass> {
  void runOnOperation() override {
    DominanceInfo dominance;
    getOperation().walk([&](bufferization::MaterializeInDestinationOp result) {
      if (isa<MemRefType>(result.getDest().getType()))
        write(result, dominance);
    });
  }

  void write(bufferization::MaterializeInDestinationOp result,
             DominanceInfo &dominance) {
    Value written = withoutViews(result.getSource());
    unsigned space = spaceOf(result.getDest());
    // Of a device's memory there are no pointers yet, for another shape.
    if (space && written != result.getSource())
      return;
    OpOperand *init = firstInit(written, space);
    IRRewriter rewriter(&getContext());
    if (!init || failed(moveValueDefinitions(rewriter, result.getDest(),
                                             init->getOwner(), dominance)))
      return;
    auto type = cast<RankedTensorType>(written.getType());
    if (type != init->get().getType())
      return;
    ImplicitLocOpBuilder b(init->getOwner()->getLoc(), init->getOwner());
    if (written != result.getSource()) {
      // The same memory, in the shape of what is written.
      auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
      result.getDestMutable().assign(rowMajorView(
          b, pointerTo(b, result.getDest()), type, empty.getMixedSizes()));
      result.getSourceMutable().assign(written);
    }
    init->set(bufferization::ToTensorOp::create(b, type, result.getDest(),
                                                /*restrict=*/true,
                                                /*writable=*/true));
  }
};

} // namespace
} // namespace tilewright
