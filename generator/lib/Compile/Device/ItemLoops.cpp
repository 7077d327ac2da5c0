// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ItemLoops.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright {

bool ItemLoops::Access::isOfItems() const {
  if (!map || !map.isProjectedPermutation())
    return false;
  SmallVector<utils::IteratorType> kinds =
      linalg::LinalgOp(op).getIteratorTypesArray();
  return map.getNumResults() ==
             llvm::count(kinds, utils::IteratorType::parallel) &&
         llvm::all_of(map.getResults(), [&](AffineExpr index) {
           return kinds[cast<AffineDimExpr>(index).getPosition()] ==
                  utils::IteratorType::parallel;
         });
}

SmallVector<ItemLoops::Access> ItemLoops::accessesOf(linalg::LinalgOp op) {
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    accesses.push_back({op, operand.get(), map,
                        isInit && isa<MemRefType>(operand.get().getType())});
    if (isInit && op->getNumResults())
      accesses.push_back(
          {op, op.getTiedOpResult(&operand), map, /*writes=*/true});
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    accesses.push_back({op, value, AffineMap(), /*writes=*/false});
  return accesses;
}

bool ItemLoops::add(linalg::LinalgOp op) {
  SmallVector<std::optional<unsigned>> found(op.getNumLoops());
  bool isRelated = empty();
  if (empty()) {
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    for (auto [dim, loop] : llvm::enumerate(parallel))
      found[loop] = dim;
  }
  SmallVector<Access> own = accessesOf(op);
  for (const Access &access : own) {
    for (const Access &other : own)
      if (&access != &other && access.conflicts(other) &&
          (access.map != other.map || !access.isOfItems()))
        return false;
    for (const Access &other : accesses) {
      if (!access.conflicts(other))
        continue;
      if (!access.isOfItems() || !other.isOfItems())
        return false;
      isRelated = true;
      ArrayRef<std::optional<unsigned>> known = dimsOf(other.op);
      for (unsigned i = 0; i < access.map.getNumResults(); ++i) {
        std::optional<unsigned> &dim = found[access.map.getDimPosition(i)];
        std::optional<unsigned> of = known[other.map.getDimPosition(i)];
        if (dim && dim != of)
          return false;
        dim = of;
      }
    }
  }
  if (!isRelated)
    return false;
  dims[op] = std::move(found);
  llvm::append_range(accesses, own);
  return true;
}

} // namespace tilewright
