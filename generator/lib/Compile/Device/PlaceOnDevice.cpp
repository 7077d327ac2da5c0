// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-place-on-device: transfers between host and devices, on tensors.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

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
      } else if (isa<tensor::CastOp, tensor::ExpandShapeOp,
                     tensor::CollapseShapeOp>(op)) {
        // Other views of the same memory.
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
    return copyOf(b, value, space);
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

struct PlaceOnDevicePass : impl::PlaceOnDeviceBase<PlaceOnDevicePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kDispatchAttr))
        Placement(func, symbols).run();
  }
};

} // namespace
} // namespace tilewright
