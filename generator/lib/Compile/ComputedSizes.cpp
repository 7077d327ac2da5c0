// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on sizes that affine expressions do not have. Each operation of it
// is a symbol, which an entry point computes by that operation.

#include "SizeExpressions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Neither a shift nor what may wrap as it is told not to: these have no result
/// for some operands.
bool isComputable(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
             arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp, arith::CmpIOp, arith::SelectOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::AddFOp,
             arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::CmpFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::ExtFOp,
             arith::TruncFOp, arith::ConstantOp, math::FloorOp, math::CeilOp,
             affine::AffineMinOp, affine::AffineMaxOp>(op);
}

bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
             arith::RemUIOp>(op);
}

/// Whether affine divisions of an affine minimum are all by what is positive.
bool dividesByConstants(AffineMap map) {
  bool result = true;
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(part);
      if (!binary || binary.getKind() == AffineExprKind::Add ||
          binary.getKind() == AffineExprKind::Mul)
        return;
      auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
      result &= by && by.getValue() > 0;
    });
  return result;
}

} // namespace

std::optional<AffineExpr> SizeExpressions::valueOfComputation(Operation *op) {
  if (!isComputable(op) || op->getNumResults() != 1 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return std::nullopt;
  if (isa<affine::AffineMinOp, affine::AffineMaxOp>(op) &&
      !dividesByConstants(
          cast<AffineMapAttr>(op->getAttr("map")).getAffineMap()))
    return std::nullopt;
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands()) {
    std::optional<AffineExpr> value = valueOf(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  if (std::optional<AffineExpr> decided = decide(op, operands))
    return decided;
  if (!computes)
    return std::nullopt;
  if (isIntegerDivision(op)) {
    auto divisor = dyn_cast<AffineConstantExpr>(operands.back());
    if (divisor && divisor.getValue() <= 0)
      return std::nullopt;
    if (!divisor)
      nonZero.insert(operands.back());
  }
  auto known = llvm::find_if(computations, [&](const ComputedSize &other) {
    return other.op->getName() == op->getName() && other.operands == operands &&
           other.op->getResultTypes() == op->getResultTypes() &&
           other.op->getPropertiesAsAttribute() ==
               op->getPropertiesAsAttribute();
  });
  int64_t number = known - computations.begin();
  if (known == computations.end())
    computations.push_back({op, operands});
  return symbol({SizeSymbol::kComputed, number});
}

std::optional<bool>
SizeExpressions::decideComparison(arith::CmpIPredicate predicate, AffineExpr x,
                                  AffineExpr y) const {
  using Predicate = arith::CmpIPredicate;
  auto isAtLeast = [&](AffineExpr a, AffineExpr b, int64_t distance) {
    return isNeverNegative(simplify(a - b - distance));
  };
  bool isUnsigned = predicate == Predicate::ult ||
                    predicate == Predicate::ule ||
                    predicate == Predicate::ugt || predicate == Predicate::uge;
  if (isUnsigned && !(isNeverNegative(x) && isNeverNegative(y)))
    return std::nullopt;
  bool isMore = isAtLeast(x, y, 1), isLess = isAtLeast(y, x, 1);
  bool isNotLess = isMore || isAtLeast(x, y, 0);
  bool isNotMore = isLess || isAtLeast(y, x, 0);
  auto either = [](bool isTrue, bool isFalse) -> std::optional<bool> {
    if (isTrue || isFalse)
      return isTrue;
    return std::nullopt;
  };
  switch (predicate) {
  case Predicate::eq:
    return either(isNotLess && isNotMore, isMore || isLess);
  case Predicate::ne:
    return either(isMore || isLess, isNotLess && isNotMore);
  case Predicate::slt:
  case Predicate::ult:
    return either(isLess, isNotLess);
  case Predicate::sle:
  case Predicate::ule:
    return either(isNotMore, isMore);
  case Predicate::sgt:
  case Predicate::ugt:
    return either(isMore, isNotMore);
  default:
    return either(isNotLess, isLess);
  }
}

/// What the operation makes of these operands, where it is one of them or a
/// constant whatever the caller passes.
std::optional<AffineExpr>
SizeExpressions::decide(Operation *op, ArrayRef<AffineExpr> operands) const {
  auto known = [&](size_t index) -> std::optional<int64_t> {
    if (auto constant = dyn_cast<AffineConstantExpr>(operands[index]))
      return constant.getValue();
    return std::nullopt;
  };
  using Result = std::optional<AffineExpr>;
  auto isBool = [&] { return op->getResult(0).getType().isInteger(1); };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    // Others wrap.
    Type type = compare.getLhs().getType();
    if (!type.isIndex() && !type.isInteger(64))
      return std::nullopt;
    std::optional<bool> answer =
        decideComparison(compare.getPredicate(), operands[0], operands[1]);
    return answer ? Result(constant(*answer)) : std::nullopt;
  }
  if (isa<arith::SelectOp>(op)) {
    if (operands[1] == operands[2])
      return operands[1];
    return known(0) ? Result(operands[*known(0) ? 1 : 2]) : std::nullopt;
  }
  if (isa<arith::AndIOp, arith::OrIOp>(op) && isBool()) {
    // The neutral operand, and the one that decides.
    int64_t neutral = isa<arith::AndIOp>(op);
    for (size_t index : {0, 1})
      if (std::optional<int64_t> value = known(index))
        return *value == neutral ? operands[1 - index] : operands[index];
    return std::nullopt;
  }
  if (isa<arith::ExtUIOp>(op) && known(0) &&
      op->getOperand(0).getType().isInteger(1))
    return operands[0];
  bool isMaximum = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
  if (!isMaximum && !isa<arith::MinSIOp, arith::MinUIOp>(op))
    return std::nullopt;
  if (!op->getResult(0).getType().isIndex() &&
      !op->getResult(0).getType().isInteger(64))
    return std::nullopt;
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  std::optional<bool> isFirstLarger = decideComparison(
      isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge,
      operands[0], operands[1]);
  if (!isFirstLarger)
    return std::nullopt;
  return operands[*isFirstLarger == isMaximum ? 0 : 1];
}

} // namespace tilewright
