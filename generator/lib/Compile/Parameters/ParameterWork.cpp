// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParameterWork.h"

#include "../ConstantElements.h"
#include "../Dispatch/CallerSizes.h"
#include "../Dispatch/DispatchWork.h"
#include "../OperationKind.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright {
namespace {

// Keeping a tensor costs its bytes for as long as an instance lives, and
// reading them in each call. It is worth that if
//
// - a call would do something: kLeastBytes of results or kLeastWeight of work,
//   which is as little as one outlined function is worth;
// - an instance does not become much larger than its parameters: the tensor has
//   at most kMostGrowth times the bytes of the constants that it is made of, as
//   f32 of bytes has. What is dear is kept up to kMostDearBytes, whatever it is
//   made of: tables of sines and the like;
// - the one operation that reads it would not compute it on its way, element by
//   element, for next to nothing: kDearElement is about what loading an element
//   from memory takes longer than computing with it.
//
// A weight of 1 is that of an addition of one element.
constexpr int64_t kLeastBytes = kLargeConstantBytes;
constexpr double kLeastWeight = 1 << 16;
constexpr int64_t kMostGrowth = 4;
constexpr int64_t kMostDearBytes = int64_t(64) << 20;
constexpr double kDearElement = 8;

double weightOf(Operation *op) {
  if (isa<tensor::ExtractOp>(op))
    return 2;
  if (isa<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(op)
               ? 1
               : 16;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
          arith::RemSIOp, arith::RemUIOp>(op))
    return 4;
  bool isElement = isa<arith::ArithDialect>(op->getDialect()) &&
                   !op->hasTrait<OpTrait::ConstantLike>() &&
                   !llvm::is_contained(op->getResultTypes(),
                                       IndexType::get(op->getContext()));
  return isElement ? 1 : 0;
}

/// How often the body runs; none if that is not known.
std::optional<int64_t> iterationsOf(linalg::LinalgOp op) {
  int64_t all = 1;
  for (int64_t range : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(range) || llvm::MulOverflow(all, range, all))
      return std::nullopt;
  return all;
}

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * bytesOfElement(type.getElementType());
}

bool isConstant(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>(); }

/// The values that the regions of `op` use.
llvm::SetVector<Value> capturedBy(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

SmallVector<Value> usedBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, capturedBy(op));
  return values;
}

/// What is computed of a tensor's elements, none of which are only moved.
bool hasWeight(linalg::LinalgOp op) {
  return op
      ->walk([](Operation *inner) {
        return weightOf(inner) > 0 ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What costs nothing where it is read, or only makes more of what there is.
bool isViewOrBroadcast(Operation *op) {
  if (isView(op) || isa<tensor::EmptyOp, linalg::FillOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || hasWeight(linalgOp))
    return false;
  std::optional<int64_t> iterations = iterationsOf(linalgOp);
  return llvm::all_of(linalgOp.getDpsInputs(), [&](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return !type || !type.hasStaticShape() || !iterations ||
           type.getNumElements() < *iterations;
  });
}

class Finder {
public:
  explicit Finder(func::FuncOp func) : func(func) {}

  std::vector<ParameterWork> find() {
    for (Block &block : func.getBody())
      scan(block);
    if (hasWork)
      for (Block &block : func.getBody())
        selectUsed(block);
    return std::move(found);
  }

private:
  /// Whether every call computes the same. What may trap, or fail, stays where
  /// it is: a call, or another function, may never come there.
  bool isSame(Operation *op) const {
    if (isConstant(op))
      return true;
    return isa_and_nonnull<affine::AffineDialect, arith::ArithDialect,
                           linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect, tensor::TensorDialect>(
               op->getDialect()) &&
           !op->hasTrait<OpTrait::IsTerminator>() && op->getNumResults() > 0 &&
           areSame(op->getOperands()) && areSame(capturedBy(op)) && isPure(op);
  }

  template <typename Values> bool areSame(const Values &values) const {
    return llvm::all_of(values,
                        [&](Value value) { return same.contains(value); });
  }

  void scan(Block &block) {
    for (Operation &op : block)
      if (isSame(&op)) {
        same.insert(op.result_begin(), op.result_end());
        hasWork |= !isConstant(&op);
      } else if (!isa<linalg::LinalgOp>(op)) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            scan(inner);
      }
  }

  /// What operations use of it that differ from call to call.
  void selectUsed(Block &block) {
    for (Operation &op : block) {
      if (op.getNumResults() > 0 && same.contains(op.getResult(0)))
        continue;
      for (Value operand : op.getOperands())
        select(operand);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          selectUsed(inner);
    }
  }

  void select(Value value) {
    Operation *op = value.getDefiningOp();
    if (!same.contains(value) || isConstant(op) || !seen.insert(value).second)
      return;
    ParameterWork work;
    work.value = value;
    bool isFound = !isViewOrBroadcast(op) && judge(work);
    if (isFound && work.whyNot.empty()) {
      found.push_back(std::move(work));
      return;
    }
    // Perhaps a part of it. What stays is named as a whole.
    const bool isNamed = isFound && !isPart;
    if (isNamed)
      found.push_back(std::move(work));
    llvm::SaveAndRestore inside(isPart, isPart || isNamed);
    for (Value operand : usedBy(op))
      select(operand);
  }

  /// Whether there is anything to say about it; then says it.
  bool judge(ParameterWork &work) {
    auto type = dyn_cast<RankedTensorType>(work.value.getType());
    if (!type || !type.hasStaticShape() || type.getEncoding() ||
        !tw::bitsInMemory(type.getElementType()))
      return false;
    llvm::DenseSet<Operation *> visited;
    collect(work.value, visited, work.slice);
    double weight = 0;
    for (Operation *op : work.slice)
      if (!add(op, 1, work, weight))
        return false;
    work.bytes = bytesOf(type);
    if (weight == 0 || (work.bytes < kLeastBytes && weight < kLeastWeight))
      return false;
    const bool isDear = weight >= kDearElement * double(type.getNumElements());
    if (work.bytes > kMostGrowth * work.bytesRead &&
        !(isDear && work.bytes <= kMostDearBytes))
      work.whyNot = "its " + std::to_string(work.bytes) +
                    " bytes are too many to keep for what they are made of";
    else if (!isDear && isReadOnTheWay(work.value))
      work.whyNot = "what reads it computes it on its way";
    return true;
  }

  /// Operands before what uses them.
  void collect(Value value, llvm::DenseSet<Operation *> &visited,
               SmallVectorImpl<Operation *> &slice) {
    Operation *op = value.getDefiningOp();
    if (!visited.insert(op).second)
      return;
    for (Value operand : usedBy(op))
      collect(operand, visited, slice);
    slice.push_back(op);
  }

  /// Adds what `op` does, `times` times. False if that is not known.
  bool add(Operation *op, int64_t times, ParameterWork &work, double &weight) {
    ElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant))) {
      auto type = dyn_cast<RankedTensorType>(constant.getType());
      if (type && !constant.isSplat())
        work.bytesRead += bytesOf(type);
      return true;
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      std::optional<int64_t> iterations = iterationsOf(linalgOp);
      if (!iterations)
        return false;
      int64_t operations = 0;
      double each = 0;
      op->walk([&](Operation *inner) {
        operations += computesElements(inner);
        each += weightOf(inner);
      });
      weight += double(times) * double(*iterations) * each;
      work.operations = llvm::SaturatingAdd(
          uint64_t(work.operations),
          llvm::SaturatingMultiply(uint64_t(times) * operations,
                                   uint64_t(*iterations)));
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<llvm::APInt> turns = loop.getStaticTripCount())
        times =
            llvm::SaturatingMultiply<uint64_t>(times, turns->getLimitedValue());
    // Of a loop whose turns are not known, one.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          if (!add(&inner, times, work, weight))
            return false;
    return true;
  }

  /// Whether the one operation that reads it is fused with what makes it.
  static bool isReadOnTheWay(Value value) {
    if (!value.hasOneUse())
      return false;
    auto reader = dyn_cast<linalg::LinalgOp>(*value.user_begin());
    if (!reader || reader.getNumParallelLoops() != reader.getNumLoops())
      return false;
    std::optional<int64_t> iterations = iterationsOf(reader);
    return iterations &&
           *iterations <=
               cast<RankedTensorType>(value.getType()).getNumElements();
  }

  func::FuncOp func;
  llvm::DenseSet<Value> same, seen;
  bool hasWork = false; ///< beside constants
  bool isPart = false;  ///< of what stays, what is selected
  std::vector<ParameterWork> found;
};

} // namespace

std::vector<ParameterWork> parameterWorkOf(func::FuncOp func) {
  return Finder(func).find();
}

} // namespace tilewright
