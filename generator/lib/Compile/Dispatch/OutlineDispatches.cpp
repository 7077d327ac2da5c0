// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-outline-dispatches: the work of a model as functions, equal ones once.

#include "../Device/ItemLoops.h"
#include "../Loops/LoopGroup.h"
#include "../OperationKind.h"
#include "DispatchFunction.h"
#include "Epilogue.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_OUTLINEDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// More in one function would only make it long.
constexpr size_t kMostInGroup = 32;

/// Operations that become one function, where the last of them is.
struct Group {
  SmallVector<Operation *> ops;
  Place place = Place::Host;
  /// Of linalg operations of the host: the loops that all of them share.
  /// Vectors as wide as any target's leave the fewest.
  LoopGroup loops{{/*bytes=*/64, /*masks=*/true}};
  /// Of the device: what one work-item does.
  ItemLoops items;
  bool mayGrow = true;

  bool defines(Value value) const {
    return llvm::is_contained(ops, value.getDefiningOp());
  }
};

class Outliner {
public:
  Outliner(ModuleOp module, bool hasDevice)
      : module(module), hasDevice(hasDevice) {}

  LogicalResult outline(func::FuncOp func) {
    giveEachItsFill(func);
    hoistSizes(func);
    collapseEpilogues(func);
    SmallVector<Block *> blocks;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isDispatchable(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (Block *block : blocks)
      for (ArrayRef<Operation *> group : groupsOf(*block))
        if (failed(replace(group)))
          return failure();
    return success();
  }

private:
  /// What branches and loops do is the host's: launches are a straight line.
  Place placeOf(Operation *op) const {
    return hasDevice && !isOnHost(op) && isa<func::FuncOp>(op->getParentOp())
               ? Place::Device
               : Place::Host;
  }

  /// A fill belongs to the operation that goes on from it.
  void giveEachItsFill(func::FuncOp func) {
    SmallVector<linalg::FillOp> fills;
    func.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : fill->getUses())
        if (beginsWithFill(use) && !fill->hasOneUse())
          uses.push_back(&use);
      for (OpOperand *use : uses) {
        OpBuilder builder(use->getOwner());
        use->set(builder.clone(*fill)->getResult(0));
      }
      if (fill->use_empty())
        fill.erase();
    }
  }

  /// Sizes that bodies ask for become scalars, which functions are given.
  static void hoistSizes(func::FuncOp func) {
    SmallVector<std::pair<Operation *, Operation *>> sizes;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isDispatchable(op))
        return WalkResult::advance();
      op->walk([&](Operation *size) {
        if (isa<tensor::DimOp, memref::DimOp>(size) &&
            llvm::none_of(size->getOperands(), [&](Value operand) {
              return op->isAncestor(operand.getParentBlock()->getParentOp());
            }))
          sizes.push_back({size, op});
      });
      return WalkResult::skip();
    });
    for (auto [size, op] : sizes)
      size->moveBefore(op);
  }

  /// Whether the user of a fill's result may do the fill. The kernel of a tile
  /// does nothing else, and a work-item fills what it goes on from itself.
  bool beginsWithFill(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (!isDispatchable(user) ||
        !cast<DestinationStyleOpInterface>(user).isDpsInit(&use))
      return false;
    auto fill = use.get().getDefiningOp<linalg::FillOp>();
    Place place = placeOf(user);
    if (place != placeOf(fill) || place == Place::Host)
      return place == placeOf(fill);
    ItemLoops items;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    return linalgOp && items.add(linalgOp) &&
           items.add(cast<linalg::LinalgOp>(fill.getOperation()));
  }

  bool isFillOfOther(Operation *op) const {
    return isa<linalg::FillOp>(op) && op->hasOneUse() &&
           beginsWithFill(*op->use_begin()) &&
           op->use_begin()->getOwner()->getBlock() == op->getBlock();
  }

  /// The groups of a block, in the order of their last operations. What uses a
  /// group's results without being of it ends the group: it has to stand
  /// behind.
  SmallVector<SmallVector<Operation *>> groupsOf(Block &block) {
    std::vector<Group> groups;
    llvm::DenseMap<Operation *, size_t> groupOf;
    for (Operation &op : block) {
      if (isFillOfOther(&op))
        continue;
      llvm::SmallSetVector<size_t, 4> used;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (auto found = groupOf.find(operand.getDefiningOp());
              found != groupOf.end())
            used.insert(found->second);
      });
      Group group;
      bool isDispatched = isDispatchable(&op), isJoined = false;
      for (size_t i : llvm::reverse(used)) {
        if (isDispatched && !isJoined && groups[i].mayGrow) {
          group = groups[i];
          isJoined = add(&op, group) || addEpilogue(&op, group);
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
        group.mayGrow = add(&op, group) || isa<tw::MatmulOp>(op);
        group.ops = unitOf(&op);
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

  /// The operation behind the fills that it starts from.
  SmallVector<Operation *> unitOf(Operation *root) const {
    SmallVector<Operation *> unit;
    for (Value init : cast<DestinationStyleOpInterface>(root).getDpsInits())
      if (Operation *fill = init.getDefiningOp(); fill && isFillOfOther(fill))
        unit.push_back(fill);
    unit.push_back(root);
    return unit;
  }

  /// Whether all of the group and `root` go through the same loops: then what
  /// lies between them is a row, or an element, not a tensor.
  bool add(Operation *root, Group &group) const {
    SmallVector<Operation *> unit = unitOf(root);
    bool isOnDevice = group.place == Place::Device;
    bool hasLoops =
        isOnDevice ? !group.items.empty() : !group.loops.getMembers().empty();
    if (group.ops.size() + unit.size() > kMostInGroup ||
        hasLoops != !group.ops.empty() || placeOf(root) != group.place)
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

  /// Whether `root` is done with what the group, a multiplication, has just
  /// computed.
  bool addEpilogue(Operation *root, Group &group) const {
    auto generic = dyn_cast<linalg::GenericOp>(root);
    auto matmul = dyn_cast<tw::MatmulOp>(group.ops.back());
    if (!generic || !matmul || multiplicationFor(generic) != matmul)
      return false;
    SmallVector<Operation *> unit = unitOf(root);
    if (unit.size() > 1)
      return false;
    group.ops.append(unit);
    group.mayGrow = false;
    writeOverProduct(generic, matmul);
    return true;
  }

  LogicalResult replace(ArrayRef<Operation *> group) {
    Operation *last = group.back();
    Place place = placeOf(last);
    if (place == Place::Device && isa<linalg::PackOp, linalg::UnPackOp>(last))
      return last->emitOpError("of the device was not lowered");
    DispatchFunction dispatch = makeDispatchFunction(group, module, place);
    Operation *named = last;
    for (Operation *op : group)
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          isa<tw::MatmulOp>(op) ||
          (linalgOp && linalgOp.getNumReductionLoops()))
        named = op;
    StringRef callee = unique(dispatch.func, kindOf(named));
    OpBuilder builder(last);
    auto call = tw::DispatchOp::create(
        builder, last->getLoc(), ValueRange(dispatch.outputs).getTypes(),
        FlatSymbolRefAttr::get(module.getContext(), callee), dispatch.inputs,
        dispatch.outputs, builder.getDenseBoolArrayAttr(dispatch.accumulates));
    for (auto [result, value] :
         llvm::zip_equal(dispatch.results, call.getResults()))
      result.replaceUsesWithIf(value, [&](OpOperand &use) {
        return !llvm::is_contained(group, use.getOwner());
      });
    for (Operation *op : llvm::reverse(group))
      op->erase();
    return success();
  }

  /// The name of the function with this body.
  StringRef unique(func::FuncOp func, StringRef kind) {
    func->setAttr(kDispatchAttr, StringAttr::get(module.getContext(), kind));
    std::string text;
    llvm::raw_string_ostream os(text);
    func->print(os, OpPrintingFlags().useLocalScope());
    auto [known, isNew] = names.try_emplace(std::move(text));
    if (isNew) {
      known->second = (kind + "_" + Twine(counts[kind]++)).str();
      func.setName(known->second);
    } else {
      func.erase();
    }
    return known->second;
  }

  ModuleOp module;
  bool hasDevice;
  std::map<std::string, std::string> names; ///< by body
  llvm::StringMap<unsigned> counts;         ///< of functions, by kind
};

struct OutlineDispatchesPass
    : impl::OutlineDispatchesBase<OutlineDispatchesPass> {
  using OutlineDispatchesBase::OutlineDispatchesBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    Outliner outliner(getOperation(), hasDevice);
    for (func::FuncOp func : funcs)
      if (!func.isExternal() && failed(outliner.outline(func)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
