// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-approximate-math: functions of f32 as arithmetic, of scalars and of
// vectors alike, so that an element does not depend on where it is.

#include "../DeviceTargets.h"
#include "ExponentialTerms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_APPROXIMATEMATH
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Of f32, a function in place of an operation.
template <typename Op, typename Function>
struct PatternOfF32 : OpRewritePattern<Op> {
  PatternOfF32(MLIRContext *context, Function function,
               const Emission *powers = nullptr)
      : OpRewritePattern<Op>(context), function(function), powers(powers) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value result = compute(b, op);
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }

  /// Null, having made nothing, if it cannot.
  virtual Value compute(ImplicitLocOpBuilder &b, Op op) const = 0;

  Function function;
  const Emission *powers; ///< Term's
};

template <typename Op> struct Approximate : PatternOfF32<Op, Term (*)(Term)> {
  using PatternOfF32<Op, Term (*)(Term)>::PatternOfF32;

  Value compute(ImplicitLocOpBuilder &b, Op op) const override {
    return this->function({b, op.getOperand(), this->powers}).get();
  }
};

template <typename Op>
struct ApproximateOf2 : PatternOfF32<Op, Term (*)(Term, Term)> {
  using PatternOfF32<Op, Term (*)(Term, Term)>::PatternOfF32;

  Value compute(ImplicitLocOpBuilder &b, Op op) const override {
    return this->function({b, op.getLhs()}, {b, op.getRhs()}).get();
  }
};

/// Functions of angles: if any lane's is large, all are computed by the C
/// library, in f64.
template <typename Op>
struct ApproximateOfAngle : PatternOfF32<Op, Term (*)(Term)> {
  using PatternOfF32<Op, Term (*)(Term)>::PatternOfF32;

  Value compute(ImplicitLocOpBuilder &b, Op op) const override {
    Term x(b, op.getOperand());
    auto type = dyn_cast<VectorType>(x.type());
    if (type && type.getRank() != 1)
      return nullptr;
    Value isLarge = (x.abs() > kLargestAngle).get();
    if (type)
      isLarge =
          vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge);
    auto branch = scf::IfOp::create(b, x.type(), isLarge,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, type ? eachLane(b, op, type)
                                 : byLibrary(b, op.getOperand()));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, this->function(x).get());
    return branch.getResult(0);
  }

  static Value byLibrary(ImplicitLocOpBuilder &b, Value x) {
    return Term(b, Op::create(b, Term(b, x).toF64().get())).toF32().get();
  }

  static Value eachLane(ImplicitLocOpBuilder &b, Op op, VectorType type) {
    auto index = [&](int64_t i) -> Value {
      return arith::ConstantIndexOp::create(b, i);
    };
    auto lanes = scf::ForOp::create(b, index(0), index(type.getDimSize(0)),
                                    index(1), op.getOperand());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lanes.getBody());
    SmallVector<OpFoldResult> lane{lanes.getInductionVar()};
    Value x = vector::ExtractOp::create(b, op.getOperand(), lane);
    Value changed = vector::InsertOp::create(b, byLibrary(b, x),
                                             lanes.getRegionIterArg(0), lane);
    scf::YieldOp::create(b, changed);
    return lanes.getResult(0);
  }
};

struct ApproximateMathPass : impl::ApproximateMathBase<ApproximateMathPass> {
  using ApproximateMathBase::ApproximateMathBase;

  void runOnOperation() override {
    const Emission *powers = nullptr;
    if (!devicesOf(getOperation()).empty()) {
      const TargetCpu &target = targets.of(getOperation());
      LoopMachine machine = loopMachineOf(target);
      if (!machine.fuses)
        return;
      if (machine.scalesByPowers)
        powers = &emissionOf(target.archName());
    } else if (!scalesAs.empty()) {
      const IsaInfo *isa = findIsa(scalesAs.getValue());
      if (!isa || !findTarget(llvm::StringRef(isa->arch))) {
        getOperation().emitError("scales-as: no ISA '")
            << scalesAs << "' that tiles are planned for";
        return signalPassFailure();
      }
      powers = &emissionOf(*isa);
    }
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<Approximate<math::ExpOp>>(context, exponential, powers);
    patterns.add<Approximate<math::Exp2Op>>(context, exponential2, powers);
    patterns.add<Approximate<math::ExpM1Op>>(context, exponentialMinus1);
    patterns.add<Approximate<math::SinhOp>>(context, hyperbolicSine, powers);
    patterns.add<Approximate<math::CoshOp>>(context, hyperbolicCosine, powers);
    patterns.add<Approximate<math::TanhOp>>(context, hyperbolicTangent);
    patterns.add<Approximate<math::ErfOp>>(context, errorFunction);
    patterns.add<Approximate<math::LogOp>>(context, logarithm);
    patterns.add<Approximate<math::Log2Op>>(context, logarithm2);
    patterns.add<Approximate<math::Log10Op>>(context, logarithm10);
    patterns.add<Approximate<math::Log1pOp>>(context, logarithmOf1Plus);
    patterns.add<Approximate<math::AsinhOp>>(context, inverseHyperbolicSine);
    patterns.add<Approximate<math::AcoshOp>>(context, inverseHyperbolicCosine);
    patterns.add<Approximate<math::AtanhOp>>(context, inverseHyperbolicTangent);
    patterns.add<ApproximateOfAngle<math::SinOp>>(context, sine);
    patterns.add<ApproximateOfAngle<math::CosOp>>(context, cosine);
    patterns.add<ApproximateOfAngle<math::TanOp>>(context, tangent);
    patterns.add<Approximate<math::CbrtOp>>(context, cubeRoot);
    patterns.add<Approximate<math::AsinOp>>(context, inverseSine);
    patterns.add<Approximate<math::AtanOp>>(context, inverseTangent);
    patterns.add<ApproximateOf2<math::Atan2Op>>(context, inverseTangent2);
    patterns.add<ApproximateOf2<math::PowFOp>>(context, power);
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == "math.acos" || name == "math.erfc";
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  DeviceTargets targets;
};

} // namespace
} // namespace tilewright
