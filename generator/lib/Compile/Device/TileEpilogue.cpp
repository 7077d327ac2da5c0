// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileEpilogue.h"

#include "../Dispatch/Epilogue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilewright {
namespace {

/// On an epilogue: its loops through the batch, M and N, or the dimensions of
/// what it packs; and how many rows and columns it fills up with zeros at most,
/// of which those of a tile are a multiple. An ArrayAttr of four
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

/// Of an operation that is packed alone: the dimensions of what is packed.
std::optional<Match> match(tw::SetEncodingOp set);

std::optional<Match> match(Operation *op) {
  if (auto set = dyn_cast<tw::SetEncodingOp>(op))
    return match(set);
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

std::optional<Match> match(tw::SetEncodingOp set) {
  Operation *maker = set.getSource().getDefiningOp();
  if (!maker || !set.getSource().hasOneUse() ||
      maker->getBlock() != set->getBlock() || isa<tw::SetEncodingOp>(maker) ||
      isPackedAsRow(maker))
    return std::nullopt;
  std::optional<Match> found = match(maker);
  // What is filled up with zeros is a dimension, not a part of one.
  if (!found || found->loops.m.size() != 1 || found->loops.n.size() != 1)
    return std::nullopt;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(maker);
  if (!linalgOp)
    return found;
  AffineMap out =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  if (!out.isPermutation())
    return std::nullopt;
  for (SmallVector<unsigned> *loops :
       {&found->loops.batch, &found->loops.m, &found->loops.n})
    for (unsigned &loop : *loops)
      loop =
          *out.getResultPosition(getAffineDimExpr(loop, linalgOp.getContext()));
  return found;
}

/// Whether `value`, in the body of an operation, depends on its loops by
/// arithmetic alone; adds them to `loops`.
bool addLoops(Value value, llvm::SmallSet<unsigned, 4> &loops) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto body = dyn_cast<linalg::LinalgOp>(parent))
      return body.isScalar(body.getMatchingOpOperand(argument));
    return !parent->getParentOfType<linalg::LinalgOp>();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    loops.insert(index.getDim());
    return true;
  }
  return isPure(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return addLoops(operand, loops); });
}

/// Whether `indices`, one after the other, are found by loops of `allowed` that
/// come one after the other.
bool areFoundInOrder(ArrayRef<Value> indices, ArrayRef<unsigned> allowed) {
  for (Value index : indices) {
    llvm::SmallSet<unsigned, 4> loops;
    if (!addLoops(index, loops))
      return false;
    size_t used = 0;
    for (auto [place, loop] : llvm::enumerate(allowed))
      if (loops.erase(loop))
        used = place + 1;
    if (!loops.empty())
      return false;
    allowed = allowed.drop_front(used);
  }
  return true;
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

void setTileEpilogueLoops(Operation *op, const TileEpilogueLoops &loops) {
  Builder b(op->getContext());
  auto array = [&](ArrayRef<unsigned> of) -> Attribute {
    return b.getDenseI64ArrayAttr(SmallVector<int64_t>(of));
  };
  op->setAttr(
      kLoopsAttr,
      b.getArrayAttr({array(loops.batch), array(loops.m), array(loops.n),
                      b.getDenseI64ArrayAttr(loops.filledUp)}));
}

void markTileEpilogue(Operation *op) {
  setTileEpilogueLoops(op, match(op)->loops);
}

std::optional<TileEpilogueLoops> tileEpilogueLoops(Operation *op) {
  auto attr = op->getAttrOfType<ArrayAttr>(kLoopsAttr);
  if (!attr || attr.size() != 4 ||
      !llvm::all_of(attr, llvm::IsaPred<DenseI64ArrayAttr>) ||
      cast<DenseI64ArrayAttr>(attr[3]).size() != 2)
    return std::nullopt;
  auto numbers = [&](unsigned kind) {
    return cast<DenseI64ArrayAttr>(attr[kind]).asArrayRef();
  };
  auto loops = [&](unsigned kind) {
    return SmallVector<unsigned>(numbers(kind));
  };
  TileEpilogueLoops result{
      loops(0), loops(1), loops(2), {numbers(3)[0], numbers(3)[1]}};
  // Each loop of an operation that has some, once.
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<unsigned> all(result.batch);
    llvm::append_range(all, result.m);
    llvm::append_range(all, result.n);
    llvm::sort(all);
    if (!llvm::equal(all, llvm::seq<unsigned>(0, linalgOp.getNumLoops())))
      return std::nullopt;
  }
  return result;
}

bool readsOwnTiles(Operation *op, Value product) {
  std::optional<TileEpilogueLoops> loops = tileEpilogueLoops(op);
  ArrayRef<int64_t> tile =
      cast<ShapedType>(product.getType()).getShape().take_back(2);
  for (auto [size, filledUp] : llvm::zip_equal(tile, loops->filledUp))
    if (size % filledUp != 0)
      return false;
  bool isRead = false;
  for (Operation *user : product.getUsers()) {
    if (!op->isAncestor(user))
      continue;
    SmallVector<Value> at;
    if (auto extract = dyn_cast<tensor::ExtractOp>(user))
      at.append(extract.getIndices().begin(), extract.getIndices().end());
    else if (auto load = dyn_cast<memref::LoadOp>(user))
      at.append(load.getIndices().begin(), load.getIndices().end());
    if (at.size() < 4 ||
        !areFoundInOrder(ArrayRef(at).drop_back(4), loops->batch))
      return false;
    // M1, N1, M0, N0
    for (auto [dim, index] : llvm::enumerate(ArrayRef(at).take_back(4)))
      if (!areFoundInOrder(index, dim % 2 ? loops->n : loops->m))
        return false;
    isRead = true;
  }
  return isRead;
}

} // namespace tilewright
