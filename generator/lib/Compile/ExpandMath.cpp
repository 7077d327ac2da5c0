// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-expand-math: operations of the math dialect that upstream lowers nowhere,
// in terms of those that it does.

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDMATH
#include "tilewright/Compile/Passes.h.inc"

namespace {

Value constant(ImplicitLocOpBuilder &b, const llvm::APFloat &value, Type type) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value constant(ImplicitLocOpBuilder &b, int64_t value, Type type) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

struct ExpandIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return failure();
    Value magnitude = math::AbsFOp::create(b, op.getOperand());
    Value inf =
        constant(b, llvm::APFloat::getInf(type.getFloatSemantics()), type);
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
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return failure();
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
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

/// By squaring, over all bits of the exponent; what a negative one gives is 0
/// but of the bases 1 and -1. Zero to a negative power, which math.ipowi leaves
/// undefined, is 0.
struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = op.getLhs(), exponent = op.getRhs();
    auto type = dyn_cast<IntegerType>(base.getType());
    if (!type)
      return failure();
    Type index = b.getIndexType();
    Value zero = constant(b, 0, type), one = constant(b, 1, type),
          minusOne = constant(b, -1, type);
    auto bits = scf::ForOp::create(
        b, constant(b, 0, index), constant(b, type.getWidth(), index),
        constant(b, 1, index), ValueRange{one, base, exponent});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(bits.getBody());
      Value power = bits.getRegionIterArg(0), square = bits.getRegionIterArg(1),
            rest = bits.getRegionIterArg(2);
      Value isSet =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                arith::AndIOp::create(b, rest, one), zero);
      Value product = arith::MulIOp::create(b, power, square);
      power = arith::SelectOp::create(b, isSet, product, power);
      square = arith::MulIOp::create(b, square, square);
      rest = arith::ShRUIOp::create(b, rest, one);
      scf::YieldOp::create(b, ValueRange{power, square, rest});
    }
    auto equals = [&](Value value) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, base, value);
    };
    // Of 1 and -1 the power is right whatever the sign.
    Value isUnit = arith::OrIOp::create(b, equals(one), equals(minusOne));
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
    Value reciprocal =
        arith::SelectOp::create(b, isUnit, bits.getResult(0), zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNegative, reciprocal,
                                                 bits.getResult(0));
    return success();
  }
};

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandIsInf, ExpandIsNormal, ExpandSincos, ExpandIPowI>(
        &getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
