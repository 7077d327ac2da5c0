// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on scalars or vectors as it is written down: x * x + 1.0.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_TERM_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_TERM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Emit/Emission.h"

namespace tilewright {

/// A value and where the next operation goes. Terms of one shape only meet.
class Term {
public:
  /// `powers`: of a target that has LoopMachine::scalesByPowers, else null.
  Term(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
       const Emission *powers = nullptr)
      : b(&b), value(value), emission(powers) {}

  mlir::Value get() const { return value; }
  /// Another value beside this one.
  Term with(mlir::Value other) const { return {*b, other, emission}; }
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  mlir::Type type() const { return value.getType(); }
  const Emission *powers() const { return emission; }
  /// The type of so many elements as this has.
  mlir::Type shaped(mlir::Type element) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type()))
      return vector.clone(element);
    return element;
  }

  /// Of this type.
  Term constant(double number) const {
    mlir::Type element = mlir::getElementTypeOrSelf(type());
    mlir::TypedAttr attr =
        mlir::isa<mlir::FloatType>(element)
            ? mlir::TypedAttr(b->getFloatAttr(element, number))
            : b->getIntegerAttr(element, static_cast<int64_t>(number));
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type()))
      attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
    return make<mlir::arith::ConstantOp>(attr);
  }
  Term infinity() const { return constant(HUGE_VAL); }
  Term nan() const { return constant(__builtin_nan("")); }

  template <typename Op, typename... Args> Term make(Args... args) const {
    return with(Op::create(*b, args...));
  }

  Term operator+(const Term &y) const {
    return make<mlir::arith::AddFOp>(value, y.value);
  }
  Term operator-(const Term &y) const {
    return make<mlir::arith::SubFOp>(value, y.value);
  }
  Term operator*(const Term &y) const {
    return make<mlir::arith::MulFOp>(value, y.value);
  }
  Term operator/(const Term &y) const {
    return make<mlir::arith::DivFOp>(value, y.value);
  }
  Term operator+(double y) const { return *this + constant(y); }
  Term operator-(double y) const { return *this - constant(y); }
  Term operator*(double y) const { return *this * constant(y); }
  /// this * y + z, rounded once.
  Term fma(const Term &y, const Term &z) const {
    return make<mlir::math::FmaOp>(value, y.value, z.value);
  }
  Term fma(double y, const Term &z) const { return fma(constant(y), z); }
  Term fma(const Term &y, double z) const { return fma(y, constant(z)); }
  Term fma(double y, double z) const { return fma(constant(y), constant(z)); }
  /// coefficients[0] + this * (coefficients[1] + ...).
  Term polynomial(llvm::ArrayRef<double> coefficients) const {
    Term sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = sum.fma(*this, coefficient);
    return sum;
  }

  Term abs() const { return make<mlir::math::AbsFOp>(value); }
  Term sqrt() const { return make<mlir::math::SqrtOp>(value); }
  Term withSignOf(const Term &y) const {
    return make<mlir::math::CopySignOp>(value, y.value);
  }

  /// Comparisons are false of NaN.
  Term compare(mlir::arith::CmpFPredicate how, const Term &y) const {
    return make<mlir::arith::CmpFOp>(how, value, y.value);
  }
  Term operator<(const Term &y) const {
    return compare(mlir::arith::CmpFPredicate::OLT, y);
  }
  Term operator<(double y) const { return *this < constant(y); }
  Term operator>(double y) const {
    return compare(mlir::arith::CmpFPredicate::OGT, constant(y));
  }
  Term operator==(const Term &y) const {
    return compare(mlir::arith::CmpFPredicate::OEQ, y);
  }
  Term operator==(double y) const { return *this == constant(y); }
  Term operator&(const Term &y) const {
    return make<mlir::arith::AndIOp>(value, y.value);
  }
  Term operator|(const Term &y) const {
    return make<mlir::arith::OrIOp>(value, y.value);
  }
  /// Of a condition.
  Term select(const Term &ifTrue, const Term &ifFalse) const {
    return make<mlir::arith::SelectOp>(value, ifTrue.value, ifFalse.value);
  }
  /// At most, or at least, a number; NaN stays.
  Term atMost(double most) const {
    return (*this > most).select(constant(most), *this);
  }
  Term atLeast(double least) const {
    return (*this < least).select(constant(least), *this);
  }

  /// The bits of a float.
  Term bits() const {
    auto element = mlir::getElementTypeOrSelf(type());
    return make<mlir::arith::BitcastOp>(
        shaped(b->getIntegerType(element.getIntOrFloatBitWidth())), value);
  }
  Term bitsAs(const Term &like) const {
    return make<mlir::arith::BitcastOp>(like.type(), value);
  }
  Term plus(int64_t y) const {
    return make<mlir::arith::AddIOp>(value, constant(double(y)).value);
  }
  Term minus(const Term &y) const {
    return make<mlir::arith::SubIOp>(value, y.value);
  }
  Term shiftLeft(int64_t n) const {
    return make<mlir::arith::ShLIOp>(value, constant(double(n)).value);
  }
  Term shiftRight(int64_t n) const {
    return make<mlir::arith::ShRSIOp>(value, constant(double(n)).value);
  }
  Term bitAnd(int64_t mask) const { return *this & constant(double(mask)); }
  Term bitXor(const Term &y) const {
    return make<mlir::arith::XOrIOp>(value, y.value);
  }
  Term isNonzero() const {
    return make<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ne, value,
                                     constant(0).value);
  }

  /// Conversions between f32 and f64, and of whole numbers.
  Term toF64() const {
    return make<mlir::arith::ExtFOp>(shaped(b->getF64Type()), value);
  }
  Term toF32() const {
    return make<mlir::arith::TruncFOp>(shaped(b->getF32Type()), value);
  }
  Term toFloat(mlir::Type element) const {
    return make<mlir::arith::SIToFPOp>(shaped(element), value);
  }

private:
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;
  const Emission *emission;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_TERM_H
