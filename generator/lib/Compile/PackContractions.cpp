// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-pack-contractions: which tile, and packing for it.

#include "MatchContraction.h"
#include "PackOperand.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/ChooseDeviceTile.h"
#include "tilewright/Compile/ChooseTile.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PACKCONTRACTIONS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// How much of `extent` tiles of `size` compute, for each part that is wanted.
/// An extent that is not known is taken for one and a half tiles.
double paddedRatio(int64_t extent, int64_t size) {
  if (extent < 0)
    return size == 1 ? 1 : 4.0 / 3;
  return double(llvm::alignTo(extent, size)) / extent;
}

/// What a row of a product costs in tiles of `size` rows: padding, and its part
/// of the loads of the other operand's panel, which are about a row more.
double costPerRow(int64_t extent, int64_t size) {
  return paddedRatio(extent, size) * (size + 1) / size;
}

/// An operand of a contraction, and the loops that index its dimensions.
struct Operand {
  Value value;
  SmallVector<unsigned> loops;

  /// The dimensions of the tensor that each goes over, but those that were
  /// added in front, which have none.
  SmallVector<ReassociationIndices> dims;

  int64_t dimOf(unsigned loop) const {
    return llvm::find(loops, loop) - loops.begin();
  }

  /// Whether `next` follows `loop`, or neither is here.
  bool areNeighbours(unsigned loop, unsigned next) const {
    auto at = llvm::find(loops, loop);
    if (at == loops.end())
      return !llvm::is_contained(loops, next);
    return ++at != loops.end() && *at == next;
  }

  bool isMerged() const {
    return llvm::any_of(dims, [](auto &group) { return group.size() > 1; });
  }

  int64_t added() const { return loops.size() - dims.size(); }

  void merge(unsigned loop, unsigned next) {
    if (!llvm::is_contained(loops, next))
      return;
    int64_t dim = dimOf(next);
    loops.erase(loops.begin() + dim);
    llvm::append_range(dims[dimOf(loop)], dims[dim]);
    dims.erase(dims.begin() + dim);
  }
};

/// Where the dimensions of an operand lie when it is packed, and in which
/// tiles.
struct Layout {
  SmallVector<int64_t> outerPerm, innerDims;
  SmallVector<OpFoldResult> tiles;
  AffineMap map; ///< of the outer dimensions

  bool isIdentity() const { return isIdentityPermutation(outerPerm); }
  /// As operations have it, which leave the identity out.
  ArrayRef<int64_t> perm() const {
    return isIdentity() ? ArrayRef<int64_t>() : ArrayRef(outerPerm);
  }
};

class ContractionPacker {
public:
  ContractionPacker(linalg::LinalgOp op, const Contraction &contraction)
      : op(op), loops(contraction), b(op.getLoc(), op),
        place(op->getAttr(kDeviceAttr)), numLoops(op.getNumLoops()),
        extents(op.getStaticLoopRanges()) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned number : {loops.lhs, loops.rhs, 2u}) {
      Operand operand{op->getOperand(number), {}, {}};
      for (unsigned dim = 0; dim < maps[number].getNumResults(); ++dim) {
        operand.loops.push_back(maps[number].getDimPosition(dim));
        operand.dims.push_back({dim});
      }
      operands.push_back(operand);
    }
  }

  /// Whether there is something to multiply. If not, loops do nothing, at no
  /// cost.
  bool isEmpty() { return llvm::is_contained(extents, 0); }

  /// Loops of a kind that lie next to each other, in the same order, in all
  /// operands that they index are one: `abk,kn->abn` is a product of matrices.
  void mergeLoops() {
    for (SmallVector<unsigned> *kind :
         {&loops.batch, &loops.m, &loops.n, &loops.k})
      for (size_t i = 0; i + 1 < kind->size();) {
        unsigned loop = (*kind)[i], next = (*kind)[i + 1];
        if (!llvm::all_of(operands, [&](const Operand &operand) {
              return operand.areNeighbours(loop, next);
            })) {
          ++i;
          continue;
        }
        kind->erase(kind->begin() + i + 1);
        extents[loop] = ShapedType::isDynamic(extents[loop]) ||
                                ShapedType::isDynamic(extents[next])
                            ? ShapedType::kDynamic
                            : extents[loop] * extents[next];
        for (Operand &operand : operands)
          operand.merge(loop, next);
      }
  }

  /// What is absent counts as a loop of one iteration. Each is put before the
  /// operands' dimensions, in the result m before n.
  void addMissingLoops() {
    addIfMissing(loops.n, {1, 2});
    addIfMissing(loops.m, {0, 2});
    addIfMissing(loops.k, {0, 1});
  }

  /// The tile, and which loop of each kind it tiles: these become the last of
  /// their kind.
  TileKey choose(llvm::function_ref<TileKey(int64_t m, int64_t n)> tileFor) {
    std::optional<TileKey> best;
    double least = 0;
    unsigned tiledM = 0, tiledN = 0;
    // Of what costs the same, what lies innermost.
    for (unsigned m : llvm::reverse(loops.m))
      for (unsigned n : llvm::reverse(loops.n)) {
        TileKey key = tileFor(extent(m), extent(n));
        double cost =
            costPerRow(extent(m), key.m0) * costPerRow(extent(n), key.n0);
        if (best && cost >= least)
          continue;
        best = key;
        least = cost;
        tiledM = m;
        tiledN = n;
      }
    unsigned tiledK = loops.k.back();
    for (unsigned k : llvm::reverse(loops.k))
      if (paddedRatio(extent(k), best->k0) <
          paddedRatio(extent(tiledK), best->k0))
        tiledK = k;
    makeLast(loops.m, tiledM);
    makeLast(loops.n, tiledN);
    makeLast(loops.k, tiledK);
    return *best;
  }

  void pack(const TileKey &key, StringRef tile) {
    Value init = op.getDpsInits()[0];
    Value unwritten = unfilled(init);
    operands[2].value = unwritten ? unwritten : init;
    for (Operand &operand : operands)
      operand.value = reshaped(operand);
    Layout layouts[] = {
        layoutOf(operands[0], loops.m, loops.k, key.m0, key.k0),
        layoutOf(operands[1], loops.n, loops.k, key.n0, key.k0),
        layoutOf(operands[2], loops.m, loops.n, key.m0, key.n0)};
    Value lhs = pack(operands[0].value, layouts[0]);
    Value rhs = pack(operands[1].value, layouts[1]);
    // The tile writes its zeros itself; the out operand needs only be there.
    Value out = unwritten ? destination(operands[2].value, layouts[2])
                          : pack(operands[2].value, layouts[2]);
    auto product = tw::Mmt4dOp::create(
        b, out.getType(), lhs, rhs, out, tile,
        b.getAffineMapArrayAttr(
            {layouts[0].map, layouts[1].map, layouts[2].map}),
        /*overwrite=*/unwritten != nullptr);
    auto result = linalg::UnPackOp::create(
        b, product.getResult(), operands[2].value, layouts[2].innerDims,
        layouts[2].tiles, layouts[2].perm());
    setPlace(product);
    setPlace(result);
    op->replaceAllUsesWith(ValueRange{shapedBack(result.getResult())});
    op->erase();
  }

private:
  int64_t extent(unsigned loop) {
    return ShapedType::isDynamic(extents[loop]) ? -1 : extents[loop];
  }

  void addIfMissing(SmallVector<unsigned> &kind, std::array<int, 2> indexed) {
    if (!kind.empty())
      return;
    kind.push_back(numLoops++);
    extents.push_back(1);
    for (int operand : indexed)
      operands[operand].loops.insert(operands[operand].loops.begin(),
                                     kind.back());
  }

  static void makeLast(SmallVector<unsigned> &kind, unsigned loop) {
    llvm::erase(kind, loop);
    kind.push_back(loop);
  }

  /// What the operation did together, its parts do: on the same side.
  void setPlace(Operation *part) {
    if (place)
      part->setAttr(kDeviceAttr, place);
  }

  /// Groups `dims` dimensions such that the first has `added` more.
  static SmallVector<ReassociationIndices> leadingUnits(int64_t dims,
                                                        int64_t added) {
    SmallVector<ReassociationIndices> groups(dims);
    if (dims)
      llvm::append_range(groups[0], llvm::seq<int64_t>(0, added));
    for (auto [dim, group] : llvm::enumerate(groups))
      group.push_back(added + dim);
    return groups;
  }

  /// The operand with a dimension for each of its loops: those that were added
  /// are first.
  Value reshaped(const Operand &operand) {
    Value merged = operand.value;
    if (auto empty = merged.getDefiningOp<tensor::EmptyOp>())
      merged = mergedEmpty(empty, operand.dims);
    else if (operand.isMerged())
      merged = tensor::CollapseShapeOp::create(b, merged, operand.dims);
    if (!operand.added())
      return merged;
    auto type = cast<RankedTensorType>(merged.getType());
    SmallVector<int64_t> shape(operand.added(), 1);
    llvm::append_range(shape, type.getShape());
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, type.getElementType()), merged,
        leadingUnits(type.getRank(), operand.added()));
  }

  /// A destination is made as it is written: results of calls are written in
  /// place where they are nothing but such.
  Value mergedEmpty(tensor::EmptyOp empty,
                    ArrayRef<ReassociationIndices> dims) {
    SmallVector<OpFoldResult> sizes, whole = empty.getMixedSizes();
    for (const ReassociationIndices &group : dims) {
      AffineExpr product = b.getAffineConstantExpr(1);
      SmallVector<OpFoldResult> factors;
      for (int64_t dim : group) {
        product = product * b.getAffineSymbolExpr(factors.size());
        factors.push_back(whole[dim]);
      }
      sizes.push_back(affine::makeComposedFoldedAffineApply(b, b.getLoc(),
                                                            product, factors));
    }
    return tensor::EmptyOp::create(b, sizes, empty.getType().getElementType());
  }

  /// `result`, of the shape that `reshaped` gives out, as the operation has it.
  Value shapedBack(Value result) {
    const Operand &out = operands[2];
    int64_t rank = out.dims.size();
    if (out.added())
      result = tensor::CollapseShapeOp::create(b, result,
                                               leadingUnits(rank, out.added()));
    if (!out.isMerged())
      return result;
    Value init = op.getDpsInits()[0];
    return tensor::ExpandShapeOp::create(
        b, init.getType(), result, out.dims,
        tensor::getMixedSizes(b, b.getLoc(), init));
  }

  /// Loops that were merged into others have no number any more.
  bool isLeft(unsigned loop) const {
    return llvm::any_of(operands, [&](const Operand &operand) {
      return llvm::is_contained(operand.loops, loop);
    });
  }
  unsigned numberOf(unsigned loop) const {
    return llvm::count_if(llvm::seq(loop),
                          [&](unsigned before) { return isLeft(before); });
  }
  unsigned loopsLeft() const { return numberOf(numLoops); }

  Layout layoutOf(const Operand &operand, ArrayRef<unsigned> rows,
                  ArrayRef<unsigned> columns, int64_t rowTile,
                  int64_t columnTile) {
    Layout layout;
    SmallVector<AffineExpr> results;
    for (ArrayRef<unsigned> kind : {ArrayRef(loops.batch), rows, columns})
      for (unsigned loop : kind) {
        layout.outerPerm.push_back(operand.dimOf(loop));
        results.push_back(b.getAffineDimExpr(numberOf(loop)));
      }
    layout.innerDims = {operand.dimOf(rows.back()),
                        operand.dimOf(columns.back())};
    layout.tiles = {b.getIndexAttr(rowTile), b.getIndexAttr(columnTile)};
    layout.map = AffineMap::get(loopsLeft(), 0, results, b.getContext());
    return layout;
  }

  Value destination(Value source, const Layout &layout) {
    return linalg::PackOp::createDestinationTensor(
        b, b.getLoc(), source, layout.tiles, layout.innerDims, layout.perm());
  }

  Value pack(Value source, const Layout &layout) {
    auto result = packWithZeros(b, source, layout.outerPerm, layout.innerDims,
                                layout.tiles);
    setPlace(result);
    return result.getResult();
  }

  linalg::LinalgOp op;
  Contraction loops;
  ImplicitLocOpBuilder b;
  Attribute place;
  unsigned numLoops;
  SmallVector<int64_t, 4> extents;
  SmallVector<Operand, 3> operands; ///< lhs, rhs, out
};

struct PackContractionsPass : impl::PackContractionsBase<PackContractionsPass> {
  using PackContractionsBase::PackContractionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto parse = [&](StringRef text, TargetCpu &result) -> LogicalResult {
      llvm::Expected<TargetCpu> parsed = parseTargetCpu(text);
      if (!parsed)
        return emitError(UnknownLoc::get(context),
                         llvm::toString(parsed.takeError()));
      result = std::move(*parsed);
      return success();
    };
    if (failed(parse(target, cpu)))
      return failure();
    if (device.empty())
      return success();
    return parse(device, gpu.emplace());
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      pack(op);
  }

  void pack(linalg::LinalgOp op) {
    std::optional<Contraction> contraction = matchContraction(op);
    if (!contraction || !contraction->types) {
      if (linalg::isaContractionOpInterface(op))
        op->emitRemark() << "lowered to plain loops: "
                         << (contraction
                                 ? "no tile function has these element types"
                                 : "not a matrix multiplication");
      return;
    }
    ContractionPacker packer(op, *contraction);
    if (packer.isEmpty())
      return;
    bool isForDevice = gpu && !isOnHost(op);
    if (!isForDevice)
      packer.mergeLoops();
    packer.addMissingLoops();
    TileKey key = packer.choose([&](int64_t m, int64_t n) {
      return isForDevice ? chooseDeviceTile(*contraction->types, m, n, *gpu)
                         : chooseTile(*contraction->types, m, n, cpu);
    });
    packer.pack(key, printTileKey(key, prefix));
  }

  TargetCpu cpu;
  std::optional<TargetCpu> gpu;
};

} // namespace
} // namespace tilewright
