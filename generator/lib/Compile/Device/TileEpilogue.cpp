// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileEpilogue.h"

#include "../Dispatch/Epilogue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/MatchContraction.h"

using namespace mlir;

namespace tilewright {
namespace {

/// On an epilogue: its loops through the batch, M and N, an ArrayAttr of three
/// DenseI64ArrayAttr.
constexpr llvm::StringLiteral kLoopsAttr = "tw.epilogue_loops";

struct Match {
  linalg::GenericOp contraction;
  TileEpilogueLoops loops;
};

/// Of the dimensions of what is expanded again and again, those that each is in
/// the end.
SmallVector<SmallVector<int64_t>>
dimsBehind(int64_t rank, ArrayRef<tensor::ExpandShapeOp> expands) {
  SmallVector<SmallVector<int64_t>> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back({dim});
  for (tensor::ExpandShapeOp expand : expands) {
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    for (SmallVector<int64_t> &of : dims) {
      SmallVector<int64_t> finer;
      for (int64_t dim : of)
        llvm::append_range(finer, groups[dim]);
      of = std::move(finer);
    }
  }
  return dims;
}

/// What unsets the product of a contraction that nothing else reads, whose
/// dimensions are those loops, the last fastest.
std::optional<Match> match(tw::UnsetEncodingOp unset,
                           ArrayRef<SmallVector<unsigned>> loopsOf) {
  auto contraction = unset.getSource().getDefiningOp<linalg::GenericOp>();
  if (!contraction || !unset.getSource().hasOneUse() ||
      contraction->getBlock() != unset->getBlock())
    return std::nullopt;
  std::optional<Contraction> kinds = matchContraction(contraction);
  AffineMap out = contraction.getIndexingMapsArray().back();
  if (!kinds || kinds->m.size() != 1 || kinds->n.size() != 1 ||
      !out.isProjectedPermutation())
    return std::nullopt;
  Match found{contraction, {}};
  auto add = [&](ArrayRef<unsigned> kind, SmallVector<unsigned> &to) {
    for (auto [index, loops] : llvm::zip_equal(out.getResults(), loopsOf))
      if (llvm::is_contained(kind, cast<AffineDimExpr>(index).getPosition()))
        llvm::append_range(to, loops);
  };
  add(kinds->batch, found.loops.batch);
  add(kinds->m, found.loops.m);
  add(kinds->n, found.loops.n);
  return found;
}

std::optional<Match> match(linalg::LinalgOp op, Value operand) {
  std::optional<ProductLoops> loops = productLoopsOf(op, operand);
  SmallVector<tensor::ExpandShapeOp> expands;
  Value product = operand;
  while (auto expand = product.getDefiningOp<tensor::ExpandShapeOp>()) {
    if (!product.hasOneUse())
      return std::nullopt;
    expands.insert(expands.begin(), expand);
    product = expand.getSrc();
  }
  auto unset = product.getDefiningOp<tw::UnsetEncodingOp>();
  if (!loops || !unset || !product.hasOneUse() ||
      unset->getBlock() != op->getBlock())
    return std::nullopt;
  SmallVector<SmallVector<unsigned>> loopsOf;
  for (ArrayRef<int64_t> dims :
       dimsBehind(cast<RankedTensorType>(product.getType()).getRank(), expands))
    loopsOf.push_back(
        llvm::map_to_vector(dims, [&](int64_t dim) { return (*loops)[dim]; }));
  return match(unset, loopsOf);
}

std::optional<Match> match(Operation *op) {
  if (auto unset = dyn_cast<tw::UnsetEncodingOp>(op)) {
    SmallVector<SmallVector<unsigned>> loopsOf;
    for (int64_t dim = 0; dim < unset.getResult().getType().getRank(); ++dim)
      loopsOf.push_back({unsigned(dim)});
    return match(unset, loopsOf);
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || op->getNumResults() != 1 ||
      !linalgOp.hasPureTensorSemantics() ||
      llvm::any_of(op->getOperandTypes(), tw::isEncoded))
    return std::nullopt;
  // The last product that it needs: the others are there by then.
  std::optional<Match> last;
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (std::optional<Match> found = match(linalgOp, input->get()))
      if (!last || last->contraction->isBeforeInBlock(found->contraction))
        last = std::move(found);
  return last;
}

/// Whether `value`, in the body of an operation, depends on no loop but these.
bool isOfLoops(Value value, ArrayRef<unsigned> loops) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *parent = value.getParentBlock()->getParentOp();
    return !isa<linalg::LinalgOp>(parent) &&
           !parent->getParentOfType<linalg::LinalgOp>();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return llvm::is_contained(loops, index.getDim());
  return isPure(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isOfLoops(operand, loops); });
}

} // namespace

linalg::GenericOp contractionFor(Operation *op) {
  std::optional<Match> found = match(op);
  return found ? found->contraction : nullptr;
}

bool isPackedAsRow(Operation *op) {
  SmallVector<Value> values{op->getResult(0)};
  bool isPacked = false;
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
        values.push_back(user->getResult(0));
        continue;
      }
      auto set = dyn_cast<tw::SetEncodingOp>(user);
      if (!set ||
          llvm::count_if(
              cast<RankedTensorType>(set.getSource().getType()).getShape(),
              [](int64_t size) { return size != 1; }) > 1)
        return false;
      isPacked = true;
    }
  return isPacked;
}

void markTileEpilogue(Operation *op) {
  TileEpilogueLoops loops = match(op)->loops;
  Builder b(op->getContext());
  auto array = [&](ArrayRef<unsigned> of) -> Attribute {
    return b.getDenseI64ArrayAttr(SmallVector<int64_t>(of));
  };
  op->setAttr(kLoopsAttr, b.getArrayAttr({array(loops.batch), array(loops.m),
                                          array(loops.n)}));
}

std::optional<TileEpilogueLoops> tileEpilogueLoops(Operation *op) {
  auto attr = op->getAttrOfType<ArrayAttr>(kLoopsAttr);
  if (!attr)
    return std::nullopt;
  auto loops = [&](unsigned kind) {
    return SmallVector<unsigned>(
        cast<DenseI64ArrayAttr>(attr[kind]).asArrayRef());
  };
  return TileEpilogueLoops{loops(0), loops(1), loops(2)};
}

bool readsOwnTiles(Operation *op, Value product) {
  std::optional<TileEpilogueLoops> loops = tileEpilogueLoops(op);
  bool isRead = false;
  for (Operation *user : product.getUsers()) {
    if (!op->isAncestor(user))
      continue;
    SmallVector<Value> at;
    if (auto extract = dyn_cast<tensor::ExtractOp>(user))
      at.append(extract.getIndices().begin(), extract.getIndices().end());
    else if (auto load = dyn_cast<memref::LoadOp>(user))
      at.append(load.getIndices().begin(), load.getIndices().end());
    if (at.size() != loops->batch.size() + 4)
      return false;
    for (auto [index, loop] : llvm::zip(at, loops->batch))
      if (!isOfLoops(index, loop) || !(matchPattern(index, m_Constant()) ||
                                       index.getDefiningOp<linalg::IndexOp>()))
        return false;
    for (auto [dim, index] : llvm::enumerate(ArrayRef(at).take_back(4)))
      if (!isOfLoops(index, dim % 2 ? loops->n : loops->m))
        return false;
    isRead = true;
  }
  return isRead;
}

} // namespace tilewright
