// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-expand-scalings: arith.scaling_extf -> products.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDSCALINGS
#include "tilewright/Compile/Passes.h.inc"

namespace {

Type withElement(Type shapedLike, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(shapedLike))
    return shaped.clone(element);
  return element;
}

struct ExpandScalingsPass : impl::ExpandScalingsBase<ExpandScalingsPass> {
  void runOnOperation() override {
    getOperation().walk([](arith::ScalingExtFOp op) { expand(op); });
  }

  static void expand(arith::ScalingExtFOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    // f16 has neither all scales nor what an element times one may be.
    Type result = op.getType(), element = getElementTypeOrSelf(result);
    Type exact =
        withElement(result, element.isF64() ? element : b.getF32Type());
    auto extended = [&](Value value) -> Value {
      if (value.getType() == exact)
        return value;
      return arith::ExtFOp::create(b, exact, value);
    };
    Value product =
        arith::MulFOp::create(b, extended(op.getIn()), extended(op.getScale()));
    if (product.getType() != result)
      product = arith::TruncFOp::create(b, result, product);
    op.getResult().replaceAllUsesWith(product);
    op.erase();
  }
};

} // namespace
} // namespace tilewright
