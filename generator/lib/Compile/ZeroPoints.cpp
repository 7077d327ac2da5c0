// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ZeroPoints.h"

#include "ConstantElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/MatchWindows.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// One factor, `ext(element) - zero point`.
struct Factor {
  OpOperand *tensor = nullptr;
  bool isUnsigned = false;
  Value zeroPoint; ///< outside of the body, of any width; null for none

  bool hasZeroPoint() const {
    return zeroPoint && !matchPattern(zeroPoint, m_Zero());
  }
};

struct Product {
  std::array<Factor, 2> factors;
  linalg::LinalgOp op;
  IntegerType sum; ///< what is added up
};

/// What a scalar of the body is outside of it: a constant, a value from there
/// or a scalar operand, maybe widened.
Value outsideOf(linalg::LinalgOp op, Value scalar) {
  while (auto widened = scalar.getDefiningOp<arith::ExtSIOp>())
    scalar = widened.getIn();
  if (auto argument = dyn_cast<BlockArgument>(scalar);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isScalar(operand) ? operand->get() : Value();
  }
  return op->isAncestor(scalar.getParentBlock()->getParentOp()) ? Value()
                                                                : scalar;
}

std::optional<Factor> matchFactor(linalg::LinalgOp op, Value value) {
  Factor factor;
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    factor.zeroPoint = outsideOf(op, difference.getRhs());
    if (!factor.zeroPoint)
      return std::nullopt;
    value = difference.getLhs();
  }
  Operation *cast = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(cast))
    return std::nullopt;
  factor.isUnsigned = isa<arith::ExtUIOp>(cast);
  auto element = dyn_cast<BlockArgument>(cast->getOperand(0));
  if (!element || element.getOwner() != op.getBlock())
    return std::nullopt;
  factor.tensor = op.getMatchingOpOperand(element);
  if (op.isScalar(factor.tensor) || op.isDpsInit(factor.tensor))
    return std::nullopt;
  return factor;
}

std::optional<Product> matchProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      !op.getNumReductionLoops())
    return std::nullopt;
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  BlockArgument out = op.getRegionOutputArgs()[0];
  auto mul = (add.getLhs() == out ? add.getRhs() : add.getLhs())
                 .getDefiningOp<arith::MulIOp>();
  if (!mul || (add.getLhs() != out && add.getRhs() != out))
    return std::nullopt;
  std::optional<Factor> x = matchFactor(op, mul.getLhs());
  std::optional<Factor> w = matchFactor(op, mul.getRhs());
  if (!x || !w || x->tensor == w->tensor || !(x->zeroPoint || w->zeroPoint))
    return std::nullopt;
  // Each is summed up by itself, over all of the reduction.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (const Factor &factor : {*x, *w})
    for (unsigned loop : reductions)
      if (!op.getMatchingIndexingMap(factor.tensor).isFunctionOfDim(loop))
        return std::nullopt;
  return Product{{*x, *w}, op, cast<IntegerType>(mul.getType())};
}

Value widen(OpBuilder &b, Location loc, Value element, bool isUnsigned,
            Type type) {
  return isUnsigned ? arith::ExtUIOp::create(b, loc, type, element).getResult()
                    : arith::ExtSIOp::create(b, loc, type, element).getResult();
}

class Splitter {
public:
  Splitter(const Product &product, bool convolutions)
      : product(product), convolutions(convolutions), op(product.op),
        b(op.getLoc(), op) {
    SmallVector<unsigned> loops;
    op.getParallelDims(loops);
    parallel = llvm::SmallBitVector(op.getNumLoops());
    for (unsigned loop : loops)
      parallel.set(loop);
  }

  void run() {
    Value plain = plainProduct();
    if (!plain)
      return;
    AffineMap outMap = mapOf(op.getDpsInitOperand(0));
    SmallVector<Value> inputs{plain};
    SmallVector<AffineMap> maps{outMap};
    // For each sum, what it is multiplied with.
    SmallVector<Value> weights;
    for (unsigned i : {0, 1}) {
      const Factor &other = product.factors[1 - i];
      if (!other.hasZeroPoint())
        continue;
      auto [sum, map] = sumOf(product.factors[i]);
      inputs.push_back(sum);
      maps.push_back(map);
      weights.push_back(toSum(other.zeroPoint));
    }
    if (!weights.empty())
      plain = correct(inputs, maps, weights);
    op->getResult(0).replaceAllUsesWith(plain);
    op->erase();
  }

private:
  AffineMap mapOf(OpOperand *operand) {
    return op.getMatchingIndexingMap(operand);
  }

  /// Null if no tile computes it.
  Value plainProduct() {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (const Factor &factor : product.factors) {
      inputs.push_back(factor.tensor->get());
      maps.push_back(mapOf(factor.tensor));
    }
    OpOperand *init = op.getDpsInitOperand(0);
    maps.push_back(mapOf(init));
    auto plain = linalg::GenericOp::create(
        b, op->getResultTypes(), inputs, init->get(), maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &b, Location loc, ValueRange elements) {
          std::array<Value, 2> wide;
          for (unsigned i : {0, 1})
            wide[i] = widen(b, loc, elements[i], product.factors[i].isUnsigned,
                            product.sum);
          Value value = arith::MulIOp::create(b, loc, wide[0], wide[1]);
          value = arith::AddIOp::create(b, loc, elements[2], value);
          linalg::YieldOp::create(b, loc, value);
        });
    placeLike(plain, op);
    std::optional<Contraction> contraction = matchContraction(plain);
    std::optional<WindowProduct> windows = matchWindows(plain);
    if ((contraction && contraction->types) ||
        (convolutions && isOnHost(op) && windows && windows->types))
      return plain.getResult(0);
    plain.erase();
    return Value();
  }

  Value toSum(Value scalar) {
    auto from = cast<IntegerType>(scalar.getType());
    if (from.getWidth() < product.sum.getWidth())
      return arith::ExtSIOp::create(b, product.sum, scalar);
    if (from.getWidth() > product.sum.getWidth())
      return arith::TruncIOp::create(b, product.sum, scalar);
    return scalar;
  }

  /// The elements of a factor summed up over all reduction loops, and where
  /// they are by the loops of the operation.
  std::pair<Value, AffineMap> sumOf(const Factor &factor) {
    AffineMap map = mapOf(factor.tensor);
    SmallVector<AffineExpr> kept;
    SmallVector<OpFoldResult> sizes;
    SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
    for (unsigned loop : parallel.set_bits())
      if (map.isFunctionOfDim(loop)) {
        kept.push_back(b.getAffineDimExpr(loop));
        sizes.push_back(ranges[loop].size);
      }
    AffineMap keptMap =
        AffineMap::get(op.getNumLoops(), 0, kept, b.getContext());
    if (Value known = knownSum(factor, keptMap))
      return {known, keptMap};
    return {sumInLoops(factor, keptMap, sizes, ranges), keptMap};
  }

  Value sumInLoops(const Factor &factor, AffineMap keptMap,
                   ArrayRef<OpFoldResult> sizes, ArrayRef<Range> ranges) {
    AffineMap map = mapOf(factor.tensor);
    // Without the loops that it has nothing to do with.
    llvm::SmallBitVector unused(op.getNumLoops());
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!map.isFunctionOfDim(loop))
        unused.set(loop);
    SmallVector<utils::IteratorType> loops;
    SmallVector<AffineExpr> window;
    SmallVector<OpFoldResult> windowSizes;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!unused[loop]) {
        loops.push_back(op.getIteratorTypesArray()[loop]);
        if (!parallel[loop]) {
          window.push_back(b.getAffineDimExpr(loop));
          windowSizes.push_back(ranges[loop].size);
        }
      }
    SmallVector<Value> inputs{factor.tensor->get()};
    SmallVector<AffineMap> maps{map};
    // Of a window, its size is known from what has it as dimensions.
    if (!map.isProjectedPermutation()) {
      inputs.push_back(tensor::EmptyOp::create(b, windowSizes, product.sum));
      maps.push_back(
          AffineMap::get(op.getNumLoops(), 0, window, b.getContext()));
    }
    maps.push_back(keptMap);
    for (AffineMap &each : maps)
      each = projectDims(each, unused, /*compressDims=*/true);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(product.sum));
    Value empty = tensor::EmptyOp::create(b, sizes, product.sum);
    Value zeros = linalg::FillOp::create(b, zero, empty).getResult(0);
    auto sum = linalg::GenericOp::create(
        b, zeros.getType(), inputs, zeros, maps, loops,
        [&](OpBuilder &b, Location loc, ValueRange elements) {
          Value wide =
              widen(b, loc, elements[0], factor.isUnsigned, product.sum);
          linalg::YieldOp::create(
              b, loc,
              arith::AddIOp::create(b, loc, elements.back(), wide).getResult());
        });
    placeLike(sum, op);
    placeLike(zeros.getDefiningOp(), op);
    return sum.getResult(0);
  }

  /// Of a constant whose elements are bytes: a constant, or null.
  Value knownSum(const Factor &factor, AffineMap keptMap) {
    AffineMap map = mapOf(factor.tensor);
    ElementsAttr attr;
    auto type = cast<RankedTensorType>(factor.tensor->get().getType());
    if (!matchPattern(factor.tensor->get(), m_Constant(&attr)) ||
        !type.getElementType().isInteger(8) || !map.isProjectedPermutation())
      return Value();
    std::optional<ConstantElements> elements = ConstantElements::of(attr);
    if (!elements)
      return Value();
    SmallVector<int64_t> shape, strides(type.getRank(), 0);
    int64_t count = 1;
    for (AffineExpr expr : keptMap.getResults()) {
      shape.push_back(type.getDimSize(*map.getResultPosition(expr)));
    }
    for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
      strides[*map.getResultPosition(keptMap.getResult(i))] = count;
      count *= shape[i];
    }
    SmallVector<uint64_t> sums(count, 0);
    SmallVector<int64_t> position(type.getRank(), 0);
    int64_t total = type.getNumElements(), at = 0;
    for (int64_t i = 0; i < total; ++i) {
      char byte = elements->bytes[elements->isSplat ? 0 : i];
      sums[at] += factor.isUnsigned ? uint64_t(uint8_t(byte))
                                    : uint64_t(int64_t(int8_t(byte)));
      for (int64_t dim = type.getRank(); dim-- > 0;) {
        at += strides[dim];
        if (++position[dim] < type.getDimSize(dim))
          break;
        at -= strides[dim] * position[dim];
        position[dim] = 0;
      }
    }
    auto sumType = RankedTensorType::get(shape, product.sum);
    SmallVector<APInt> values;
    for (uint64_t sum : sums)
      values.push_back(APInt(64, sum).trunc(product.sum.getWidth()));
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(DenseElementsAttr::get(sumType, values)));
  }

  /// plain - sum * weight for each sum, + K a b if there are two.
  Value correct(ArrayRef<Value> inputs, ArrayRef<AffineMap> loopMaps,
                ArrayRef<Value> weights) {
    Value both;
    if (weights.size() == 2) {
      both = arith::MulIOp::create(b, weights[0], weights[1]);
      SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (!parallel[loop]) {
          Value size =
              getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loop].size);
          both = arith::MulIOp::create(
              b, both, arith::IndexCastOp::create(b, product.sum, size));
        }
    }
    // By the dimensions of the result, as that is what is gone through.
    AffineMap outMap = loopMaps.front();
    llvm::DenseMap<AffineExpr, AffineExpr> dims;
    for (auto [dim, expr] : llvm::enumerate(outMap.getResults()))
      dims[expr] = b.getAffineDimExpr(dim);
    unsigned rank = outMap.getNumResults();
    SmallVector<AffineMap> maps;
    for (AffineMap map : loopMaps)
      maps.push_back(map.replace(dims, rank, 0));
    maps.push_back(b.getMultiDimIdentityMap(rank));
    Value empty = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), inputs[0]), product.sum);
    auto corrected = linalg::GenericOp::create(
        b, empty.getType(), inputs, empty, maps,
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [&](OpBuilder &b, Location loc, ValueRange elements) {
          Value value = elements[0];
          for (auto [i, weight] : llvm::enumerate(weights))
            value = arith::SubIOp::create(
                b, loc, value,
                arith::MulIOp::create(b, loc, elements[i + 1], weight));
          if (both)
            value = arith::AddIOp::create(b, loc, value, both);
          linalg::YieldOp::create(b, loc, value);
        });
    placeLike(corrected, op);
    return corrected.getResult(0);
  }

  const Product &product;
  bool convolutions; ///< have tiles on the host
  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  llvm::SmallBitVector parallel; ///< of the operation's loops
};

} // namespace

void takeOffZeroPoints(func::FuncOp func, bool convolutions) {
  SmallVector<Product> products;
  func.walk([&](linalg::LinalgOp op) {
    if (std::optional<Product> product = matchProduct(op))
      products.push_back(*product);
  });
  for (const Product &product : products)
    Splitter(product, convolutions).run();
}

} // namespace tilewright
