// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-place-on-device: transfers between host and device, on tensors.

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
      if (isOnDevice(&op)) {
        for (OpOperand &operand : op.getOpOperands())
          if (isa<RankedTensorType>(operand.get().getType()))
            operand.set(onDevice(operand.get(), &op));
        for (Value result : op.getResults())
          deviceValues.insert(result);
      } else if (isa<tensor::CastOp, tensor::ExpandShapeOp,
                     tensor::CollapseShapeOp>(op)) {
        // Other views of the same memory.
        if (deviceValues.contains(op.getOperand(0)))
          deviceValues.insert(op.getResult(0));
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
  bool isOnDevice(Operation *op) {
    auto dispatch = dyn_cast<tw::DispatchOp>(op);
    return dispatch && isForDevice(symbols.lookup(dispatch.getCallee()));
  }

  /// Operations of the host that look into their tensors. The entry point's own
  /// write results wherever these are.
  static bool readsElements(Operation *op) {
    return !isa<tensor::DimOp, bufferization::MaterializeInDestinationOp,
                bufferization::ToTensorOp>(op);
  }

  Value onDevice(Value value, Operation *user) {
    if (deviceValues.contains(value))
      return value;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    // Nothing to copy, and each user may write to its own.
    if (value.getDefiningOp<tensor::EmptyOp>() ||
        (value.getDefiningOp<tensor::CastOp>() &&
         value.getDefiningOp<tensor::CastOp>()
             .getSource()
             .getDefiningOp<tensor::EmptyOp>()))
      return allocate(b, value, /*copy=*/Value(), kDeviceMemorySpace);
    Value &copy = deviceCopies[value];
    if (!copy)
      copy = allocate(b, value, value, kDeviceMemorySpace);
    return copy;
  }

  Value onHost(Value value, Operation *user) {
    if (!deviceValues.contains(value))
      return value;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    Value &copy = hostCopies[value];
    if (!copy)
      copy = allocate(b, value, value, /*memorySpace=*/0);
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
  llvm::DenseSet<Value> deviceValues;
  llvm::DenseMap<Value, Value> deviceCopies, hostCopies;
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
