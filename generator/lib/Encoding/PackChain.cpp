// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/PackChain.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright {
namespace {

/// How many elements are in a group where `expand` takes them apart and
/// `transpose` brings them to the rows; 0 if these do something else.
int64_t groupOf(tensor::ExpandShapeOp expand, linalg::TransposeOp transpose) {
  // All dimensions stay as they are but the last one, which becomes two.
  int64_t rank = expand.getSrcType().getRank(), last = rank - 1;
  if (rank < 2 || expand.getResultType().getRank() != rank + 1 ||
      expand.getReassociationIndices().back().size() != 2)
    return 0;
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  std::swap(perm[last - 1], perm[last]);
  int64_t group = expand.getResultType().getShape().back();
  return transpose.getPermutation() == ArrayRef(perm) &&
                 !ShapedType::isDynamic(group)
             ? group
             : 0;
}

template <typename Op> Op onlyReader(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

} // namespace

PackChain PackChain::startingAt(linalg::PackOp pack) {
  PackChain alone{pack, {}, 0};
  auto expand = onlyReader<tensor::ExpandShapeOp>(pack.getResult());
  if (!expand)
    return alone;
  PackChain chain{pack, {expand}, 0};
  Value expanded = expand.getResult();
  if (auto cast = onlyReader<tensor::CastOp>(expanded)) {
    chain.behind.push_back(cast);
    expanded = cast.getResult();
  }
  auto transpose = onlyReader<linalg::TransposeOp>(expanded);
  if (!transpose || transpose.getInput() != expanded ||
      transpose->getNumResults() != 1)
    return alone;
  chain.behind.push_back(transpose);
  chain.group = groupOf(expand, transpose);
  return chain.group ? chain : alone;
}

std::optional<PackChain> PackChain::endingIn(Value packed) {
  Value value = packed;
  if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
    value = transpose.getInput();
    if (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand)
      return std::nullopt;
    value = expand.getSrc();
  }
  auto pack = value.getDefiningOp<linalg::PackOp>();
  if (!pack)
    return std::nullopt;
  if (value == packed)
    return PackChain{pack, {}, 0};
  PackChain chain = startingAt(pack);
  return chain.getResult() == packed ? std::optional(chain) : std::nullopt;
}

Value PackChain::getResult() const {
  linalg::PackOp first = pack;
  Operation *last = behind.empty() ? first.getOperation() : behind.back();
  return last->getResult(0);
}

RankedTensorType PackChain::getType() const {
  return cast<RankedTensorType>(getResult().getType());
}

void PackChain::replaceBy(Value value) {
  getResult().replaceAllUsesWith(value);
  for (Operation *op : llvm::reverse(behind))
    op->erase();
  pack.erase();
}

} // namespace tilewright
