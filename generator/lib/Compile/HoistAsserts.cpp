// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-hoist-asserts: asserts in bodies of structured operations -> asserts of a
// reduction in front of them.

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_HOISTASSERTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

class Hoisting {
public:
  Hoisting(linalg::LinalgOp op, cf::AssertOp check)
      : op(op), check(check), b(check.getLoc(), op) {}

  void run() {
    SetVector<Operation *> slice = conditionSlice();
    SmallVector<OpOperand *> read;
    llvm::SmallBitVector loops(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument element = op.getMatchingBlockArgument(&operand);
      bool isRead = element == check.getArg();
      for (Operation *part : slice)
        isRead |= llvm::is_contained(part->getOperands(), element);
      if (isRead)
        read.push_back(&operand);
      if (isRead)
        addLoops(operand, loops);
    }
    llvm::SmallBitVector sized = loops;
    for (Operation *part : slice)
      if (auto index = dyn_cast<linalg::IndexOp>(part))
        loops.set(index.getDim());
    // A loop that only counts has its size from any operand.
    for (OpOperand &operand : op->getOpOperands()) {
      llvm::SmallBitVector more(op.getNumLoops());
      addLoops(operand, more);
      llvm::SmallBitVector missing = loops;
      missing.reset(sized);
      if (!more.anyCommon(missing))
        continue;
      read.push_back(&operand);
      loops |= more;
      sized |= more;
    }
    SmallVector<unsigned> numbers(op.getNumLoops());
    unsigned count = 0;
    for (unsigned loop : loops.set_bits())
      numbers[loop] = count++;
    Value all = reduce(slice, read, numbers, count);
    Value holds = tensor::ExtractOp::create(b, all, ValueRange{});
    cf::AssertOp::create(b, holds, check.getMsg());
    check.erase();
  }

private:
  /// What the condition is computed by, in the body.
  SetVector<Operation *> conditionSlice() {
    SetVector<Operation *> slice;
    Operation *condition = check.getArg().getDefiningOp();
    if (!condition || condition->getBlock() != op.getBlock())
      return slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *part) {
      return part->getBlock() == op.getBlock();
    };
    (void)getBackwardSlice(condition, &slice, options);
    return slice;
  }

  void addLoops(OpOperand &operand, llvm::SmallBitVector &loops) {
    for (AffineExpr index : op.getMatchingIndexingMap(&operand).getResults())
      index.walk([&](AffineExpr part) {
        if (auto loop = dyn_cast<AffineDimExpr>(part))
          loops.set(loop.getPosition());
      });
  }

  /// Whether the condition holds for all elements, as a tensor<i1>.
  Value reduce(const SetVector<Operation *> &slice, ArrayRef<OpOperand *> read,
               ArrayRef<unsigned> numbers, unsigned count) {
    SmallVector<AffineExpr> dims;
    for (unsigned number : numbers)
      dims.push_back(b.getAffineDimExpr(number));
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : read) {
      inputs.push_back(operand->get());
      maps.push_back(op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
          dims, {}, count, 0));
    }
    maps.push_back(AffineMap::get(count, 0, {}, b.getContext()));
    auto type = RankedTensorType::get({}, b.getI1Type());
    Value yes = arith::ConstantIntOp::create(b, 1, 1);
    auto init = linalg::FillOp::create(
        b, yes, tensor::EmptyOp::create(b, type, ValueRange{}).getResult());
    SmallVector<utils::IteratorType> iterators(count,
                                               utils::IteratorType::reduction);
    auto generic = linalg::GenericOp::create(
        b, TypeRange{type}, inputs, init.getResults(), maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          IRMapping mapping;
          for (auto [operand, argument] :
               llvm::zip(read, arguments.drop_back()))
            mapping.map(op.getMatchingBlockArgument(operand), argument);
          for (Operation *part : slice) {
            Operation *copy = builder.clone(*part, mapping);
            if (auto index = dyn_cast<linalg::IndexOp>(copy))
              index.setDim(numbers[index.getDim()]);
          }
          Value both =
              arith::AndIOp::create(builder, loc, arguments.back(),
                                    mapping.lookupOrDefault(check.getArg()));
          linalg::YieldOp::create(builder, loc, both);
        });
    for (Operation *made : {init.getOperation(), generic.getOperation()})
      placeLike(made, op);
    return generic.getResult(0);
  }

  linalg::LinalgOp op;
  cf::AssertOp check;
  ImplicitLocOpBuilder b;
};

struct HoistAssertsPass : impl::HoistAssertsBase<HoistAssertsPass> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> checks;
    getOperation().walk([&](cf::AssertOp check) {
      if (isa<linalg::LinalgOp>(check->getParentOp()))
        checks.push_back(check);
    });
    for (cf::AssertOp check : checks)
      Hoisting(cast<linalg::LinalgOp>(check->getParentOp()), check).run();
  }
};

} // namespace
} // namespace tilewright
