// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/ElementwiseResult.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright {

Value emptyLike(ImplicitLocOpBuilder &b, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, like, dim));
  return tensor::EmptyOp::create(b, type, sizes);
}

linalg::GenericOp createElementwiseResult(
    ImplicitLocOpBuilder &b, Value dest, ValueRange scalars,
    llvm::function_ref<Value(ValueRange, ValueRange)> element) {
  auto type = cast<RankedTensorType>(dest.getType());
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps(scalars.size(),
                              AffineMap::get(rank, 0, {}, b.getContext()));
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, TypeRange{type}, scalars, ValueRange{dest}, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < rank; ++dim)
          indices.push_back(linalg::IndexOp::create(b, dim));
        Value value = element(indices, arguments);
        linalg::YieldOp::create(b, value);
      });
}

} // namespace tilewright
