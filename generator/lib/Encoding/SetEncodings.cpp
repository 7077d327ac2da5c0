// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plain-contractions: contractions of merged loops, of each kind one at
// least. tw-set-encodings: these on encoded tensors.

#include "EncodeConvolution.h"
#include "Product.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLAINCONTRACTIONS
#define GEN_PASS_DEF_SETENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

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

  /// Whether `loop`, if it is here, has a dimension of size 1 beside another.
  bool isUnitBesideOther(unsigned loop) const {
    if (!llvm::is_contained(loops, loop))
      return true;
    auto type = cast<RankedTensorType>(value.getType());
    return dims.size() > 1 && llvm::all_of(dims[dimOf(loop)], [&](int64_t dim) {
             return type.getDimSize(dim) == 1;
           });
  }

  /// The dimension of `loop` becomes one with that before it, or behind it.
  void drop(unsigned loop) {
    if (!llvm::is_contained(loops, loop))
      return;
    int64_t dim = dimOf(loop);
    ReassociationIndices unit = dims[dim];
    loops.erase(loops.begin() + dim);
    dims.erase(dims.begin() + dim);
    if (dim)
      llvm::append_range(dims[dim - 1], unit);
    else
      dims[0].insert(dims[0].begin(), unit.begin(), unit.end());
  }
};

class ContractionEncoder {
public:
  ContractionEncoder(linalg::LinalgOp op, const Contraction &contraction)
      : op(op), loops(contraction), b(op.getLoc(), op),
        numLoops(op.getNumLoops()), extents(op.getStaticLoopRanges()) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    numbers = {loops.lhs, loops.rhs, unsigned(op.getNumDpsInputs())};
    if (loops.scales) {
      numbers.append({loops.scales->lhs, loops.scales->rhs});
      // It is a kind of its own: no other becomes one with it.
      llvm::erase(loops.k, loops.scales->block);
    }
    for (unsigned number : numbers) {
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

  /// A loop of one iteration is none where its kind has another: a tile goes
  /// over that, and lies as a matrix does.
  void dropUnitLoops() {
    for (SmallVector<unsigned> *kind : {&loops.m, &loops.n, &loops.k})
      for (size_t i = 0; i < kind->size() && kind->size() > 1;) {
        unsigned loop = (*kind)[i];
        if (!llvm::all_of(operands, [&](const Operand &operand) {
              return operand.isUnitBesideOther(loop);
            })) {
          ++i;
          continue;
        }
        kind->erase(kind->begin() + i);
        for (Operand &operand : operands)
          operand.drop(loop);
      }
  }

  /// What is absent counts as a loop of one iteration. Each is put before the
  /// operands' dimensions, in the result m before n.
  void addMissingLoops() {
    using tw::Operand;
    addIfMissing(loops.n, {Operand::Rhs, Operand::Out, Operand::RhsScales});
    addIfMissing(loops.m, {Operand::Lhs, Operand::Out, Operand::LhsScales});
    addIfMissing(loops.k, {Operand::Lhs, Operand::Rhs, Operand::LhsScales,
                           Operand::RhsScales});
  }

  /// On tensors as they lie.
  void rewrite() {
    Product product = reshapedProduct();
    replace(multiply(b, product));
  }

  /// On encoded ones.
  void encode() {
    Product product = reshapedProduct();
    replace(multiplyEncoded(b, product));
  }

private:
  Product reshapedProduct() {
    Value init = op.getDpsInits()[0];
    Value unwritten = unfilled(init);
    operands[unsigned(tw::Operand::Out)].value = unwritten ? unwritten : init;
    Product product{op, numbers, loops.types, {}, {}, {}, unwritten != nullptr};
    for (Operand &operand : operands) {
      operand.value = reshaped(operand);
      product.operands.push_back(operand.value);
    }
    for (unsigned loop = 0; loop < numLoops; ++loop)
      if (isLeft(loop))
        product.sizes.push_back(extents[loop]);
    for (const Operand &operand : operands) {
      SmallVector<AffineExpr> results;
      for (unsigned loop : operand.loops)
        results.push_back(b.getAffineDimExpr(numberOf(loop)));
      product.maps.push_back(
          AffineMap::get(product.sizes.size(), 0, results, b.getContext()));
    }
    return product;
  }

  void replace(Value result) {
    op->replaceAllUsesWith(ValueRange{shapedBack(result)});
    op->erase();
  }

  /// `indexed`, as far as they are there.
  void addIfMissing(SmallVector<unsigned> &kind,
                    std::initializer_list<tw::Operand> indexed) {
    if (!kind.empty())
      return;
    kind.push_back(numLoops++);
    extents.push_back(1);
    for (tw::Operand operand : indexed)
      if (unsigned(operand) < operands.size()) {
        SmallVector<unsigned> &loops = operands[unsigned(operand)].loops;
        loops.insert(loops.begin(), kind.back());
      }
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
      return reshapedEmpty(empty, operand);
    if (operand.isMerged())
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
  Value reshapedEmpty(tensor::EmptyOp empty, const Operand &operand) {
    SmallVector<OpFoldResult> sizes(operand.added(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> whole = empty.getMixedSizes();
    for (const ReassociationIndices &group : operand.dims) {
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
    const Operand &out = operands[unsigned(tw::Operand::Out)];
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

  linalg::LinalgOp op;
  Contraction loops;
  ImplicitLocOpBuilder b;
  unsigned numLoops;
  SmallVector<int64_t, 4> extents;
  SmallVector<unsigned> numbers;    ///< of the operands
  SmallVector<Operand, 3> operands; ///< lhs, rhs, out, scales of lhs and rhs
};

/// Of whatever dialect.
bool hasEncoding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding();
}

void remarkLoops(linalg::LinalgOp op, bool isMultiplication) {
  InFlightDiagnostic remark = op->emitRemark("lowered to plain loops: ");
  if (!isMultiplication) {
    remark << "not a matrix multiplication";
    return;
  }
  remark << "no tile function has these element types: ";
  llvm::interleaveComma(op->getOperandTypes(), remark, [&](Type type) {
    remark << getElementTypeOrSelf(type);
  });
}

/// Fewer rows of a lhs stay rows: as columns, they would fill little of a
/// panel.
constexpr int64_t kFewRows = 8;

/// Whether `op` is to multiply the other way round: what is packed before any
/// call, and shared by several contractions, is a rhs.
bool hasWeightsFirst(linalg::LinalgOp op, const Contraction &contraction) {
  auto isWeights = [&](unsigned number) {
    return isSameInAllCalls(withoutReshapes(op->getOperand(number)));
  };
  if (contraction.scales || !contraction.swappedTypes ||
      !isWeights(contraction.lhs) || isWeights(contraction.rhs))
    return false;
  int64_t rows = 1;
  for (unsigned loop : contraction.m) {
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(rows, extent, rows))
      return true;
  }
  return rows >= kFewRows;
}

/// Calls `rewrite` for each contraction of `func` that a tile may compute.
void forEachContraction(
    func::FuncOp func, llvm::function_ref<void(ContractionEncoder &)> rewrite) {
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    std::optional<Contraction> contraction = matchContraction(op);
    if (!contraction || !contraction->types) {
      if (std::string why = whyNotScaled(op); !why.empty())
        op->emitRemark("lowered to plain loops: ") << why;
      else if (linalg::isaContractionOpInterface(op) ||
               (contraction && contraction->scales))
        remarkLoops(op, contraction.has_value());
      continue;
    }
    if (hasWeightsFirst(op, *contraction))
      contraction->swapFactors();
    ContractionEncoder encoder(op, *contraction);
    if (encoder.isEmpty() || llvm::any_of(op->getOperandTypes(), hasEncoding))
      continue;
    encoder.mergeLoops();
    encoder.dropUnitLoops();
    encoder.addMissingLoops();
    rewrite(encoder);
  }
}

struct PlainContractionsPass
    : impl::PlainContractionsBase<PlainContractionsPass> {
  using PlainContractionsBase::PlainContractionsBase;

  void runOnOperation() override {
    forEachContraction(getOperation(),
                       [](ContractionEncoder &encoder) { encoder.rewrite(); });
  }
};

struct SetEncodingsPass : impl::SetEncodingsBase<SetEncodingsPass> {
  using SetEncodingsBase::SetEncodingsBase;

  void runOnOperation() override {
    if (convolutions || !convolutionLoopsBecause.empty())
      encodeConvolutions(getOperation(),
                         [this](Operation *op) { return whyLoops(op); });
    forEachContraction(getOperation(),
                       [](ContractionEncoder &encoder) { encoder.encode(); });
  }

  std::string whyLoops(Operation *op) {
    tw::DeviceAttr device = deviceOf(op);
    // One without data tiling was asked for.
    if (device && device.getTarget() == "none")
      return "";
    if (!isOnHost(op))
      return (device.getTarget() + " has no kernel that gathers windows").str();
    return convolutions ? "" : convolutionLoopsBecause.getValue();
  }
};

} // namespace
} // namespace tilewright
