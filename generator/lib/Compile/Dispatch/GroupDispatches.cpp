// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-group-dispatches: regions of what becomes one dispatch.

#include "DispatchGroups.h"
#include "Epilogue.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_GROUPDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The region of `group`, where its last operation is.
void formRegion(ArrayRef<Operation *> group) {
  Operation *last = group.back();
  SmallVector<Value> results;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (op == last || llvm::any_of(result.getUsers(), [&](Operation *user) {
            return llvm::none_of(group, [&](Operation *member) {
              return member->isAncestor(user);
            });
          }))
        results.push_back(result);
  OpBuilder b(last);
  auto region = tw::DispatchRegionOp::create(b, last->getLoc(),
                                             ValueRange(results).getTypes());
  placeLike(region, last);
  Block &body = region.getBody().emplaceBlock();
  for (Operation *op : group)
    op->moveBefore(&body, body.end());
  b.setInsertionPointToEnd(&body);
  tw::YieldOp::create(b, last->getLoc(), results);
  for (auto [inside, outside] : llvm::zip_equal(results, region.getResults()))
    inside.replaceUsesWithIf(outside, [&](OpOperand &use) {
      return use.getOwner()->getParentOp() != region &&
             !region->isProperAncestor(use.getOwner());
    });
}

struct GroupDispatchesPass : impl::GroupDispatchesBase<GroupDispatchesPass> {
  using GroupDispatchesBase::GroupDispatchesBase;

  void runOnOperation() override {
    resolveSizes(getOperation());
    DispatchGroups groups;
    groups.giveEachItsOwn(getOperation());
    collapseEpilogues(getOperation());
    for (Block *block : DispatchGroups::blocksOf(getOperation()))
      for (ArrayRef<Operation *> group : groups.groupsOf(*block))
        formRegion(group);
  }
};

} // namespace
} // namespace tilewright
