// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArgumentSizes.h"

#include "RowMajorView.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright {

EntryLayout::EntryLayout(func::FuncOp func) {
  Builder builder(func.getContext());
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    unsigned number = index;
    inputs.push_back(types.size());
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      if (type.isIndex() || type.isInteger(64))
        sizes[{number, SizeSymbol::kScalar}] = types.size();
      types.push_back(type.isIndex() ? builder.getI64Type() : type);
      continue;
    }
    types.push_back(pointerType(tensor));
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
      if (!tensor.isDynamicDim(dim))
        continue;
      sizes[{number, dim}] = types.size();
      types.push_back(builder.getI64Type());
    }
  }
  for (Type type : func.getResultTypes()) {
    outputs.push_back(types.size());
    types.push_back(pointerType(cast<RankedTensorType>(type)));
  }
}

Value ArgumentSizes::index(SizeSymbol symbol) {
  Value &known = indices[symbol];
  if (!known)
    known = as(typed(symbol), b.getIndexType());
  return known;
}

/// As the argument or the operation has it.
Value ArgumentSizes::typed(SizeSymbol symbol) {
  if (!symbol.isComputed())
    return func.getArgument(layout.sizes.find(symbol)->second);
  if (Value known = values[symbol])
    return known;
  return values[symbol] = compute(sizes.computed[symbol.dim]);
}

Value ArgumentSizes::compute(const ComputedSize &size) {
  SmallVector<Value> operands;
  for (auto [operand, original] :
       llvm::zip_equal(size.operands, size.op->getOperands()))
    operands.push_back(value(operand, original.getType()));
  // A divisor of zero or less is refused with the other requirements, which may
  // be asked about later than this is computed.
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
          arith::RemUIOp>(size.op) &&
      !getConstantIntValue(operands[1])) {
    Value one = arith::ConstantOp::create(
        b, b.getIntegerAttr(operands[1].getType(), 1));
    operands[1] = arith::MaxSIOp::create(b, operands[1], one);
  }
  Operation *op = size.op->clone();
  op->setOperands(operands);
  op->setDiscardableAttrs(b.getDictionaryAttr({}));
  return b.insert(op)->getResult(0);
}

Value ArgumentSizes::as(Value integer, Type type) {
  if (integer.getType() == type)
    return integer;
  if (type.isIndex() && integer.getType().isInteger(1))
    return arith::IndexCastUIOp::create(b, type, integer);
  if (type.isIndex() || integer.getType().isIndex())
    return arith::IndexCastOp::create(b, type, integer);
  return as(as(integer, b.getIndexType()), type);
}

/// With the operations that SizeExpressions reads, divisions too, which
/// upstream's expansion writes as comparisons and selections.
Value ArgumentSizes::build(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return arith::ConstantIndexOp::create(b, constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
    return index(sizes.symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(size);
  Value x = build(binary.getLHS()), y = build(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return b.createOrFold<arith::AddIOp>(x, y);
  case AffineExprKind::Mul:
    return b.createOrFold<arith::MulIOp>(x, y);
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::FloorDivSIOp>(x, y);
  case AffineExprKind::CeilDiv:
    return b.createOrFold<arith::CeilDivSIOp>(x, y);
  default: { // a remainder that is never negative
    Value quotient = b.createOrFold<arith::FloorDivSIOp>(x, y);
    return b.createOrFold<arith::SubIOp>(
        x, b.createOrFold<arith::MulIOp>(quotient, y));
  }
  }
}

OpFoldResult ArgumentSizes::evaluate(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return b.getIndexAttr(constant.getValue());
  return build(size);
}

Value ArgumentSizes::value(AffineExpr size, Type type) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, constant.getValue()));
  // Of floating point, say, which is no index.
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
    return as(typed(sizes.symbols[symbol.getPosition()]), type);
  return as(cast<Value>(evaluate(size)), type);
}

Value ArgumentSizes::holds(const SizeRequirements &requirements) {
  Value all = arith::ConstantIntOp::create(b, 1, 1);
  auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    all = b.createOrFold<arith::AndIOp>(
        all, b.createOrFold<arith::CmpIOp>(predicate, x, y));
  };
  Type i64 = b.getI64Type();
  Value zero = arith::ConstantIntOp::create(b, 0, 64);
  for (AffineExpr size : requirements.notNegative)
    require(arith::CmpIPredicate::sge, value(size, i64), zero);
  for (const auto &[x, y] : requirements.equal)
    require(arith::CmpIPredicate::eq, value(x, i64), value(y, i64));
  return all;
}

} // namespace tilewright
