// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Epilogue.h"

#include "../Loops/LoopGroup.h"
#include "../UnitDims.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/MatchWindows.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether a part of the iterations reads and writes a rectangle of what has
/// this map.
bool indexesByLoops(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr index) {
    return isa<AffineDimExpr>(index) || index == 0;
  });
}

bool readsTensorsInside(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(
      captured, [](Value value) { return isa<ShapedType>(value.getType()); });
}

/// What shares rows with its users is a row of theirs, not a tensor.
bool sharesRows(linalg::GenericOp op) {
  for (Operation *user : op->getUsers()) {
    auto consumer = dyn_cast<linalg::LinalgOp>(user);
    if (consumer && user->getBlock() == op->getBlock() &&
        canShareLoops(cast<linalg::LinalgOp>(op.getOperation()), consumer))
      return true;
  }
  return false;
}

Operation *multiplicationOf(Value product) {
  Operation *op = product.getDefiningOp();
  return op && isMultiplication(op) && product == op->getResult(0) ? op
                                                                   : nullptr;
}

/// Takes dimensions of size 1, which are indexed by 0, from the inputs.
void dropUnitDims(IRRewriter &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap &map = maps[input->getOperandNumber()];
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!type || map.isProjectedPermutation())
      continue;
    SmallVector<AffineExpr> kept;
    llvm::SmallBitVector dropped(type.getRank());
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (isa<AffineDimExpr>(index))
        kept.push_back(index);
      else
        dropped.set(dim);
    if (llvm::any_of(dropped.set_bits(),
                     [&](unsigned dim) { return type.getDimSize(dim) != 1; }))
      continue;
    map = AffineMap::get(map.getNumDims(), 0, kept, op.getContext());
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    input->set(withoutDims(b, input->get(), dropped));
  }
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

/// Collapses the loops of `op` as `expand`, of which it is the only user, has
/// taken apart the dimensions.
void collapse(linalg::GenericOp op, tensor::ExpandShapeOp expand) {
  std::optional<ProductLoops> loops = productLoopsOf(op, expand.getResult());
  if (!loops || sharesRows(op))
    return;
  SmallVector<ReassociationIndices> groups;
  for (ArrayRef<int64_t> dims : expand.getReassociationIndices()) {
    ReassociationIndices group;
    for (int64_t dim : dims)
      group.push_back((*loops)[dim]);
    if (group.size() > 1)
      groups.push_back(group);
  }
  IRRewriter rewriter(op);
  dropUnitDims(rewriter, op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Upstream's collapsing takes an index of 0 for a loop.
  if (!llvm::all_of(
          maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      !linalg::areDimSequencesPreserved(maps, groups))
    return;
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return;
  rewriter.replaceOp(op, collapsed->results);
  // What asks for the product's sizes would stand between it and the operation.
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  for (Operation *user : llvm::make_early_inc_range(expand->getUsers())) {
    if (isa<tensor::CollapseShapeOp>(user) &&
        user->getResult(0).getType() == expand.getSrcType()) {
      rewriter.replaceOp(user, expand.getSrc());
    } else if (auto dim = dyn_cast<tensor::DimOp>(user);
               dim && dim.getConstantIndex()) {
      rewriter.setInsertionPoint(dim);
      rewriter.replaceOp(
          dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(),
                                               sizes[*dim.getConstantIndex()]));
    }
  }
  if (expand->use_empty())
    rewriter.eraseOp(expand);
}

} // namespace

std::optional<ProductLoops> productLoopsOf(linalg::LinalgOp op, Value product) {
  if (op.getNumReductionLoops() || op.hasIndexSemantics() ||
      readsTensorsInside(op))
    return std::nullopt;
  std::optional<AffineMap> map;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    AffineMap own = op.getMatchingIndexingMap(&operand);
    if (!indexesByLoops(own))
      return std::nullopt;
    if (operand.get() != product)
      continue;
    if (!own.isPermutation() || (map && *map != own))
      return std::nullopt;
    map = own;
  }
  if (!map)
    return std::nullopt;
  ProductLoops loops;
  for (unsigned dim = 0; dim < map->getNumResults(); ++dim)
    loops.push_back(map->getDimPosition(dim));
  return loops;
}

bool isMultiplication(Operation *op) {
  if (isa<tw::MatmulOp, tw::UnsetEncodingOp>(op))
    return true;
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || !loops.hasPureTensorSemantics() ||
      !loops.getNumReductionLoops() ||
      tw::isEncoded(op->getResult(0).getType()))
    return false;
  if (std::optional<Contraction> contraction = matchContraction(loops))
    return contraction->types &&
           !llvm::is_contained(loops.getStaticLoopRanges(), 0);
  std::optional<WindowProduct> windows = matchWindows(loops);
  return windows && windows->types && !windows->isDepthwise();
}

Operation *multiplicationFor(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Operation *matmul = multiplicationOf(input->get());
    if (matmul && llvm::all_equal(input->get().getUsers()) &&
        *input->get().user_begin() == op &&
        matmul->getBlock() == op->getBlock() &&
        productLoopsOf(op, input->get()) && !sharesRows(op))
      return matmul;
  }
  return nullptr;
}

void collapseEpilogues(func::FuncOp func) {
  SmallVector<std::pair<linalg::GenericOp, tensor::ExpandShapeOp>> found;
  func.walk([&](tensor::ExpandShapeOp expand) {
    if (!multiplicationOf(expand.getSrc()) || !expand.getSrc().hasOneUse() ||
        !expand->hasOneUse())
      return;
    if (auto op = dyn_cast<linalg::GenericOp>(*expand->user_begin());
        op && op->getBlock() == expand->getBlock())
      found.push_back({op, expand});
  });
  llvm::SmallPtrSet<Operation *, 8> collapsed;
  for (auto [op, expand] : found)
    if (collapsed.insert(op).second)
      collapse(op, expand);
}

void writeOverProduct(linalg::GenericOp op, Value product) {
  AffineMap map;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == product)
      map = op.getMatchingIndexingMap(input);
  for (OpOperand &init : op.getDpsInitsMutable())
    if (init.get().getType() == product.getType() &&
        op.getMatchingIndexingMap(&init) == map &&
        !op.payloadUsesValueFromOperand(&init)) {
      init.set(product);
      return;
    }
}

} // namespace tilewright
