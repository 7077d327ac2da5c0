// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-place-on-device: transfers between host and devices, on tensors; what
// instances keep is kept where it is read.

#include "../OperationKind.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include <map>
#include <set>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLACEONDEVICE
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Models are straight lines: what is defined earlier dominates what follows.
class Placement {
public:
  Placement(func::FuncOp func, SymbolTable &symbols)
      : func(func), symbols(symbols) {}

  void run() {
    for (Operation &op :
         llvm::make_early_inc_range(func.getBody().front().getOperations())) {
      if (unsigned space = spaceOf(&op)) {
        for (OpOperand &operand : op.getOpOperands())
          if (isa<RankedTensorType>(operand.get().getType()))
            operand.set(onDevice(operand.get(), space, &op));
        for (Value result : op.getResults())
          spaces[result] = space;
      } else if (isView(&op)) {
        if (unsigned space = spaces.lookup(op.getOperand(0)))
          spaces[op.getResult(0)] = space;
      } else if (readsElements(&op)) {
        // Also what a branch of it reads.
        op.walk([&](Operation *user) {
          if (readsElements(user))
            for (OpOperand &operand : user->getOpOperands())
              operand.set(onHost(operand.get(), &op));
        });
      }
    }
  }

private:
  /// The memory that `op` works on; 0: the host's.
  unsigned spaceOf(Operation *op) {
    if (auto keep = dyn_cast<tw::KeepOp>(op))
      return keep.getMemorySpace();
    auto dispatch = dyn_cast<tw::DispatchOp>(op);
    return dispatch ? memorySpaceOf(symbols.lookup(dispatch.getCallee())) : 0;
  }

  /// Operations of the host that look into their tensors. The entry point's own
  /// write results wherever these are.
  static bool readsElements(Operation *op) {
    return !isa<tensor::DimOp, bufferization::MaterializeInDestinationOp,
                bufferization::ToTensorOp>(op);
  }

  Value onDevice(Value value, unsigned space, Operation *user) {
    if (spaces.lookup(value) == space)
      return value;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    // Nothing to copy, and each user may write to its own.
    if (value.getDefiningOp<tensor::EmptyOp>() ||
        (value.getDefiningOp<tensor::CastOp>() &&
         value.getDefiningOp<tensor::CastOp>()
             .getSource()
             .getDefiningOp<tensor::EmptyOp>()))
      return allocate(b, value, /*copy=*/Value(), space);
    if (Value kept = keptOn(b, value, space))
      return kept;
    return copyOf(b, value, space);
  }

  /// What an instance keeps is kept there, too; null if it is something else.
  static Value keptOn(ImplicitLocOpBuilder &b, Value value, unsigned space) {
    Operation *op = value.getDefiningOp();
    if (auto kept = dyn_cast_or_null<tw::KeptOp>(op))
      return tw::KeptOp::create(b, kept.getType(), kept.getNumber(), space);
    if (!isView(op))
      return nullptr;
    Value source = keptOn(b, op->getOperand(0), space);
    if (!source)
      return nullptr;
    Operation *view = b.clone(*op);
    view->setOperand(0, source);
    return view->getResult(0);
  }

  Value onHost(Value value, Operation *user) {
    if (!spaces.lookup(value))
      return value;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    return copyOf(b, value, /*space=*/0);
  }

  /// One for all that want it there.
  Value copyOf(ImplicitLocOpBuilder &b, Value value, unsigned space) {
    Value &copy = copies[{value, space}];
    if (!copy)
      copy = allocate(b, value, value, space);
    return copy;
  }

  Value allocate(ImplicitLocOpBuilder &b, Value like, Value copy,
                 unsigned memorySpace) {
    auto type = cast<RankedTensorType>(like.getType());
    SmallVector<Value> sizes;
    if (auto empty = like.getDefiningOp<tensor::EmptyOp>())
      sizes = empty.getDynamicSizes();
    for (int64_t dim = 0; !copy && sizes.empty() && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(b, like, dim));
    return bufferization::AllocTensorOp::create(
        b, type, sizes, copy, b.getI64IntegerAttr(memorySpace));
  }

  func::FuncOp func;
  SymbolTable &symbols;
  /// Where values are, of those that are not in the host's memory.
  llvm::DenseMap<Value, unsigned> spaces;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> copies;
};

/// In what memory each is read that an instance keeps: by its number.
using KeptSpaces = std::map<int64_t, std::set<unsigned>>;

struct PlaceOnDevicePass : impl::PlaceOnDeviceBase<PlaceOnDevicePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<tw::KeepOp> keeps;
    getOperation().walk([&](tw::KeepOp keep) { keeps.push_back(keep); });
    llvm::SmallSetVector<func::FuncOp, 1> keeping;
    for (tw::KeepOp keep : keeps)
      keeping.insert(keep->getParentOfType<func::FuncOp>());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kDispatchAttr) &&
          !keeping.contains(func))
        Placement(func, symbols).run();
    // That depends on what the others read.
    KeptSpaces spaces = keptSpaces();
    for (tw::KeepOp keep : keeps)
      keepWhereRead(keep, spaces[int64_t(keep.getNumber())]);
    for (func::FuncOp func : keeping)
      Placement(func, symbols).run();
  }

private:
  /// Erases what is not read any more where it was.
  KeptSpaces keptSpaces() {
    KeptSpaces spaces;
    IRRewriter rewriter(&getContext());
    SmallVector<tw::KeptOp> loads;
    getOperation().walk([&](tw::KeptOp load) { loads.push_back(load); });
    for (tw::KeptOp load : loads)
      if (!eraseUnread(load, rewriter))
        spaces[int64_t(load.getNumber())].insert(load.getMemorySpace());
    return spaces;
  }

  /// With its views. False if something reads it.
  static bool eraseUnread(Operation *op, IRRewriter &rewriter) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isView(user))
        eraseUnread(user, rewriter);
    if (!op->use_empty())
      return false;
    rewriter.eraseOp(op);
    return true;
  }

  static void keepWhereRead(tw::KeepOp keep, const std::set<unsigned> &spaces) {
    OpBuilder b(keep);
    for (unsigned space : spaces) {
      auto copy = cast<tw::KeepOp>(b.clone(*keep));
      copy.setMemorySpace(space);
    }
    keep.erase();
  }
};

} // namespace
} // namespace tilewright
