// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckedSizes.h"

#include "tilewright/status.h"

using namespace mlir;

namespace tilewright {

Value CheckedSizes::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 64);
}

void CheckedSizes::note(arith::CmpIPredicate predicate, Value x, Value y) {
  Value here = arith::CmpIOp::create(b, predicate, x, y);
  overflows = overflows ? arith::OrIOp::create(b, overflows, here) : here;
}

Value CheckedSizes::overflow() {
  return overflows ? overflows : Value(arith::ConstantIntOp::create(b, 0, 1));
}

Value CheckedSizes::add(Value x, Value y) {
  Value sum = arith::AddIOp::create(b, x, y);
  // Of both operands' other sign.
  Value changed = arith::AndIOp::create(b, arith::XOrIOp::create(b, x, sum),
                                        arith::XOrIOp::create(b, y, sum));
  note(arith::CmpIPredicate::slt, changed, constant(0));
  return sum;
}

Value CheckedSizes::multiply(Value x, Value y) {
  auto product = arith::MulSIExtendedOp::create(b, x, y);
  Value sign = arith::ShRSIOp::create(b, product.getLow(), constant(63));
  note(arith::CmpIPredicate::ne, product.getHigh(), sign);
  return product.getLow();
}

Value CheckedSizes::roundUp(Value x, int64_t multiple) {
  Value sum = add(x, constant(multiple - 1));
  return arith::AndIOp::create(b, sum, constant(-multiple));
}

Value CheckedSizes::larger(Value x, Value y) {
  return arith::MaxSIOp::create(b, x, y);
}

Value CheckedSizes::evaluate(AffineExpr expr) {
  if (Value value = known.lookup(expr))
    return value;
  Value value;
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant(number.getValue());
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    value = symbols[symbol.getPosition()];
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value x = evaluate(binary.getLHS()), y = evaluate(binary.getRHS());
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      value = add(x, y);
      break;
    case AffineExprKind::Mul:
      value = multiply(x, y);
      break;
    // Of positive constants, which cannot overflow.
    case AffineExprKind::FloorDiv:
      value = arith::FloorDivSIOp::create(b, x, y);
      break;
    case AffineExprKind::CeilDiv:
      value = arith::CeilDivSIOp::create(b, x, y);
      break;
    default: {
      Value quotient = arith::FloorDivSIOp::create(b, x, y);
      Value whole = arith::MulIOp::create(b, quotient, y);
      value = arith::SubIOp::create(b, x, whole);
    }
    }
  }
  known[expr] = value;
  return value;
}

Value bytesOrStatus(ImplicitLocOpBuilder &b, Value bytes, Value overflow,
                    Value status) {
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  bytes =
      arith::SelectOp::create(b, overflow, word(-TW_STATUS_OVERFLOW), bytes);
  Value ok = arith::ConstantIntOp::create(b, TW_STATUS_OK, 32);
  Value refused =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, status, ok);
  Value wide = arith::ExtSIOp::create(b, b.getI64Type(), status);
  Value negated = arith::SubIOp::create(b, word(0), wide);
  return arith::SelectOp::create(b, refused, negated, bytes);
}

} // namespace tilewright
