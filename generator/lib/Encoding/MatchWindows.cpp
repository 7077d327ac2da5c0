// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/MatchWindows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/UnitDims.h"

using namespace mlir;

namespace tilewright {

namespace {

/// A group has a multiplication of its own. With fewer filters than this,
/// windows are packed for too few products, and loops over groups are quicker.
constexpr double kFewestFiltersOfGroup = 8;

/// What an extent that is not known counts as.
constexpr int64_t kUsualExtent = 64;

} // namespace

int64_t usualSize(int64_t size) {
  return ShapedType::isDynamic(size) ? kUsualExtent : size;
}

bool WindowProduct::isDepthwise() const {
  double filters = 1;
  for (unsigned loop : loopsOf(kN))
    filters *= double(usualSize(loops[loop].size));
  return filters < kFewestFiltersOfGroup &&
         llvm::any_of(
             loopsOf(kBatch),
             [&](unsigned loop) { return loops[loop].size != 1; });
}

bool WindowProduct::isContraction() const {
  return llvm::all_of(windowTerms, [](const WindowTerms &terms) {
    return terms.size() == 1 && terms[0].step == 1;
  });
}

SmallVector<unsigned> WindowLoops::loopsOf(Kind kind) const {
  SmallVector<unsigned> result;
  for (auto [number, loop] : llvm::enumerate(loops))
    if (loop.kind == kind)
      result.push_back(number);
  return result;
}

std::pair<unsigned, WindowTerm> WindowLoops::termOf(unsigned loop) const {
  for (auto [dim, terms] : llvm::enumerate(windowTerms))
    for (WindowTerm term : terms)
      if (term.loop == loop)
        return {dim, term};
  llvm_unreachable("asked of loops of batch, m and k");
}

SmallVector<AffineMap> WindowLoops::mapsOf(MLIRContext *context) const {
  auto mapOf = [&](ArrayRef<WindowTerms> indices) {
    SmallVector<AffineExpr> results;
    for (const WindowTerms &terms : indices) {
      AffineExpr sum = getAffineConstantExpr(0, context);
      for (WindowTerm term : terms)
        sum = sum + getAffineDimExpr(term.loop, context) * term.step;
      results.push_back(sum);
    }
    return AffineMap::get(loops.size(), 0, results, context);
  };
  auto plain = [](ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(
        dims, [](unsigned loop) { return WindowTerms{{loop, 1}}; });
  };
  return {mapOf(windowTerms), mapOf(plain(weightLoops)),
          mapOf(plain(outLoops))};
}

int64_t WindowProduct::windowSize(unsigned dim) const {
  return cast<RankedTensorType>(windows.getType()).getDimSize(dim);
}

namespace {

SmallVector<unsigned> loopsOfPermutation(AffineMap map) {
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    loops.push_back(map.getDimPosition(dim));
  return loops;
}

std::optional<WindowLoops::Kind> kindOf(unsigned loop, AffineMap windows,
                                        AffineMap weights, AffineMap out) {
  bool isInWindows = windows.isFunctionOfDim(loop),
       isInWeights = weights.isFunctionOfDim(loop),
       isInOut = out.isFunctionOfDim(loop);
  if (isInWindows && isInWeights)
    return isInOut ? WindowLoops::kBatch : WindowLoops::kK;
  if (isInOut && isInWindows != isInWeights)
    return isInWindows ? WindowLoops::kM : WindowLoops::kN;
  return std::nullopt;
}

/// `value` with dimension `dim` and the next as one.
Value withMerged(ImplicitLocOpBuilder &b, Value value, unsigned dim) {
  SmallVector<ReassociationIndices> groups;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    if (i == int64_t(dim) + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  return tensor::CollapseShapeOp::create(b, value, groups);
}

class LoopEraser {
public:
  explicit LoopEraser(WindowProduct &product) : product(product) {}

  /// No operand has the loop any more: those behind it move up.
  void erase(unsigned loop) {
    product.loops.erase(product.loops.begin() + loop);
    for (WindowTerms &terms : product.windowTerms)
      for (WindowTerm &term : terms)
        moveUp(term.loop, loop);
    for (SmallVector<unsigned> *loops :
         {&product.weightLoops, &product.outLoops})
      for (unsigned &each : *loops)
        moveUp(each, loop);
  }

private:
  static void moveUp(unsigned &loop, unsigned erased) { loop -= loop > erased; }

  WindowProduct &product;
};

bool isMergeable(const WindowProduct &product, unsigned outer, unsigned inner) {
  auto [outerDim, outerTerm] = product.termOf(outer);
  auto [innerDim, innerTerm] = product.termOf(inner);
  auto at = llvm::find(product.weightLoops, outer) + 1;
  // The inner one goes through all of its dimension.
  return outerTerm.step == 1 && innerTerm.step == 1 &&
         innerDim == outerDim + 1 &&
         product.windowTerms[innerDim].size() == 1 &&
         !ShapedType::isDynamic(product.windowSize(innerDim)) &&
         !ShapedType::isDynamic(product.loops[outer].size) &&
         at != product.weightLoops.end() && *at == inner;
}

} // namespace

std::optional<WindowLoops> WindowLoops::of(ArrayRef<AffineMap> maps,
                                           ArrayRef<int64_t> sizes) {
  std::optional<SmallVector<WindowTerms>> terms = windowTermsOf(maps[0]);
  if (!terms || !maps[1].isProjectedPermutation() ||
      !maps[2].isProjectedPermutation())
    return std::nullopt;
  WindowLoops result;
  result.windowTerms = std::move(*terms);
  result.weightLoops = loopsOfPermutation(maps[1]);
  result.outLoops = loopsOfPermutation(maps[2]);
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    auto kind = kindOf(loop, maps[0], maps[1], maps[2]);
    if (!kind)
      return std::nullopt;
    result.loops.push_back({*kind, size});
  }
  if (result.loopsOf(kN).empty() || result.loopsOf(kM).empty() ||
      result.loopsOf(kK).empty())
    return std::nullopt;
  return result;
}

std::optional<WindowProduct> matchWindows(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[0].isProjectedPermutation() == maps[1].isProjectedPermutation())
    return std::nullopt;
  bool weightsAreFirst = maps[0].isProjectedPermutation();
  unsigned windows = weightsAreFirst ? 1 : 0, weights = 1 - windows;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  std::optional<WindowLoops> loops =
      WindowLoops::of({maps[windows], maps[weights], maps[2]}, sizes);
  std::optional<std::array<std::string, 3>> names = matchProductElements(op);
  if (!loops || !names || llvm::is_contained(sizes, 0))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, iterator] : llvm::zip_equal(loops->loops, iterators))
    if ((loop.kind == WindowLoops::kK) !=
        (iterator == utils::IteratorType::reduction))
      return std::nullopt;
  auto &[first, second, out] = *names;
  if (first.empty() || second.empty() || out.empty())
    return std::nullopt;
  WindowProduct product(std::move(*loops));
  product.weightsAreFirst = weightsAreFirst;
  product.types = findTypeTriple(weightsAreFirst ? second + first + out
                                                 : first + second + out);
  product.windows = op->getOperand(windows);
  product.weights = op->getOperand(weights);
  return product;
}

void dropUnitWindows(WindowProduct &product, ImplicitLocOpBuilder &b) {
  llvm::SmallBitVector dims(product.weightLoops.size());
  SmallVector<unsigned> dropped;
  for (unsigned loop : product.loopsOf(WindowProduct::kK)) {
    WindowTerms &terms = product.windowTerms[product.termOf(loop).first];
    if (product.loops[loop].size != 1 || terms.size() == 1)
      continue;
    llvm::erase_if(terms, [&](WindowTerm term) { return term.loop == loop; });
    dims.set(llvm::find(product.weightLoops, loop) -
             product.weightLoops.begin());
    dropped.push_back(loop);
  }
  if (dropped.empty())
    return;
  product.weights = withoutDims(b, product.weights, dims);
  for (unsigned loop : llvm::reverse(dropped)) {
    llvm::erase(product.weightLoops, loop);
    LoopEraser(product).erase(loop);
  }
}

void mergeWindowLoops(WindowProduct &product, ImplicitLocOpBuilder &b) {
  SmallVector<unsigned> columns = product.loopsOf(WindowProduct::kK);
  for (unsigned outer : columns)
    for (unsigned inner : columns) {
      if (outer == inner || !isMergeable(product, outer, inner))
        continue;
      unsigned dim = product.termOf(outer).first;
      int64_t size = product.windowSize(dim + 1);
      for (WindowTerm &term : product.windowTerms[dim])
        if (term.loop != outer)
          term.step *= size;
      product.windowTerms.erase(product.windowTerms.begin() + dim + 1);
      product.windows = withMerged(b, product.windows, dim);
      product.weights = withMerged(b, product.weights,
                                   llvm::find(product.weightLoops, outer) -
                                       product.weightLoops.begin());
      llvm::erase(product.weightLoops, inner);
      product.loops[outer].size *= size;
      LoopEraser(product).erase(inner);
      return mergeWindowLoops(product, b);
    }
}

} // namespace tilewright
