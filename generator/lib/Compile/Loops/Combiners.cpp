// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Combiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright {

Operation *combinerOf(linalg::LinalgOp op, unsigned number) {
  Block &body = *op.getBlock();
  BlockArgument out = op.getRegionOutputArgs()[number];
  Operation *combiner =
      body.getTerminator()->getOperand(number).getDefiningOp();
  if (!combiner || combiner->getBlock() != &body || !out.hasOneUse() ||
      *out.getUsers().begin() != combiner ||
      !combiner->getResult(0).hasOneUse() || combiner->getNumOperands() != 2)
    return nullptr;
  bool isAnyOrder =
      isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
          arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
          arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner);
  return isAnyOrder ? combiner : nullptr;
}

Value combine(ImplicitLocOpBuilder &b, linalg::LinalgOp op, unsigned number,
              Value x, Value y) {
  Operation *combined = combinerOf(op, number)->cloneWithoutRegions();
  combined->setOperands({x, y});
  combined->getResult(0).setType(x.getType());
  return b.insert(combined)->getResult(0);
}

TypedAttr neutralOf(linalg::LinalgOp op, unsigned number) {
  Operation *combiner = combinerOf(op, number);
  // Zero would make a sum of -0 alone 0.
  if (isa<arith::AddFOp>(combiner))
    return FloatAttr::get(combiner->getResult(0).getType(), -0.0);
  return *arith::getNeutralElement(combiner);
}

Value combineLanes(ImplicitLocOpBuilder &b, linalg::LinalgOp op,
                   unsigned number, Value all) {
  int64_t lanes = cast<VectorType>(all.getType()).getDimSize(0);
  for (int64_t width = lanes / 2; width; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width; ++lane) {
      low.push_back(lane);
      high.push_back(lane + width);
    }
    all = combine(b, op, number, vector::ShuffleOp::create(b, all, all, low),
                  vector::ShuffleOp::create(b, all, all, high));
  }
  return vector::ExtractOp::create(b, all, ArrayRef<int64_t>{0});
}

} // namespace tilewright
