// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.encoding_size as arithmetic.

#include "EncodedValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace tilewright {
namespace {

/// In affine maps nothing is divided by what is not known.
Value expand(ImplicitLocOpBuilder &b, AffineExpr expr,
             ArrayRef<Value> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expand(b, binary.getLHS(), symbols),
        rhs = expand(b, binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(b, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivUIOp::create(b, lhs, rhs);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(b, lhs, rhs);
  default:
    llvm_unreachable("a binary expression");
  }
}

} // namespace

Value encodingSize(ImplicitLocOpBuilder &b, tw::EncodingSizeOp op,
                   const Device &device) {
  RankedTensorType type = op.getTensorType();
  tw::LayoutAttr layout = layoutOf(type);
  SmallVector<AffineExpr> sizes;
  SmallVector<Value> symbols(op.getSizes());
  unsigned dynamic = 0;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? b.getAffineSymbolExpr(dynamic++)
                        : b.getAffineConstantExpr(size));
  AffineExpr bytes =
      device.storageBytes(type, sizes, b.getAffineSymbolExpr(dynamic));
  if (layout.isScalable()) {
    symbols.push_back(tw::VscaleOp::create(b, layout.getStreaming()));
    return expand(b, bytes, symbols);
  }
  return getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      affine::makeComposedFoldedAffineApply(b, b.getLoc(), bytes,
                                            getAsOpFoldResult(symbols)));
}

} // namespace tilewright
