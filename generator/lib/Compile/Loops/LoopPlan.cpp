// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopPlan.h"

#include "Combiners.h"
#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Dialect/Windows.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Lanes of narrow elements that are gathered one by one: more are only more
/// code.
constexpr int64_t kMostGathered = 16;
/// Vectors side by side hide the latency of additions, four or five cycles on
/// two units; bodies of more operations have enough of their own to do.
constexpr int64_t kCopies = 4;
constexpr int64_t kLargeBody = 12;
/// Of a vector that is loaded, transposed with others, stored and loaded again.
constexpr double kTransposeCost = 4;

/// Loops of fewer iterations are not worth blocks.
constexpr int64_t kShortest = 4;
/// Operations that small windows are written out to.
constexpr int64_t kMostUnrolled = 512;

enum class AccessKind { Invariant, Contiguous, Strided };

/// Whether elements along `dim` lie next to each other, as far as is known.
/// Behind it there may be dimensions of size 1.
bool hasUnitStride(MemRefType type, unsigned dim) {
  // Upstream makes affine expressions of what needs none.
  if (type.getLayout().isIdentity())
    return llvm::all_of(type.getShape().drop_front(dim + 1),
                        [](int64_t size) { return size == 1; });
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1;
}

/// How the lanes of loop `lane` lie in an operand.
AccessKind accessOf(AffineMap map, MemRefType type, unsigned lane) {
  SmallVector<unsigned> where;
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(lane))
      where.push_back(position);
  if (where.empty())
    return AccessKind::Invariant;
  if (where.size() > 1 || !hasUnitStride(type, where[0]))
    return AccessKind::Strided;
  // The step from one lane to the next.
  AffineExpr expr = map.getResult(where[0]);
  AffineExpr dim = getAffineDimExpr(lane, map.getContext());
  if (expr == dim)
    return AccessKind::Contiguous;
  AffineExpr step = simplifyAffineExpr(expr.replace(dim, dim + 1) - expr,
                                       map.getNumDims(), 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant && constant.getValue() == 1 ? AccessKind::Contiguous
                                              : AccessKind::Strided;
}

/// As it is, or as a tensor's buffer will be; null of others.
MemRefType bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return dyn_cast<MemRefType>(type);
}

/// How an operand is read or written, by what loop the lanes are of.
SmallVector<AccessKind> accessesOf(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<AccessKind> accesses(op.getNumLoops(), AccessKind::Invariant);
  if (op.isScalar(&operand))
    return accesses;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  MemRefType type = bufferType(operand.get().getType());
  for (unsigned loop = 0; loop < accesses.size(); ++loop)
    accesses[loop] = accessOf(map, type, loop);
  return accesses;
}

/// Of shorter rows, neighbours along the lanes share cache lines.
bool isWorthBlocks(int64_t size) {
  return ShapedType::isDynamic(size) || size >= kShortest;
}

/// Whether blocks of an operand with these accesses are transposed.
bool isInBlocks(ArrayRef<AccessKind> accesses, ArrayRef<int64_t> sizes,
                unsigned lane, unsigned across) {
  return lane != across && accesses[lane] == AccessKind::Strided &&
         accesses[across] == AccessKind::Contiguous &&
         isWorthBlocks(sizes[lane]) && isWorthBlocks(sizes[across]);
}

bool isReadInBlocks(linalg::LinalgOp op, OpOperand &operand) {
  return !op.isDpsInit(&operand) && op.payloadUsesValueFromOperand(&operand);
}

class Planner {
public:
  Planner(linalg::LinalgOp op, const VectorTarget &target)
      : op(op), target(target), body(*op.getBlock()),
        sizes(op.getStaticLoopRanges()) {}

  std::optional<LoopPlan> plan(std::string &whyNot) {
    whyNot = obstacle();
    if (!whyNot.empty())
      return std::nullopt;
    measure();
    // What the first result has innermost is tried first.
    llvm::SmallSetVector<unsigned, 6> order;
    AffineMap results = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (unsigned i = 0; i < results.getNumResults(); ++i)
      order.insert(results.getDimPosition(i));
    SmallVector<unsigned> parallel(order.begin(), order.end());
    SmallVector<unsigned> candidates(llvm::reverse(parallel));
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    if (hasCombiners())
      candidates.append(reductions.rbegin(), reductions.rend());
    unsigned lane = 0;
    double least = 0;
    int64_t width = 1;
    for (unsigned candidate : candidates) {
      int64_t lanes = widthOf(candidate);
      if (lanes < 2)
        continue;
      double cost = costOf(candidate, lanes);
      if (width > 1 && cost >= least)
        continue;
      lane = candidate, least = cost, width = lanes;
    }
    if (width < 2) {
      whyNot = candidates.empty()
                   ? "each of its steps needs the one before"
                   : "none of its loops has the elements of a vector";
      return std::nullopt;
    }
    LoopPlan plan;
    plan.lane = lane;
    plan.width = width;
    plan.unrolled.resize(op.getNumLoops());
    plan.maskTail = target.masks && mayComputeAnything();
    bool isReduction = llvm::is_contained(reductions, lane);
    plan.kind = isReduction          ? LoopPlan::Kind::Horizontal
                : reductions.empty() ? LoopPlan::Kind::Elementwise
                : readsOnce(lane)    ? LoopPlan::Kind::Memory
                                     : LoopPlan::Kind::Registers;
    plan.across = acrossOf(lane);
    plan.vectorBytes = target.bytes;
    bool accumulates = plan.kind == LoopPlan::Kind::Horizontal ||
                       plan.kind == LoopPlan::Kind::Registers;
    plan.copies =
        (accumulates || plan.across) && countOps() <= kLargeBody ? kCopies : 1;
    int64_t extent = sizes[lane];
    while (ShapedType::isStatic(extent) && plan.copies > 1 &&
           plan.copies * width > extent)
      plan.copies /= 2;
    auto others = [&](ArrayRef<unsigned> dims) {
      SmallVector<unsigned> kept(dims);
      llvm::erase(kept, lane);
      return kept;
    };
    plan.parallel = others(parallel);
    plan.reductions = others(reductions);
    if (plan.kind == LoopPlan::Kind::Registers && countOps() <= kLargeBody)
      planWindows(plan);
    return plan;
  }

  std::optional<LoopPlan> planElements() {
    if (op.getNumReductionLoops() || !obstacle().empty())
      return std::nullopt;
    measure();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (widthOf(loop) > 1)
        return std::nullopt;
    LoopPlan plan;
    plan.kind = LoopPlan::Kind::Scalar;
    plan.lane = 0;
    plan.width = plan.copies = 1;
    plan.vectorBytes = target.bytes;
    plan.maskTail = false;
    plan.unrolled.resize(op.getNumLoops());
    op.getParallelDims(plan.parallel);
    return plan;
  }

private:
  /// Of what has no obstacle.
  void measure() {
    bits = elementBits();
    gathers = llvm::any_of(body, [](Operation &inner) {
      return isa<memref::LoadOp, tensor::ExtractOp, scf::IfOp>(inner);
    });
    for (OpOperand &operand : op->getOpOperands()) {
      accesses.push_back(accessesOf(op, operand));
      readInBlocks.push_back(isReadInBlocks(op, operand));
    }
  }

  /// Neighbouring windows are computed side by side, and small ones written
  /// out: what they share is loaded once.
  void planWindows(LoopPlan &plan) {
    llvm::BitVector inSums = loopsInSums(op.getIndexingMapsArray());
    std::optional<unsigned> paired;
    for (unsigned loop : llvm::reverse(plan.parallel)) {
      int64_t copies = kCopies;
      while (ShapedType::isStatic(sizes[loop]) && copies > sizes[loop])
        copies /= 2;
      if (!inSums.test(loop) || copies < 2)
        continue;
      if (plan.side) {
        paired = loop;
        break;
      }
      plan.side = loop;
      plan.copies = copies;
    }
    // Loops that are left inside would only be built several times.
    int64_t operations = countOps() * plan.copies;
    bool isSmall = llvm::all_of(plan.reductions, [&](unsigned loop) {
      if (!inSums.test(loop) || ShapedType::isDynamic(sizes[loop]) ||
          operations * sizes[loop] > kMostUnrolled)
        return false;
      operations *= sizes[loop];
      return true;
    });
    if (!isSmall)
      return;
    for (unsigned loop : plan.reductions)
      plan.unrolled.set(loop);
    if (2 * operations <= kMostUnrolled)
      plan.paired = paired;
  }

  /// Why it has to stay scalar, as a sentence; empty if it need not.
  std::string obstacle() {
    if (op.getNumDpsInits() == 0)
      return "it has no results";
    if (Operation *inner = LaneBuilder::findUnsupported(body))
      return inner->getName().getStringRef().str() +
             " in its body is not done in vectors";
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.isScalar(&operand))
        continue;
      Type type = operand.get().getType();
      auto buffer = dyn_cast<MemRefType>(type);
      if (!isa<RankedTensorType, MemRefType>(type) ||
          (buffer && !buffer.isStrided()) ||
          !VectorType::isValidElementType(getElementTypeOrSelf(type)))
        return "no vectors have the elements of its operands";
      if (!LaneBuilder::isSupported(op.getMatchingIndexingMap(&operand)))
        return "its operands are indexed by more than sums and products";
    }
    // Each element of a result is of one iteration of the parallel loops.
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != op.getNumParallelLoops())
        return "a result has not one element for each iteration of the "
               "parallel loops";
    }
    if (op.getNumParallelLoops() + op.getNumReductionLoops() !=
        op.getNumLoops())
      return "it has loops that are neither parallel nor reductions";
    return "";
  }

  bool hasCombiners() {
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      if (!combinerOf(op, i))
        return false;
    return true;
  }

  int64_t countOps() {
    int64_t count = 0;
    body.walk([&](Operation *) { ++count; });
    return count;
  }

  /// Whether lanes without an element may be computed like any other.
  bool mayComputeAnything() {
    return !body.walk([](Operation *inner) {
                  return isa<scf::IfOp, memref::LoadOp, tensor::ExtractOp,
                             linalg::YieldOp, scf::YieldOp>(inner) ||
                                 LaneBuilder::mayCompute(*inner)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// Of the widest element that is computed with; f16 and bf16 are in f32.
  int64_t elementBits() {
    bool computes = countOps() > 1;
    int64_t bits = 8;
    auto meet = [&](Type type) {
      type = getElementTypeOrSelf(type);
      if (type.isIndex())
        bits = std::max<int64_t>(bits, 64);
      else if (isa<FloatType>(type) && computes)
        bits = std::max<int64_t>({bits, type.getIntOrFloatBitWidth(), 32});
      else if (type.isIntOrFloat())
        bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
    };
    for (Value operand : op->getOperands())
      meet(operand.getType());
    body.walk([&](Operation *inner) {
      for (Type type : inner->getResultTypes())
        if (!type.isIndex() && !type.isInteger(64))
          meet(type);
    });
    return bits;
  }

  bool isTransposed(unsigned operand, unsigned lane, unsigned across) {
    return readInBlocks[operand] &&
           isInBlocks(accesses[operand], sizes, lane, across);
  }

  /// The loop across which blocks are transposed, if lanes are of `lane`: that
  /// of the first input that needs it.
  std::optional<unsigned> acrossOf(unsigned lane) {
    if (op.getNumReductionLoops() > 0)
      return std::nullopt;
    for (unsigned operand = 0; operand < accesses.size(); ++operand)
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (isTransposed(operand, lane, loop))
          return loop;
    return std::nullopt;
  }

  /// Lanes that are gathered one by one, by their addresses.
  bool isGathered(unsigned operand, unsigned lane) {
    if (accesses[operand][lane] != AccessKind::Strided)
      return false;
    std::optional<unsigned> across = acrossOf(lane);
    return !across || !isTransposed(operand, lane, *across);
  }

  int64_t widthOf(unsigned lane) {
    int64_t width = target.bytes * 8 / bits;
    bool isNarrow = gathers;
    for (unsigned operand = 0; operand < accesses.size(); ++operand)
      isNarrow |= isGathered(operand, lane);
    if (isNarrow)
      width = std::min(width, kMostGathered);
    int64_t extent = sizes[lane];
    while (ShapedType::isStatic(extent) && width > extent)
      width /= 2;
    return width;
  }

  /// Of one element: an operation for each vector that is loaded or stored, or
  /// for each of its lanes that have to be gathered.
  double costOf(unsigned lane, int64_t width) {
    double cost = 1;
    for (unsigned operand = 0; operand < accesses.size(); ++operand) {
      AccessKind access = accesses[operand][lane];
      cost += access == AccessKind::Contiguous  ? 1
              : access == AccessKind::Invariant ? 0.25
              : isGathered(operand, lane)       ? double(width)
                                                : kTransposeCost;
    }
    int64_t extent = sizes[lane];
    if (ShapedType::isDynamic(extent))
      return cost / double(width);
    int64_t vectors = (extent + width - 1) / width;
    return extent ? cost * double(vectors) / double(extent) : cost;
  }

  /// Whether no element of an operand with lanes is read twice.
  bool readsOnce(unsigned lane) {
    return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return accesses[input->getOperandNumber()][lane] ==
                 AccessKind::Invariant ||
             op.getMatchingIndexingMap(input).isPermutation();
    });
  }

  linalg::LinalgOp op;
  const VectorTarget &target;
  Block &body;
  SmallVector<int64_t> sizes;
  int64_t bits = 0;     ///< of the widest element that is computed with
  bool gathers = false; ///< whether the body itself loads
  SmallVector<SmallVector<AccessKind>> accesses; ///< by operand and loop
  SmallVector<bool> readInBlocks;                ///< by operand
};

} // namespace

bool isTransposed(linalg::LinalgOp op, OpOperand &operand, unsigned lane,
                  unsigned across) {
  return isReadInBlocks(op, operand) &&
         isInBlocks(accessesOf(op, operand), op.getStaticLoopRanges(), lane,
                    across);
}

std::optional<LoopPlan> planLoops(linalg::LinalgOp op,
                                  const VectorTarget &target,
                                  std::string *whyNot) {
  std::string unused;
  return Planner(op, target).plan(whyNot ? *whyNot : unused);
}

std::optional<LoopPlan> planElements(linalg::LinalgOp op,
                                     const VectorTarget &target) {
  return Planner(op, target).planElements();
}

} // namespace tilewright
