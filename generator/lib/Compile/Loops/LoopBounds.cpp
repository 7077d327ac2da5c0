// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright {

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value roundDown(ImplicitLocOpBuilder &b, Value value, int64_t multiple,
                Value from) {
  if (from) {
    Value count = arith::SubIOp::create(b, value, from);
    return arith::AddIOp::create(b, from, roundDown(b, count, multiple));
  }
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return constant(b, *known / multiple * multiple);
  return arith::AndIOp::create(b, value, constant(b, -multiple));
}

Value endOf(ImplicitLocOpBuilder &b, Value from, int64_t count, Value size) {
  Value end = arith::AddIOp::create(b, from, constant(b, count));
  return arith::MinSIOp::create(b, end, size);
}

bool isSame(Value x, Value y) {
  return isEqualConstantIntOrValue(getAsOpFoldResult(x), getAsOpFoldResult(y));
}

} // namespace tilewright
