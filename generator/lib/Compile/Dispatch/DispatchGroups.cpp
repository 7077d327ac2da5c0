// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchGroups.h"

#include "../Device/ReadChains.h"
#include "../Device/TileEpilogue.h"
#include "Epilogue.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/PackOperand.h"

using namespace mlir;

namespace tilewright {
namespace {

/// More in one function would only make it long.
constexpr size_t kMostInGroup = 32;

/// A contraction on encoded tensors, not a sum of its results.
bool isEncodedContraction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.getNumReductionLoops())
    return false;
  auto encoding = dyn_cast_or_null<tw::EncodingAttr>(
      tw::encodingAttrOf(generic->getOperand(0).getType()));
  return encoding && encoding.getOperand() != tw::Operand::Out;
}

/// Whether all of what is packed is known now: then it is packed now, or when
/// an instance is made.
bool packsConstant(tw::SetEncodingOp op) {
  return isSameInAllCalls(withoutReshapes(op.getSource()));
}

} // namespace

Place DispatchGroups::placeOf(Operation *op) const {
  return !isOnHost(op) &&
                 isa<func::FuncOp, tw::DispatchRegionOp>(op->getParentOp())
             ? Place::Device
             : Place::Host;
}

void DispatchGroups::giveEachItsOwn(func::FuncOp func) {
  SmallVector<Operation *> shared;
  func.walk([&](Operation *op) {
    if (isa<linalg::FillOp, tw::SetEncodingOp>(op))
      shared.push_back(op);
  });
  for (Operation *op : shared) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      if (!op->hasOneUse() && (beginsWithFill(use) || packsFor(use)))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      OpBuilder builder(use->getOwner());
      Operation *copy = builder.clone(*op);
      if (unsigned region = regionOf.lookup(op))
        regionOf[copy] = region;
      use->set(copy->getResult(0));
    }
    if (op->use_empty()) {
      regionOf.erase(op);
      op->erase();
    }
  }
}

/// Whether `op` is of a region, and the epilogue of a tile in another one reads
/// it, reshaped or not: that it is not done there was decided, and the epilogue
/// is made.
bool DispatchGroups::isReadByOtherEpilogue(Operation *op) const {
  unsigned region = regionOf.lookup(op);
  SmallVector<Operation *> made = {op};
  while (region && !made.empty())
    for (Operation *user : made.pop_back_val()->getUsers()) {
      user = op->getBlock()->findAncestorOpInBlock(*user);
      if (!user)
        continue;
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        made.push_back(user);
      else if (tileEpilogueLoops(user) && regionOf.lookup(user) != region)
        return true;
    }
  return false;
}

/// Whether the user of a fill's result may do the fill. The kernel of a tile
/// does nothing else, and a work-item fills what it goes on from itself; what
/// begins with encoded zeros says so.
bool DispatchGroups::beginsWithFill(OpOperand &use) const {
  Operation *user = use.getOwner();
  auto fill = use.get().getDefiningOp<linalg::FillOp>();
  if (!fill || !isDispatchable(user) ||
      !cast<DestinationStyleOpInterface>(user).isDpsInit(&use))
    return false;
  Place place = placeOf(user);
  if (place != placeOf(fill) || place == Place::Host ||
      isEncodedContraction(user))
    return place == placeOf(fill);
  ItemLoops items;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
  return linalgOp && items.add(linalgOp) &&
         items.add(cast<linalg::LinalgOp>(fill.getOperation()));
}

/// Whether `use` is of an operand of a contraction of the host that is packed
/// while it is multiplied.
bool DispatchGroups::packsFor(OpOperand &use) const {
  auto set = use.get().getDefiningOp<tw::SetEncodingOp>();
  Operation *user = use.getOwner();
  return set && isEncodedContraction(user) && placeOf(user) == Place::Host &&
         placeOf(set) == Place::Host && !packsConstant(set);
}

/// Whether the only user of `op` does it.
bool DispatchGroups::isOfOther(Operation *op) const {
  if (!isa<linalg::FillOp, tw::SetEncodingOp>(op) || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  return (beginsWithFill(use) || packsFor(use)) &&
         use.getOwner()->getBlock() == op->getBlock() &&
         areOfOneRegion(op, use.getOwner());
}

SmallVector<Block *> DispatchGroups::blocksOf(func::FuncOp func) {
  SmallVector<Block *> blocks;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isDispatchable(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  return blocks;
}

SmallVector<SmallVector<Operation *>> DispatchGroups::groupsOf(Block &block) {
  auto isOnDevice = [&](Operation *op) { return placeOf(op) == Place::Device; };
  // What a single reader would compute anyway is its own, but for what it only
  // reshapes then.
  llvm::DenseSet<Operation *> epilogues;
  ReadChains alone(block, isOnDevice, [](Operation *) { return false; });
  for (Operation &op : block)
    if (isOnDevice(&op) &&
        (tileEpilogueLoops(&op) ||
         ((alone.readersOf(&op) != 1 || isPackedAsRow(&op)) &&
          (isa<linalg::LinalgOp>(op) || !alone.isPartOfReaders(&op)) &&
          tileEpilogueOf(&op))))
      epilogues.insert(&op);
  auto isApart = [&](Operation *op) { return epilogues.contains(op); };
  auto isKept = [&](Operation *op) {
    return !epilogues.empty() && isOnDevice(op) && isReadByOtherEpilogue(op);
  };
  copySharedChains(block, isOnDevice, isApart, isKept);
  ReadChains chains(block, isOnDevice, isApart, isKept);
  std::vector<Group> groups;
  llvm::DenseMap<Operation *, size_t> groupOf;
  for (Operation &op : block) {
    if (isOfOther(&op) || chains.isPartOfReaders(&op))
      continue;
    SmallVector<Operation *> chain = chains.chainOf(&op);
    llvm::SmallSetVector<size_t, 4> used;
    auto addUsed = [&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto found = groupOf.find(operand.getDefiningOp());
            found != groupOf.end())
          used.insert(found->second);
    };
    // What is done for it reads what it reads then.
    for (Value operand : op.getOperands())
      if (Operation *own = operand.getDefiningOp(); own && isOfOther(own))
        addUsed(own);
    op.walk(addUsed);
    for (Operation *part : chain)
      part->walk(addUsed);
    Group group;
    auto set = dyn_cast<tw::SetEncodingOp>(op);
    bool isDispatched = isDispatchable(&op) && !(set && packsConstant(set)),
         isJoined = false;
    for (size_t i : llvm::reverse(used)) {
      if (isDispatched && !isJoined && groups[i].mayGrow &&
          areTogether(&op, groups[i].ops.back()) &&
          areOfOneRegion(&op, groups[i].ops.back())) {
        group = groups[i];
        isJoined = (chain.empty() && join(&op, group)) ||
                   addTileEpilogue(&op, chain, group);
        if (isJoined)
          groups[i].ops.clear();
      }
      groups[i].mayGrow = false;
    }
    if (!isDispatched)
      continue;
    if (!isJoined) {
      group = Group();
      group.place = placeOf(&op);
      group.mayGrow = add(&op, group) || isEncodedContraction(&op) ||
                      isMultiplication(&op) || isa<tw::Mmt4dOp>(op);
      group.ops = std::move(chain);
      group.ops.append(unitOf(&op));
    }
    for (Operation *member : group.ops)
      groupOf[member] = groups.size();
    groups.push_back(std::move(group));
  }
  SmallVector<SmallVector<Operation *>> result;
  for (Group &group : groups)
    if (!group.ops.empty())
      result.push_back(std::move(group.ops));
  return result;
}

/// The operation behind the fills that it starts from, and what is packed for
/// it.
SmallVector<Operation *> DispatchGroups::unitOf(Operation *root) const {
  SmallVector<Operation *> unit;
  for (Value operand : root->getOperands())
    if (Operation *own = operand.getDefiningOp(); own && isOfOther(own))
      unit.push_back(own);
  unit.push_back(root);
  return unit;
}

bool DispatchGroups::join(Operation *root, Group &group) const {
  return add(root, group) || addUnpack(root, group) || addEpilogue(root, group);
}

/// Whether all of the group and `root` go through the same loops: then what
/// lies between them is a row, or an element, not a tensor.
bool DispatchGroups::add(Operation *root, Group &group) const {
  SmallVector<Operation *> unit = unitOf(root);
  bool isOnDevice = group.place == Place::Device;
  bool hasLoops =
      isOnDevice ? !group.items.empty() : !group.loops.getMembers().empty();
  if (group.ops.size() + unit.size() > kMostInGroup ||
      hasLoops != !group.ops.empty() || placeOf(root) != group.place ||
      isEncodedContraction(root) || (!isOnDevice && isMultiplication(root)))
    return false;
  // What an operation writes over would be needed before and after.
  for (Operation *op : unit)
    for (Value init : cast<DestinationStyleOpInterface>(op).getDpsInits())
      if (group.defines(init))
        return false;
  // As tw-vectorize-loops does: a fill is related to the others through what
  // it is for.
  for (Operation *op : llvm::reverse(unit)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp ||
        !(isOnDevice ? group.items.add(linalgOp) : group.loops.add(linalgOp)))
      return false;
  }
  group.ops.append(unit);
  return isOnDevice || group.ops.size() == unit.size() ||
         group.loops.hasLanes();
}

/// Whether `root` unpacks what the group, a contraction of the host, has just
/// computed. A kernel of a tile does nothing else.
bool DispatchGroups::addUnpack(Operation *root, Group &group) const {
  auto unset = dyn_cast<tw::UnsetEncodingOp>(root);
  if (!unset || group.place == Place::Device || placeOf(root) != group.place ||
      !isEncodedContraction(group.ops.back()) ||
      !group.defines(unset.getSource()))
    return false;
  group.ops.push_back(root);
  return true;
}

/// Whether `root` is done with what the group, a multiplication, has just
/// computed.
bool DispatchGroups::addEpilogue(Operation *root, Group &group) const {
  auto generic = dyn_cast<linalg::GenericOp>(root);
  Operation *last = group.ops.back();
  if (!generic || group.place == Place::Device ||
      placeOf(root) != Place::Host || multiplicationFor(generic) != last ||
      unitOf(root).size() > 1)
    return false;
  group.ops.push_back(root);
  group.mayGrow = false;
  writeOverProduct(generic, last->getResult(0));
  return true;
}

/// The contraction, on the same device, whose kernel may do `op`.
Operation *DispatchGroups::tileEpilogueOf(Operation *op) const {
  linalg::GenericOp contraction = contractionFor(op);
  return contraction && placeOf(contraction) == Place::Device &&
                 placeOf(op) == Place::Device && areTogether(op, contraction) &&
                 unitOf(op).size() == 1
             ? contraction
             : nullptr;
}

/// Whether the workgroups of the group's tile do `root`, too, with what `chain`
/// computes where it reads. On packed tensors it is a mark of before that says
/// so.
bool DispatchGroups::addTileEpilogue(Operation *root,
                                     ArrayRef<Operation *> chain,
                                     Group &group) const {
  Operation *tile = group.ops.back();
  if (group.place != Place::Device)
    return false;
  if (isa<tw::Mmt4dOp>(tile)) {
    if (!tileEpilogueLoops(root) || !readsOwnTiles(root, tile->getResult(0)))
      return false;
  } else if (tileEpilogueOf(root) == tile) {
    markTileEpilogue(root);
  } else {
    return false;
  }
  group.ops.append(chain.begin(), chain.end());
  group.ops.push_back(root);
  group.mayGrow = false;
  return true;
}

} // namespace tilewright
