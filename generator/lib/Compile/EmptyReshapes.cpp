// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-empty-reshapes: what has no elements is not reshaped, but made.

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EMPTYRESHAPES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Whether dimensions become one of which one is known to be 0, and another is
/// not known.
bool hidesZero(tensor::CollapseShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> group) {
                        auto is = [&](auto size) {
                          return llvm::any_of(group, [&](int64_t dim) {
                            return size(op.getSrcType().getDimSize(dim));
                          });
                        };
                        return is([](int64_t size) { return size == 0; }) &&
                               is(ShapedType::isDynamic);
                      });
}

struct EmptyReshapesPass : impl::EmptyReshapesBase<EmptyReshapesPass> {
  void runOnOperation() override {
    SmallVector<tensor::CollapseShapeOp> found;
    getOperation().walk([&](tensor::CollapseShapeOp op) {
      if (hidesZero(op))
        found.push_back(op);
    });
    for (tensor::CollapseShapeOp op : found)
      replace(op);
  }

  static void replace(tensor::CollapseShapeOp op) {
    OpBuilder b(op);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
      if (op.getResultType().isDynamicDim(dim))
        sizes.push_back(getValueOrCreateConstantIndexOp(
            b, op.getLoc(), sizeOf(b, op.getResult(), dim)));
    Value made =
        tensor::EmptyOp::create(b, op.getLoc(), op.getResultType(), sizes);
    op.replaceAllUsesWith(made);
    op.erase();
  }
};

} // namespace
} // namespace tilewright
