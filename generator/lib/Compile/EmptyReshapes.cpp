// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-empty-reshapes: what has no elements is not reshaped, but made.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

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
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<Value> sizes;
    for (auto [size, group] : llvm::zip_equal(op.getResultType().getShape(),
                                              op.getReassociationIndices())) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value product = arith::ConstantIndexOp::create(b, 1);
      for (int64_t dim : group)
        product = b.createOrFold<arith::MulIOp>(
            product, b.createOrFold<tensor::DimOp>(op.getSrc(), dim));
      sizes.push_back(product);
    }
    op.replaceAllUsesWith(
        tensor::EmptyOp::create(b, op.getResultType(), sizes).getResult());
    op.erase();
  }
};

} // namespace
} // namespace tilewright
