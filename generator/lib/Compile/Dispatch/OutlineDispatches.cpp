// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-outline-dispatches: the work of a model as functions, equal ones once.

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
  /// Of linalg operations: the loops that all of them share. Vectors as wide as
  /// any target's leave the fewest.
  LoopGroup loops{{/*bytes=*/64, /*masks=*/true}};
  bool mayGrow = true;

  bool defines(Value value) const {
    return llvm::is_contained(ops, value.getDefiningOp());
  }
};

class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module) {}

  void outline(func::FuncOp func) {
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
        replace(group);
  }

private:
  /// A fill belongs to the operation that goes on from it.
  void giveEachItsFill(func::FuncOp func) {
    SmallVector<linalg::FillOp> fills;
    func.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : fill->getUses())
        if (isInitOfDispatch(use) && !fill->hasOneUse())
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

  static bool isInitOfDispatch(OpOperand &use) {
    return isDispatchable(use.getOwner()) &&
           cast<DestinationStyleOpInterface>(use.getOwner()).isDpsInit(&use);
  }

  static bool isFillOfOther(Operation *op) {
    return isa<linalg::FillOp>(op) && op->hasOneUse() &&
           isInitOfDispatch(*op->use_begin()) &&
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
  static SmallVector<Operation *> unitOf(Operation *root) {
    SmallVector<Operation *> unit;
    for (Value init : cast<DestinationStyleOpInterface>(root).getDpsInits())
      if (Operation *fill = init.getDefiningOp(); fill && isFillOfOther(fill))
        unit.push_back(fill);
    unit.push_back(root);
    return unit;
  }

  /// Whether all of the group and `root` go through the same loops: then what
  /// lies between them is a row, or an element, not a tensor.
  static bool add(Operation *root, Group &group) {
    SmallVector<Operation *> unit = unitOf(root);
    bool hasLoops = !group.loops.getMembers().empty();
    if (group.ops.size() + unit.size() > kMostInGroup ||
        hasLoops != !group.ops.empty())
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
      if (!linalgOp || !group.loops.add(linalgOp))
        return false;
    }
    group.ops.append(unit);
    return group.ops.size() == unit.size() || group.loops.hasLanes();
  }

  /// Whether `root` is done with what the group, a multiplication, has just
  /// computed.
  static bool addEpilogue(Operation *root, Group &group) {
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

  void replace(ArrayRef<Operation *> group) {
    Operation *last = group.back();
    DispatchFunction dispatch = makeDispatchFunction(group, module);
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
  std::map<std::string, std::string> names; ///< by body
  llvm::StringMap<unsigned> counts;         ///< of functions, by kind
};

struct OutlineDispatchesPass
    : impl::OutlineDispatchesBase<OutlineDispatchesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    Outliner outliner(getOperation());
    for (func::FuncOp func : funcs)
      if (!func.isExternal())
        outliner.outline(func);
  }
};

} // namespace
} // namespace tilewright
