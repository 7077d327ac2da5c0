// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-expand-math: operations of the math dialect that upstream lowers nowhere,
// in terms of those that it does.

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDMATH
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// In all elements, of a vector.
Value constant(ImplicitLocOpBuilder &b, TypedAttr element, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = DenseElementsAttr::get(vector, Attribute(element));
  return arith::ConstantOp::create(b, element);
}

Value constant(ImplicitLocOpBuilder &b, const llvm::APFloat &value, Type type) {
  return constant(b, b.getFloatAttr(getElementTypeOrSelf(type), value), type);
}

Value constant(ImplicitLocOpBuilder &b, int64_t value, Type type) {
  return constant(b, b.getIntegerAttr(getElementTypeOrSelf(type), value), type);
}

struct ExpandIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    Value magnitude = math::AbsFOp::create(b, op.getOperand());
    Value inf =
        constant(b, llvm::APFloat::getInf(element.getFloatSemantics()), type);
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ,
                                               magnitude, inf);
    return success();
  }
};

/// Neither zero nor denormal, infinite or NaN.
struct ExpandIsNormal : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getOperand().getType();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    Value magnitude = math::AbsFOp::create(b, op.getOperand());
    Value smallest =
        constant(b, llvm::APFloat::getSmallestNormalized(semantics), type);
    Value inf = constant(b, llvm::APFloat::getInf(semantics), type);
    Value isLarge = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                                          magnitude, smallest);
    Value isFinite =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude, inf);
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
    return success();
  }
};

struct ExpandSincos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value sin = math::SinOp::create(b, op.getOperand(), op.getFastmath());
    Value cos = math::CosOp::create(b, op.getOperand(), op.getFastmath());
    rewriter.replaceOp(op, {sin, cos});
    return success();
  }
};

/// base^exponent by squaring, over all bits of the exponent, an unsigned
/// number.
template <typename Multiply>
Value powerOf(ImplicitLocOpBuilder &b, Value one, Value base, Value exponent) {
  Type type = exponent.getType(), index = b.getIndexType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto bits = scf::ForOp::create(
      b, constant(b, 0, index), constant(b, width, index),
      constant(b, 1, index), ValueRange{one, base, exponent});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(bits.getBody());
  Value power = bits.getRegionIterArg(0), square = bits.getRegionIterArg(1),
        rest = bits.getRegionIterArg(2), unit = constant(b, 1, type);
  Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(b, rest, unit),
                                      constant(b, 0, type));
  Value product = Multiply::create(b, power, square);
  power = arith::SelectOp::create(b, isSet, product, power);
  square = Multiply::create(b, square, square);
  rest = arith::ShRUIOp::create(b, rest, unit);
  scf::YieldOp::create(b, ValueRange{power, square, rest});
  return bits.getResult(0);
}

/// What a negative exponent gives is 0 but of the bases 1 and -1. Zero to a
/// negative power, which math.ipowi leaves undefined, is 0.
struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = op.getLhs(), exponent = op.getRhs();
    Type type = base.getType();
    Value zero = constant(b, 0, type), one = constant(b, 1, type),
          minusOne = constant(b, -1, type);
    Value power = powerOf<arith::MulIOp>(b, one, base, exponent);
    auto equals = [&](Value value) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, base, value);
    };
    // Of 1 and -1 the power is right whatever the sign.
    Value isUnit = arith::OrIOp::create(b, equals(one), equals(minusOne));
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
    Value reciprocal = arith::SelectOp::create(b, isUnit, power, zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNegative, reciprocal,
                                                 power);
    return success();
  }
};

/// Of vectors, for which LLVM has no powers of several whole numbers; as its
/// library computes them.
struct ExpandFPowI : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), integers = op.getRhs().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    if (!isa<VectorType>(type))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = op.getLhs();
    if (element.getWidth() < 32) {
      element = b.getF32Type();
      base =
          arith::ExtFOp::create(b, cast<VectorType>(type).clone(element), base);
    }
    Value zero = constant(b, 0, integers);
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, op.getRhs(), zero);
    Value magnitude = arith::SelectOp::create(
        b, isNegative, arith::SubIOp::create(b, zero, op.getRhs()),
        op.getRhs());
    Value one = constant(b, b.getFloatAttr(element, 1.0), base.getType());
    Value power = powerOf<arith::MulFOp>(b, one, base, magnitude);
    Value result = arith::SelectOp::create(
        b, isNegative, arith::DivFOp::create(b, one, power), power);
    if (result.getType() != type)
      result = arith::TruncFOp::create(b, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandIsInf, ExpandIsNormal, ExpandSincos, ExpandIPowI,
                 ExpandFPowI>(&getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
