// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferLifetimes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using llvm::createStringError;

namespace tilewright {
namespace {

/// Whether the operation's regions run one after the other, on one thread.
bool isSequential(Operation *op) {
  return isa<func::FuncOp, scf::ForOp, scf::WhileOp, scf::IfOp,
             scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
}

/// Only looks at what is known of the buffer, not at its elements.
bool readsNoElement(Operation *user) {
  return isa<memref::DimOp>(user) || isa<ViewLikeOpInterface>(user);
}

/// Where the buffer could go that nobody follows it to.
bool losesTrack(Operation *user) {
  return isa<func::ReturnOp, memref::ExtractAlignedPointerAsIndexOp>(user) ||
         llvm::any_of(user->getResultTypes(),
                      [](Type type) { return isa<TensorType>(type); });
}

} // namespace

BufferLifetimes::BufferLifetimes(func::FuncOp func) : views(func) {
  number(func.getBody(), 0);
}

int64_t BufferLifetimes::number(Region &region, int64_t now) {
  for (Operation &op : region.getOps()) {
    int64_t begin = now++;
    for (Region &inner : op.getRegions())
      now = number(inner, now);
    moments[&op] = {begin, now - 1};
  }
  return now;
}

llvm::Expected<Lifetime> BufferLifetimes::of(memref::AllocOp alloc) const {
  // The block that sees all of the buffer's life.
  Block *home = alloc->getBlock();
  BufferViewFlowAnalysis::ValueSetT aliases = views.resolve(alloc.getResult());
  for (Value alias : aliases)
    while (home && !home->getParent()->isAncestor(alias.getParentRegion()))
      home = home->getParentOp()->getBlock();
  for (Operation *op = alloc->getParentOp(); op; op = op->getParentOp()) {
    if (!isSequential(op))
      return createStringError("it is made inside of '" +
                               op->getName().getStringRef() +
                               "', which may run more than one at a time");
    if (isa<func::FuncOp>(op))
      break;
  }
  for (Block *block = alloc->getBlock(); block != home;
       block = block->getParentOp()->getBlock())
    if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
            block->getParentOp()))
      return createStringError("an iteration of a loop leaves it to the next");

  if (!llvm::hasSingleElement(*home->getParent()))
    return createStringError("it is used in several basic blocks");

  Lifetime lifetime{std::numeric_limits<int64_t>::max(), -1};
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers()) {
      if (losesTrack(user))
        return createStringError("'" + user->getName().getStringRef() +
                                 "' lets it out of the function");
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()) && !aliases.contains(result))
          return createStringError("'" + user->getName().getStringRef() +
                                   "' makes another buffer of it");
      if (readsNoElement(user))
        continue;
      Moments used = moments.find(home->findAncestorOpInBlock(*user))->second;
      lifetime.first = std::min(lifetime.first, used.begin);
      lifetime.last = std::max(lifetime.last, used.end);
    }
  // What nothing uses is in use at no moment.
  if (lifetime.last < 0)
    lifetime.first = 0;
  return lifetime;
}

} // namespace tilewright
