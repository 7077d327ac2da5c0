// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodeConvolution.h"

#include "MatrixLoops.h"
#include "Product.h"
#include "tilewright/Encoding/MatchWindows.h"
#include "tilewright/Encoding/PackOperand.h"

using namespace mlir;

namespace tilewright {
namespace {

class ConvolutionEncoder {
public:
  ConvolutionEncoder(linalg::LinalgOp op, WindowProduct &product)
      : op(op), windows(product), b(op.getLoc(), op) {}

  /// Leaves the operation as it is where the form does not fit, or `whyLoops`
  /// has a reason.
  void encode(WhyLoopsFn whyLoops) {
    if (!windows.types)
      return remarkThatIs(" of element types that no tile function has");
    if (windows.isDepthwise())
      return;
    if (std::string why = whyLoops(op); !why.empty())
      return remarkThatIs("; " + why);
    dropUnitWindows(windows, b);
    if (windows.isContraction())
      return replace(multiply(b, product()));
    mergeWindowLoops(windows, b);
    std::string whyNot;
    if (!chooseMatrixLoops(windows, whyNot))
      return remarkThatIs(" with " + whyNot);
    replace(multiplyEncoded(b, product()));
  }

private:
  void remarkThatIs(const Twine &what) {
    op->emitRemark() << "lowered to plain loops: a convolution" << what;
  }

  Product product() {
    Value init = op.getDpsInits()[0];
    Value unwritten = unfilled(init);
    Product product{
        op,
        {windows.weightsAreFirst ? 1u : 0u, windows.weightsAreFirst ? 0u : 1u,
         2},
        windows.types,
        {windows.windows, windows.weights, unwritten ? unwritten : init},
        windows.mapsOf(b.getContext()),
        {},
        unwritten != nullptr};
    for (const WindowLoops::Loop &loop : windows.loops)
      product.sizes.push_back(loop.size);
    return product;
  }

  void replace(Value result) {
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  }

  linalg::LinalgOp op;
  WindowProduct &windows;
  ImplicitLocOpBuilder b;
};

} // namespace

void encodeConvolutions(func::FuncOp func, WhyLoopsFn whyLoops) {
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops)
    if (llvm::none_of(op->getOperandTypes(), tw::isEncoded))
      if (std::optional<WindowProduct> product = matchWindows(op))
        ConvolutionEncoder(op, *product).encode(whyLoops);
}

} // namespace tilewright
