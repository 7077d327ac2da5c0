// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/PackOperand.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

Value unfilled(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  if (fill && (matchPattern(fill.value(), m_Zero()) ||
               matchPattern(fill.value(), m_PosZeroFloat())))
    return fill.getDpsInits()[0];
  return nullptr;
}

Value withoutReshapes(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool isSameInAllCalls(Value value) {
  return value.getDefiningOp<tw::KeptOp>() || matchPattern(value, m_Constant());
}

TypedAttr zeroOf(Type element) {
  if (isa<Float8E8M0FNUType>(element))
    return FloatAttr::get(element,
                          APFloat(cast<FloatType>(element).getFloatSemantics(),
                                  APInt(element.getIntOrFloatBitWidth(), 0)));
  return Builder(element.getContext()).getZeroAttr(element);
}

linalg::PackOp packWithZeros(ImplicitLocOpBuilder &b, Value source,
                             ArrayRef<int64_t> outerPerm,
                             ArrayRef<int64_t> innerDims,
                             ArrayRef<OpFoldResult> tiles) {
  // The operation leaves the identity out.
  ArrayRef<int64_t> perm =
      isIdentityPermutation(outerPerm) ? ArrayRef<int64_t>() : outerPerm;
  Value dest = linalg::PackOp::createDestinationTensor(b, b.getLoc(), source,
                                                       tiles, innerDims, perm);
  return packWithZeros(b, source, dest, outerPerm, innerDims, tiles);
}

linalg::PackOp packWithZeros(ImplicitLocOpBuilder &b, Value source, Value dest,
                             ArrayRef<int64_t> outerPerm,
                             ArrayRef<int64_t> innerDims,
                             ArrayRef<OpFoldResult> tiles) {
  ArrayRef<int64_t> perm =
      isIdentityPermutation(outerPerm) ? ArrayRef<int64_t>() : outerPerm;
  auto type = cast<RankedTensorType>(source.getType());
  std::optional<Value> zero;
  if (linalg::PackOp::requirePaddingValueStrict(
          type.getShape(), innerDims,
          cast<RankedTensorType>(dest.getType()).getShape(), perm, tiles))
    zero = arith::ConstantOp::create(b, zeroOf(type.getElementType()));
  return linalg::PackOp::create(b, source, dest, innerDims, tiles, zero, perm);
}

} // namespace tilewright
