// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-convolutions: multiplications by windows of a tensor where they lie.

#include "DeviceTargets.h"
#include "Dispatch/Tasks.h"
#include "MatchWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/MatmulWorkspace.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/ChooseTile.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/contraction.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMCONVOLUTIONS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What packing a run of columns costs before its first element, in elements.
constexpr double kRunCost = 16;
/// An element of columns and rows of which neither lie side by side, in those
/// of a run.
constexpr double kGatherCost = 4;

/// Negative where it is not known, as tiles and workspaces have it.
int64_t plain(int64_t size) { return ShapedType::isDynamic(size) ? -1 : size; }

/// Which loops are those of the matrices: see tw.matmul.
struct MatrixLoops {
  SmallVector<unsigned> outer, m, k;
  unsigned n = 0;

  SmallVector<unsigned> all() const {
    SmallVector<unsigned> loops(outer);
    loops.append(m);
    loops.push_back(n);
    loops.append(k);
    return loops;
  }
};

class LoopChooser {
public:
  explicit LoopChooser(const WindowProduct &product) : product(product) {}

  /// None, and `whyNot`, if out's innermost dimension is of neither m nor n, if
  /// there are more loops of k than a call takes, or if the size of none is
  /// known where it has to be.
  std::optional<MatrixLoops> choose(std::string &whyNot) {
    if (!chooseOut()) {
      whyNot = "groups as the innermost dimension of its result";
      return std::nullopt;
    }
    if (!chooseColumns(whyNot))
      return std::nullopt;
    for (unsigned loop = 0; loop < product.loops.size(); ++loop)
      if (loop != loops.n && !llvm::is_contained(loops.m, loop) &&
          !llvm::is_contained(loops.k, loop))
        loops.outer.push_back(loop);
    return loops;
  }

  /// In tiles of `k0` columns the last loop of k may be another.
  void chooseLastColumn(MatrixLoops &chosen, int64_t k0) {
    loops = chosen;
    auto best = llvm::min_element(loops.k, [&](unsigned x, unsigned y) {
      return columnCost(x, k0) < columnCost(y, k0);
    });
    std::rotate(best, best + 1, loops.k.end());
    chosen.k = loops.k;
  }

private:
  WindowProduct::Kind kindOf(unsigned loop) { return product.loops[loop].kind; }

  bool chooseOut() {
    ArrayRef<unsigned> out = product.outLoops;
    // Runs of m, of which one is the matrix's rows.
    SmallVector<SmallVector<unsigned>> runs;
    for (auto [dim, loop] : llvm::enumerate(out)) {
      if (kindOf(loop) != WindowProduct::kM)
        continue;
      if (dim == 0 || kindOf(out[dim - 1]) != WindowProduct::kM)
        runs.emplace_back();
      runs.back().push_back(loop);
    }
    WindowProduct::Kind innermost = kindOf(out.back());
    if (innermost != WindowProduct::kM && innermost != WindowProduct::kN)
      return false;
    loops.n = *llvm::find_if(llvm::reverse(out), [&](unsigned loop) {
      return kindOf(loop) == WindowProduct::kN;
    });
    loops.m = runs.back();
    if (innermost == WindowProduct::kN)
      loops.m = *llvm::max_element(runs, [&](const auto &x, const auto &y) {
        return rowsOf(x) < rowsOf(y);
      });
    if (loops.m.size() > TW_GATHER_LOOPS)
      loops.m.erase(loops.m.begin(), loops.m.end() - TW_GATHER_LOOPS);
    return true;
  }

  double rowsOf(ArrayRef<unsigned> run) {
    double rows = 1;
    for (unsigned loop : run)
      rows *= double(usualSize(product.loops[loop].size));
    return rows;
  }

  /// In the order in which the tensor has them.
  bool chooseColumns(std::string &whyNot) {
    for (const WindowTerms &terms : product.windowTerms)
      for (WindowTerm term : terms)
        if (kindOf(term.loop) == WindowProduct::kK)
          loops.k.push_back(term.loop);
    if (loops.k.size() > TW_GATHER_LOOPS)
      whyNot = "windows of " + std::to_string(loops.k.size()) +
               " loops, where " + std::to_string(TW_GATHER_LOOPS) + " can be";
    else if (llvm::none_of(loops.k,
                           [&](unsigned loop) { return mayBeLast(loop); }))
      whyNot = "windows without channels of which only the call knows the size";
    return whyNot.empty();
  }

  /// How many elements the last loop has is either to be seen in the tensor or
  /// known.
  bool mayBeLast(unsigned loop) {
    return product.windowTerms[product.termOf(loop).first].size() == 1 ||
           !ShapedType::isDynamic(product.loops[loop].size);
  }

  bool isSideBySide(unsigned loop) {
    auto [dim, term] = product.termOf(loop);
    return dim + 1 == product.windowTerms.size() && term.step == 1;
  }

  /// Of an element.
  double columnCost(unsigned loop, int64_t k0) {
    if (!mayBeLast(loop))
      return HUGE_VAL;
    int64_t size = usualSize(product.loops[loop].size);
    double padded = double(llvm::alignTo(size, k0)) / double(size);
    bool isMatrix = isSideBySide(loop) || isSideBySide(loops.m.back());
    return padded * (isMatrix ? 1 : kGatherCost) + kRunCost / double(size);
  }

  const WindowProduct &product;
  MatrixLoops loops;
};

class ConvolutionFormer {
public:
  ConvolutionFormer(linalg::LinalgOp op, WindowProduct &product)
      : op(op), product(product), b(op.getLoc(), op) {}

  /// Leaves the operation as it is where the form does not fit.
  void form(const TargetCpu &cpu, StringRef prefix) {
    if (!product.types)
      return remarkThatIs("of element types that no tile function has");
    if (product.isDepthwise())
      return;
    dropUnitWindows(product, b);
    if (product.isContraction())
      return contract();
    mergeWindowLoops(product, b);
    LoopChooser chooser(product);
    std::string whyNot;
    std::optional<MatrixLoops> chosen = chooser.choose(whyNot);
    if (!chosen)
      return remarkThatIs("with " + whyNot);
    loops = std::move(*chosen);
    // Weights are packed here.
    TileKey tile =
        chooseTile(*product.types, sizeOf(loops.m), sizeOf({loops.n}), cpu);
    key = tile.atVectorBits(cpu.vectorBitsOf(info(tile.isa)));
    chooser.chooseLastColumn(loops, key.k0);
    std::optional<int64_t> workspace =
        matmulWorkspace(key, {sizeOf(loops.m), sizeOf({loops.n}), columns()},
                        /*rhsPacked=*/true,
                        /*outTransposed=*/product.outLoops.back() != loops.n);
    if (workspace)
      multiply(*workspace * threadsOf(op), printTileKey(tile, prefix.str()));
  }

private:
  void remarkThatIs(const Twine &what) {
    op->emitRemark() << "lowered to plain loops: a convolution " << what;
  }

  int64_t sizeOf(ArrayRef<unsigned> kind) {
    int64_t size = 1;
    for (unsigned loop : kind)
      if (size < 0 || ShapedType::isDynamic(product.loops[loop].size) ||
          llvm::MulOverflow(size, product.loops[loop].size, size))
        return -1;
    return size;
  }

  /// K, with what fills up the last loop's steps.
  int64_t columns() {
    int64_t outer = sizeOf(ArrayRef(loops.k).drop_back()),
            last = plain(product.loops[loops.k.back()].size);
    return outer < 0 || last < 0 ? -1
                                 : outer * int64_t(llvm::alignTo(last, key.k0));
  }

  AffineMap mapOf(ArrayRef<unsigned> indices, ArrayRef<unsigned> order) {
    SmallVector<WindowTerms> terms;
    for (unsigned loop : indices)
      terms.push_back({{loop, 1}});
    return mapOf(terms, order);
  }

  /// With the loops in this order.
  AffineMap mapOf(ArrayRef<WindowTerms> indices, ArrayRef<unsigned> order) {
    SmallVector<AffineExpr> results;
    for (const WindowTerms &terms : indices) {
      AffineExpr sum = b.getAffineConstantExpr(0);
      for (WindowTerm term : terms)
        sum = sum +
              b.getAffineDimExpr(llvm::find(order, term.loop) - order.begin()) *
                  term.step;
      results.push_back(sum);
    }
    return AffineMap::get(order.size(), 0, results, b.getContext());
  }

  /// The operation without the loops of windows that have one element.
  void contract() {
    auto order = llvm::to_vector(llvm::seq<unsigned>(product.loops.size()));
    SmallVector<Value> inputs = {product.windows, product.weights};
    SmallVector<AffineMap> maps = {mapOf(product.windowTerms, order),
                                   mapOf(product.weightLoops, order),
                                   mapOf(product.outLoops, order)};
    if (product.weightsAreFirst) {
      std::swap(inputs[0], inputs[1]);
      std::swap(maps[0], maps[1]);
    }
    SmallVector<utils::IteratorType> iterators;
    for (const WindowProduct::Loop &loop : product.loops)
      iterators.push_back(loop.kind == WindowProduct::kK
                              ? utils::IteratorType::reduction
                              : utils::IteratorType::parallel);
    auto contraction = linalg::GenericOp::create(
        b, op->getResultTypes(), inputs, op.getDpsInits(), maps, iterators);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&contraction.getRegion(), mapping);
    op->replaceAllUsesWith(contraction);
    op->erase();
  }

  void multiply(int64_t workspaceBytes, StringRef tile) {
    Value init = op.getDpsInits()[0];
    Value unwritten = unfilled(init), out = unwritten ? unwritten : init;
    SmallVector<unsigned> order = loops.all(), panelLoops;
    for (unsigned loop : loops.outer)
      if (llvm::is_contained(product.weightLoops, loop))
        panelLoops.push_back(loop);
    panelLoops.push_back(loops.n);
    panelLoops.append(loops.k);
    Value panels = packWeights(panelLoops);
    Value workspace = tensor::EmptyOp::create(
        b, ArrayRef<int64_t>{workspaceBytes}, b.getI8Type());
    unsigned last = loops.k.back();
    bool isSeen = product.windowTerms[product.termOf(last).first] ==
                  WindowTerms{{last, 1}};
    auto matmul = tw::MatmulOp::create(
        b, TypeRange{out.getType(), workspace.getType()}, product.windows,
        panels, out, workspace, tile,
        b.getAffineMapArrayAttr({mapOf(product.windowTerms, order),
                                 mapOf(panelLoops, order),
                                 mapOf(product.outLoops, order)}),
        /*overwrite=*/unwritten != nullptr, /*rhs_packed=*/true,
        /*thin=*/false, loops.m.size(), loops.k.size(),
        isSeen ? nullptr : b.getI64IntegerAttr(product.loops[last].size));
    placeLike(matmul, op);
    op->replaceAllUsesWith(ValueRange{matmul.getResult(0)});
    op->erase();
  }

  Value packWeights(ArrayRef<unsigned> panelLoops) {
    SmallVector<int64_t> perm, inner;
    auto dimOf = [&](unsigned loop) {
      return llvm::find(product.weightLoops, loop) -
             product.weightLoops.begin();
    };
    for (unsigned loop : panelLoops)
      perm.push_back(dimOf(loop));
    inner = {dimOf(loops.n), dimOf(loops.k.back())};
    SmallVector<OpFoldResult> tiles = {b.getIndexAttr(key.n0),
                                       b.getIndexAttr(key.k0)};
    auto panels = packWithZeros(b, product.weights, perm, inner, tiles);
    placeLike(panels, op);
    return panels.getResult();
  }

  linalg::LinalgOp op;
  WindowProduct &product;
  ImplicitLocOpBuilder b;
  MatrixLoops loops;
  TileKey key; ///< the tile's, where vectors have the length that is known
};

struct FormConvolutionsPass : impl::FormConvolutionsBase<FormConvolutionsPass> {
  using FormConvolutionsBase::FormConvolutionsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<WindowProduct> product = matchWindows(op))
        ConvolutionFormer(op, *product).form(targets.of(op), prefix);
  }

  DeviceTargets targets;
};

} // namespace
} // namespace tilewright
