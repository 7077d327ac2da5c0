// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-flatten-dispatches and tw-call-dispatches: a dispatch takes bare pointers
// and sizes, as entry points do.

#include "../RowMajorView.h"
#include "FlatArguments.h"
#include "Tasks.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FLATTENDISPATCHES
#define GEN_PASS_DEF_CALLDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The arguments of a function on tensors, as pointers and dynamic sizes.
class Flattener {
public:
  explicit Flattener(func::FuncOp func)
      : func(func), b(func.getLoc(), func.getContext()) {
    if (isForDevice(func))
      memorySpace = b.getI64IntegerAttr(memorySpaceOf(func));
  }

  void run() {
    Block &entry = func.getBody().front();
    auto terminator = cast<func::ReturnOp>(entry.getTerminator());
    unsigned count = entry.getNumArguments();
    unsigned firstOutput = count - terminator.getNumOperands();
    b.setInsertionPointToStart(&entry);
    SmallVector<Value> destinations;
    for (unsigned i = 0; i < count; ++i) {
      BlockArgument argument = entry.getArgument(i);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type) {
        argument.replaceAllUsesWith(add(entry, argument.getType()));
        continue;
      }
      Value view = addView(entry, type);
      bool isOutput = i >= firstOutput;
      argument.replaceAllUsesWith(bufferization::ToTensorOp::create(
          b, type, view, /*restrict=*/true, /*writable=*/isOutput));
      if (isOutput)
        destinations.push_back(view);
    }
    entry.eraseArguments(0, count);
    b.setInsertionPoint(terminator);
    for (auto [result, view] :
         llvm::zip_equal(terminator.getOperands(), destinations)) {
      auto write =
          bufferization::MaterializeInDestinationOp::create(b, result, view);
      write.setRestrict(true);
      write.setWritable(true);
    }
    func::ReturnOp::create(b);
    terminator.erase();
    func->setAttr(kDispatchTypeAttr, TypeAttr::get(func.getFunctionType()));
    func.setFunctionType(b.getFunctionType(entry.getArgumentTypes(), {}));
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (isa<MemRefType>(type))
        func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                      b.getContext(), LLVM::Linkage::Internal));
    func->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  }

private:
  Value add(Block &entry, Type type) {
    return entry.addArgument(type, func.getLoc());
  }

  Value addView(Block &entry, RankedTensorType type) {
    Value pointer = add(entry, pointerType(type, memorySpace));
    SmallVector<OpFoldResult> shape;
    for (int64_t size : type.getShape())
      shape.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(arith::IndexCastOp::create(
                                             b, b.getIndexType(),
                                             add(entry, b.getI64Type()))
                                             .getResult())
                          : b.getIndexAttr(size));
    return rowMajorView(b, pointer, type, shape);
  }

  func::FuncOp func;
  ImplicitLocOpBuilder b;
  Attribute memorySpace; ///< of the buffers; null for the host's
};

struct FlattenDispatchesPass
    : impl::FlattenDispatchesBase<FlattenDispatchesPass> {
  void runOnOperation() override {
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kDispatchAttr))
        Flattener(func).run();
  }
};

struct CallDispatchesPass : impl::CallDispatchesBase<CallDispatchesPass> {
  void runOnOperation() override {
    SmallVector<tw::DispatchOp> ops;
    getOperation().walk([&](tw::DispatchOp op) { ops.push_back(op); });
    SymbolTable symbols(getOperation());
    if (threadsOf(getOperation()) > 1)
      for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
        if (func->hasAttr(kDispatchTypeAttr))
          takeParallelFor(func);
    for (tw::DispatchOp op : ops)
      if (failed(call(op, symbols)))
        return signalPassFailure();
  }

  static LogicalResult call(tw::DispatchOp op, SymbolTable &symbols) {
    auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
    FailureOr<SmallVector<Value>> arguments = flatArguments(op, callee);
    if (failed(arguments))
      return failure();
    OpBuilder builder(op);
    if (threadsOf(op) > 1) {
      Value parallelFor = parallelForOf(op);
      if (!parallelFor)
        parallelFor = LLVM::ZeroOp::create(
            builder, op.getLoc(),
            LLVM::LLVMPointerType::get(builder.getContext()));
      arguments->push_back(parallelFor);
    }
    func::CallOp::create(builder, op.getLoc(), callee, *arguments);
    op.erase();
    return success();
  }

  /// Behind the arguments that `tw.dispatch_type` tells of.
  static void takeParallelFor(func::FuncOp func) {
    Builder builder(func.getContext());
    auto isParallelFor = builder.getDictionaryAttr(
        builder.getNamedAttr(kParallelForAttr, builder.getUnitAttr()));
    if (failed(
            func.insertArgument(func.getNumArguments(),
                                LLVM::LLVMPointerType::get(func.getContext()),
                                isParallelFor, func.getLoc())))
      llvm_unreachable("any function takes more arguments");
  }
};

} // namespace
} // namespace tilewright
