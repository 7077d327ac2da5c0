// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-matmuls: packed multiplications whose packs are only theirs, as
// multiplications of matrices where they lie.

#include "Dispatch/Tasks.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/MatmulWorkspace.h"
#include "tilewright/Encoding/PackChain.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Planning/ScalablePlan.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/contraction.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMMATMULS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Which loop indexes each dimension of the matrix that `pack` packs (unpack
/// writes), given the loops of the packed form's outer dimensions.
template <typename Op>
SmallVector<unsigned> loopsOfMatrix(Op pack, AffineMap outer) {
  SmallVector<unsigned> loops(outer.getNumResults());
  ArrayRef<int64_t> perm = pack.getOuterDimsPerm();
  for (unsigned dim = 0; dim < loops.size(); ++dim)
    loops[perm.empty() ? dim : perm[dim]] = outer.getDimPosition(dim);
  return loops;
}

/// Whether the two tiled dimensions are those that the last two outer loops of
/// the kinds index: `rows`, then `columns`.
template <typename Op>
bool tiles(Op pack, ArrayRef<unsigned> loops, unsigned rows, unsigned columns) {
  ArrayRef<int64_t> inner = pack.getInnerDimsPos();
  return inner.size() == 2 && loops[inner[0]] == rows &&
         loops[inner[1]] == columns;
}

bool padsWithZeros(linalg::PackOp pack) {
  Value padding = pack.getPaddingValue();
  return !padding || matchPattern(padding, m_Zero()) ||
         matchPattern(padding, m_PosZeroFloat());
}

class MatmulFormer {
public:
  explicit MatmulFormer(tw::Mmt4dOp op)
      : op(op), b(op.getLoc(), op),
        maps(llvm::to_vector(
            op.getIndexingMaps().getAsValueRange<AffineMapAttr>())) {}

  /// Leaves everything as it is where the form does not fit.
  void form() {
    tw::Mmt4dOp::Dims dims = op.getDims();
    if (dims.k != 1 || dims.n != 1 || !findLoops() || !findOut() || !findLhs())
      return;
    findRhs(/*isReusedWhole=*/dims.m == 1);
    TileKey key = op.getKey();
    std::optional<int64_t> workspace = matmulWorkspace(
        key, sizes(), rhsPacked, /*outTransposed=*/outLoops.back() == m);
    if (!workspace)
      return;
    create(*workspace * threadsOf(op));
  }

private:
  /// The loops of the matrices: those that are tiled.
  bool findLoops() {
    m = maps[2].getDimPosition(maps[2].getNumResults() - 2);
    n = maps[2].getDimPosition(maps[2].getNumResults() - 1);
    k = maps[0].getDimPosition(maps[0].getNumResults() - 1);
    return maps[0].getDimPosition(maps[0].getNumResults() - 2) == m &&
           maps[1].getDimPosition(maps[1].getNumResults() - 2) == n;
  }

  bool findOut() {
    if (!op->hasOneUse())
      return false;
    unpack = dyn_cast<linalg::UnPackOp>(*op->user_begin());
    if (!unpack || unpack->getBlock() != op->getBlock())
      return false;
    outLoops = loopsOfMatrix(unpack, maps[2]);
    if (!tiles(unpack, outLoops, m, n) || !isInnermost(outLoops, m, n))
      return false;
    out = unpack.getDest();
    if (op.getOverwrite())
      return true;
    // What it goes on from is packed as the result is unpacked.
    auto pack = op.getOut().getDefiningOp<linalg::PackOp>();
    if (!pack || pack.getOuterDimsPerm() != unpack.getOuterDimsPerm() ||
        pack.getInnerDimsPos() != unpack.getInnerDimsPos() ||
        pack.getSourceType() != unpack.getDestType())
      return false;
    out = pack.getSource();
    return true;
  }

  bool findLhs() {
    auto pack = op.getLhs().getDefiningOp<linalg::PackOp>();
    if (!pack || !padsWithZeros(pack))
      return false;
    lhsLoops = loopsOfMatrix(pack, maps[0]);
    lhs = pack.getSource();
    return tiles(pack, lhsLoops, m, k) && isInnermost(lhsLoops, m, k);
  }

  /// A rhs that more multiplications go through than one is packed once.
  void findRhs(bool isReusedWhole) {
    rhs = op.getRhs();
    rhsPacked = true;
    rhsLoops = loopsOfMap(maps[1]);
    TileKey key = op.getKey();
    std::optional<PackChain> chain = PackChain::endingIn(rhs);
    if (!chain || chain->group != (key.vnni ? tw::groupAlongK(key) : 0) ||
        !padsWithZeros(chain->pack))
      return;
    linalg::PackOp pack = chain->pack;
    // What is not packed here, for it depends on the length of vectors, is by
    // the first call.
    bool isKept =
        key.isScalable() && matchPattern(pack.getSource(), m_Constant());
    if (!isReusedWhole && !isKept)
      return;
    SmallVector<unsigned> loops = loopsOfMatrix(pack, maps[1]);
    if (!tiles(pack, loops, n, k) || !isInnermost(loops, n, k))
      return;
    rhs = pack.getSource();
    rhsLoops = std::move(loops);
    rhsPacked = false;
    rhsKept = isKept;
  }

  static bool isInnermost(ArrayRef<unsigned> loops, unsigned x, unsigned y) {
    return loops.back() == x || loops.back() == y;
  }

  static SmallVector<unsigned> loopsOfMap(AffineMap map) {
    SmallVector<unsigned> loops;
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      loops.push_back(map.getDimPosition(dim));
    return loops;
  }

  MatmulSizes sizes() {
    auto sizeOf = [](Value matrix, ArrayRef<unsigned> loops, unsigned loop) {
      int64_t size = cast<RankedTensorType>(matrix.getType())
                         .getDimSize(llvm::find(loops, loop) - loops.begin());
      return ShapedType::isDynamic(size) ? -1 : size;
    };
    return {sizeOf(out, outLoops, m), sizeOf(out, outLoops, n),
            sizeOf(lhs, lhsLoops, k)};
  }

  /// Packing serves too few rows to pay, where there is something better.
  bool mayBeThin() {
    TileKey key = op.getKey();
    const TypeTripleInfo &types = info(key.types);
    return sizes().m <= TW_CONTRACTION_THIN_ROWS &&
           std::min(info(types.lhs).bits, info(types.rhs).bits) >= 8 &&
           !thinFunction(key.isa).empty();
  }

  /// Tiles of fewer rows, where only the call knows how many there are.
  SmallVector<int64_t> fewRows() {
    SmallVector<int64_t> few;
    if (!(rhsPacked || rhsKept) || sizes().m >= 0)
      return few;
    TileKey key = op.getKey();
    for (int64_t rows : {1, 4}) {
      std::optional<TileKey> fewer = tw::MatmulOp::keyOfFew(key, rows);
      // Instead of outer products, whose rows are scalable, NEON would be slow.
      if (fewer && (!key.m0Scalable ||
                    whyIdiomUnfit(ScalableIdiom::SmeOuter, *fewer).empty()))
        few.push_back(rows);
    }
    return few;
  }

  /// The loops of the matrices become the last.
  AffineMap mapOf(ArrayRef<unsigned> loops) {
    unsigned count = maps[0].getNumDims(), next = 0;
    SmallVector<unsigned> renamed(count);
    for (unsigned loop = 0; loop < count; ++loop)
      if (loop != m && loop != n && loop != k)
        renamed[loop] = next++;
    for (unsigned loop : {m, n, k})
      renamed[loop] = next++;
    SmallVector<AffineExpr> results;
    for (unsigned loop : loops)
      results.push_back(b.getAffineDimExpr(renamed[loop]));
    return AffineMap::get(count, 0, results, b.getContext());
  }

  void create(int64_t workspaceBytes) {
    b.setInsertionPoint(unpack);
    Value workspace = tensor::EmptyOp::create(
        b, ArrayRef<int64_t>{workspaceBytes}, b.getI8Type());
    auto matmul = tw::MatmulOp::create(
        b, TypeRange{out.getType(), workspace.getType()}, lhs, rhs, out,
        workspace, op.getTile(),
        b.getAffineMapArrayAttr(
            {mapOf(lhsLoops), mapOf(rhsLoops), mapOf(outLoops)}),
        op.getOverwrite(), rhsPacked,
        /*thin=*/!rhsPacked && !rhsKept && mayBeThin(),
        /*m_loops=*/1, /*k_loops=*/1, /*k_size=*/nullptr);
    matmul.setRhsKept(rhsKept);
    matmul.setFewRows(fewRows());
    placeLike(matmul, op);
    unpack.getResult().replaceAllUsesWith(matmul.getResult(0));
    unpack.erase();
    op.erase();
  }

  tw::Mmt4dOp op;
  ImplicitLocOpBuilder b;
  SmallVector<AffineMap> maps;
  unsigned m = 0, n = 0, k = 0;
  linalg::UnPackOp unpack;
  Value lhs, rhs, out;
  SmallVector<unsigned> lhsLoops, rhsLoops, outLoops;
  bool rhsPacked = false, rhsKept = false;
};

struct FormMatmulsPass : impl::FormMatmulsBase<FormMatmulsPass> {
  void runOnOperation() override {
    SmallVector<tw::Mmt4dOp> ops;
    getOperation().walk([&](tw::Mmt4dOp op) {
      if (isOnHost(op))
        ops.push_back(op);
    });
    for (tw::Mmt4dOp op : ops)
      MatmulFormer(op).form();
    WalkResult walk = getOperation().walk(
        [](tw::MatmulOp op) { return WalkResult(verifyKept(op)); });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  /// Kept panels are found by where the rhs is: nothing else may ever be there.
  static LogicalResult verifyKept(tw::MatmulOp op) {
    if (!op.getRhsKept() ||
        matchPattern(withoutReshapes(op.getRhs()), m_Constant()))
      return success();
    return op.emitOpError()
           << "keeps panels of a rhs that is no constant; expected one that is "
              "where it is as long as the program runs";
  }
};

} // namespace
} // namespace tilewright
