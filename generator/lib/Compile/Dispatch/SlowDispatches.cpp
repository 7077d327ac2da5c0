// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SlowDispatches.h"

#include "../CacheLine.h"
#include "../DeviceTargets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace tilewright {
namespace {

// In ns. Measured on one thread of a Sapphire Rapids Xeon shared with other
// work, as the least of 12 calls on 1 M elements; what an element takes beyond
// its share of a memcpy beside it. Other CPUs have other figures, but it is
// factors of 2 to 50 that are told apart.

/// A copy of 4 MB, which reads and writes as much: 0.41 ms.
constexpr double kPerByte = 0.05;
/// Of an element that comes with next to no bytes: those of an i8.
constexpr double kLeast = 2 * kPerByte;
/// log of f64: 15.9 ms, less 1.1 for the bytes; exp 27, sin 26, erf 28,
/// tanh 67.
constexpr double kCallOfLibm = 15;
/// pow of f32: 3.8 ms, less 0.6 for the bytes; cbrt 3.3, asinh 4.3.
constexpr double kThroughF64 = 2.7;
/// i32, unsigned: 3.0 ms, less 0.6 for the bytes; remainders 5.0; of i8 3.1.
constexpr double kDivision = 2.4;
/// What is gathered along columns of 1000 x 1000 f32, f64, i8: 1.5, 2.7, 1.0
/// ms, of which the bytes are 0.6, 1.2, 0.1. Rows of powers of two take up
/// to 27.
constexpr double kAlongColumn = 1;
/// Transposed in registers, 1000 and 1024 rows of f32: 0.64 and 0.82 ms, where
/// a copy takes 0.40; of f64 1.13 and 1.71, a copy 0.82; of i16 0.41 and 0.47,
/// a copy 0.19. Of i8 0.22 and 0.14, a copy 0.05.
constexpr double kTransposedByte = 0.08, kTransposedElement = 0.14;

/// An element of a loop that is not in vectors, by its operations too.
constexpr double kScalar = 0.5, kScalarOperation = 0.5;

/// Bytes of all operands of a call that stay in the first level of caches,
/// where the figures do not hold.
constexpr int64_t kSmallCall = 32 * 1024;

struct Delay {
  double ns = 0;
  std::string reason, advice;
};

int64_t bytesOf(Type element) {
  return element.isIndex()
             ? 8
             : int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

bool isTranscendental(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log2Op, math::Log10Op, math::Log1pOp, math::TanhOp,
             math::SinhOp, math::CoshOp, math::SinOp, math::CosOp, math::TanOp,
             math::AsinOp, math::AcosOp, math::AtanOp, math::Atan2Op,
             math::AsinhOp, math::AcoshOp, math::AtanhOp, math::ErfOp,
             math::ErfcOp, math::CbrtOp, math::PowFOp>(op);
}

/// As Loops/ExponentialTerms.h has them.
bool isThroughF64(Operation *op) {
  return isa<math::PowFOp, math::CbrtOp, math::AsinhOp, math::AcoshOp,
             math::AtanhOp>(op);
}

bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op) &&
         !op->getResult(0).getType().isIndex() &&
         !matchPattern(op->getOperand(1), m_Constant());
}

bool hasAllLoops(AffineMap map) {
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    if (!map.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Whether neighbours along `lane` lie further apart than a cache line.
bool goesAlongColumn(ShapedType type, AffineMap map, unsigned lane) {
  int64_t inner = bytesOf(type.getElementType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (map.getResult(dim).isFunctionOfDim(lane))
      return inner > kCacheLine;
    // Of any size: long.
    inner =
        type.isDynamicDim(dim) ? kCacheLine + 1 : inner * type.getDimSize(dim);
  }
  return false;
}

/// Where what an operation writes comes from outside.
bool isOfCaller(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
    if (!op)
      return false;
    value = op.getTiedOpOperand(result)->get();
  }
  return true;
}

class Estimate {
public:
  Estimate(func::FuncOp func, const VectorTarget &vectors, bool hasFma)
      : vectors(vectors), hasFma(hasFma) {
    SmallVector<linalg::LinalgOp> ops(func.getOps<linalg::LinalgOp>());
    // What is done once for a row is little.
    unsigned loops = 0;
    for (linalg::LinalgOp op : ops)
      loops = std::max(loops, op.getNumLoops());
    for (linalg::LinalgOp op : ops)
      if (op.getNumLoops() == loops && !isa<linalg::FillOp>(op))
        add(op);
  }

  double share() const {
    double atLeast = std::max(bytesNs, kLeast);
    return atLeast / (atLeast + delayed);
  }
  const Delay &longest() const { return worst; }
  /// Whether all of it is in vectors and fast enough.
  bool isGood() const { return !isScalar && share() >= 0.5; }

private:
  void add(linalg::LinalgOp op) {
    std::string whyScalar;
    std::optional<LoopPlan> plan = planLoops(op, vectors, &whyScalar);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!type || !hasAllLoops(map) || !isOfCaller(operand.get()))
        continue;
      auto bytes = double(bytesOf(type.getElementType()));
      bytesNs += kPerByte * bytes;
      if (!plan || !goesAlongColumn(type, map, plan->lane))
        continue;
      if (plan->across && isTransposed(op, operand, plan->lane, *plan->across))
        add({std::max(kTransposedByte * bytes, kTransposedElement),
             "its elements are transposed, a vector of each row at a time",
             "what computes them may write them in this order"});
      else
        add({kAlongColumn,
             "its elements are gathered along columns, one from each row",
             "rows of a power of two elements are the slowest"});
    }
    if (!plan) {
      auto inBody =
          double(llvm::range_size(op.getBlock()->without_terminator()));
      isScalar = true;
      add({kScalar + kScalarOperation * inBody,
           "it is a loop over single elements, for " + whyScalar,
           "what has no such part is computed in vectors"});
    }
    op->walk([&](Operation *inner) { addOperation(inner); });
  }

  void addOperation(Operation *op) {
    std::string name = op->getName().getStringRef().str();
    if (isTranscendental(op)) {
      bool isF64 = getElementTypeOrSelf(op->getResult(0)).isF64();
      if (isF64)
        add({kCallOfLibm,
             name + " of f64 is a call of the C library for each element",
             "in f32 it is computed in vectors"});
      else if (!hasFma)
        add({kCallOfLibm, name + " is a call of the C library for each element",
             "on a target with fused multiply-adds, as x86_64_avx2_fma, it is "
             "computed in vectors"});
      else if (isThroughF64(op))
        add({kThroughF64, name + " is computed in f64",
             "a product, sqrt or exp in its place is faster"});
    } else if (isDivision(op)) {
      add({kDivision, name + " is done for one element at a time",
           "by a constant, or of floats, it is done in vectors"});
    }
  }

  void add(Delay delay) {
    delayed += delay.ns;
    if (delay.ns > worst.ns)
      worst = std::move(delay);
  }

  VectorTarget vectors;
  bool hasFma;
  double bytesNs = 0, delayed = 0;
  bool isScalar = false;
  Delay worst;
};

/// Where sizes are known; what is not known may be large.
bool isSmall(const ModelDispatch &dispatch) {
  return llvm::all_of(dispatch.work, [](const DispatchWork &work) {
    int64_t read, written;
    return !StringRef(work.bytesRead).getAsInteger(10, read) &&
           !StringRef(work.bytesWritten).getAsInteger(10, written) &&
           read + written <= kSmallCall;
  });
}

} // namespace

void judgeDispatches(ModuleOp module, std::vector<ModelDispatch> &dispatches) {
  DeviceTargets targets;
  SymbolTable symbols(module);
  for (ModelDispatch &dispatch : dispatches) {
    auto func = symbols.lookup<func::FuncOp>(dispatch.name);
    if (!isOnHost(func))
      continue;
    const TargetCpu &target = targets.of(func);
    Estimate estimate(func, vectorsOf(target), loopMachineOf(target).fuses);
    if (estimate.isGood() || isSmall(dispatch))
      continue;
    const Delay &why = estimate.longest();
    dispatch.percent = std::lround(estimate.share() * 100);
    dispatch.slowBecause = why.reason;
    func.emitRemark() << "the dispatch '" << dispatch.name
                      << "' is estimated at " << *dispatch.percent
                      << " % of the speed of a copy of its bytes: "
                      << why.reason << "; " << why.advice;
  }
}

} // namespace tilewright
