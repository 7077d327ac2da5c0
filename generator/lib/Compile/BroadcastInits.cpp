// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BroadcastInits.h"

#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/MatchWindows.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What is broadcast, the map that says how, and the destination.
struct Broadcast {
  Value input;
  AffineMap map;
  Value destination;
};

std::optional<Broadcast> matchBroadcast(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !value.hasOneUse() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0), *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(input);
  bool yieldsInput = llvm::hasSingleElement(*op.getBlock()) &&
                     op.getBlock()->getTerminator()->getOperand(0) ==
                         op.getMatchingBlockArgument(input);
  if (!yieldsInput || !op.getMatchingIndexingMap(init).isIdentity() ||
      !isa<RankedTensorType>(input->get().getType()) ||
      !map.isProjectedPermutation() || map.getNumResults() == map.getNumDims())
    return std::nullopt;
  return Broadcast{input->get(), map, init->get()};
}

/// Whether it goes through tiles, in whose sums no bit is lost by the other
/// order.
bool maySumFirst(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1)
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!element.isInteger() && element.getIntOrFloatBitWidth() < 32)
    return false;
  if (std::optional<Contraction> contraction = matchContraction(op))
    return contraction->types != nullptr;
  std::optional<WindowProduct> product = matchWindows(op);
  return product && product->types;
}

void addBehind(linalg::LinalgOp op, const Broadcast &init) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  auto zeros = linalg::FillOp::create(b, zero, init.destination);
  placeLike(zeros, op);
  op.getDpsInitsMutable()[0].set(zeros.getResult(0));
  b.setInsertionPointAfter(op);
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  auto sum = linalg::GenericOp::create(
      b, type, ValueRange{result, init.input}, init.destination,
      ArrayRef<AffineMap>{all, init.map, all},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [](OpBuilder &builder, Location loc, ValueRange elements) {
        Value sum =
            isa<FloatType>(elements[0].getType())
                ? arith::AddFOp::create(builder, loc, elements[0], elements[1])
                      .getResult()
                : arith::AddIOp::create(builder, loc, elements[0], elements[1])
                      .getResult();
        linalg::YieldOp::create(builder, loc, sum);
      });
  placeLike(sum, op);
  result.replaceAllUsesExcept(sum.getResult(0), sum);
}

} // namespace

void addBroadcastInitsBehind(func::FuncOp func) {
  SmallVector<std::pair<linalg::LinalgOp, Broadcast>> found;
  func.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
        !isOnHost(op))
      return;
    std::optional<Broadcast> init =
        matchBroadcast(op.getDpsInitOperand(0)->get());
    if (init && maySumFirst(op))
      found.push_back({op, *init});
  });
  for (auto [op, init] : found)
    addBehind(op, init);
}

} // namespace tilewright
