// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-dispatches: what works on device memory -> kernels, and calls of
// tilewright_hip on the host.

#include "ElementKernels.h"
#include "HostProgram.h"
#include "Mmt4dDispatch.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

class FunctionDispatches {
public:
  FunctionDispatches(func::FuncOp func, HostProgram &program,
                     ElementKernels &elements)
      : func(func), program(program), elements(elements) {}

  /// Calls of the library, if there is anything of the device.
  LogicalResult run() {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      // What is inside of a dispatch goes with it.
      if (op->getParentOfType<linalg::LinalgOp>())
        return;
      if (llvm::any_of(op->getOperandTypes(), isOnDevice) ||
          llvm::any_of(op->getResultTypes(), isOnDevice))
        ops.push_back(op);
    });
    if (ops.empty())
      return success();
    SmallVector<memref::AllocOp> allocs;
    for (Operation *op : ops) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        allocs.push_back(alloc);
      else if (failed(replace(op))) // and erased
        return failure();
    }
    // Last: until then they are what launches and copies refer to.
    for (memref::AllocOp alloc : allocs)
      replaceAlloc(alloc);
    program.wrap(func);
    return success();
  }

private:
  static bool isOnDevice(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getMemorySpaceAsInt() == kDeviceMemorySpace;
  }

  LogicalResult replace(Operation *op) {
    if (isa<memref::DimOp, memref::CastOp, memref::ReinterpretCastOp,
            memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return success();
    ImplicitLocOpBuilder b(op->getLoc(), op);
    for (Type type : op->getOperandTypes())
      if (auto memref = dyn_cast<MemRefType>(type))
        if (isOnDevice(type) && !memref.getLayout().isIdentity())
          return op->emitOpError() << "works on the buffer of type " << type
                                   << ", which is not contiguous";
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (!constants.contains(dealloc.getMemref().getDefiningOp()))
        program.release(b, dealloc.getMemref());
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      if (failed(replaceCopy(b, copy)))
        return failure();
    } else if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(op)) {
      if (failed(launchMmt4d(mmt4d, program)))
        return failure();
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (failed(launch(b, linalgOp)))
        return failure();
    } else {
      return op->emitOpError("cannot be done on device memory");
    }
    op->erase();
    return success();
  }

  LogicalResult replaceCopy(ImplicitLocOpBuilder &b, memref::CopyOp copy) {
    Value from = copy.getSource(), to = copy.getTarget();
    for (Value value : {from, to})
      if (!cast<MemRefType>(value.getType()).getLayout().isIdentity())
        return copy.emitOpError()
               << "is of the buffer of type " << value.getType()
               << ", which is not contiguous";
    bool fromDevice = isOnDevice(from.getType());
    if (fromDevice && isOnDevice(to.getType()))
      program.copy(b, "tw_hip_copy", to, from);
    else if (fromDevice)
      program.copy(b, "tw_hip_download", to, from);
    else if (!becomesConstant(from, to))
      program.copy(b, "tw_hip_upload", to, from);
    return success();
  }

  /// Whether the copy of a constant to the device is only read, so that it may
  /// be made once.
  bool becomesConstant(Value from, Value to) {
    auto global = from.getDefiningOp<memref::GetGlobalOp>();
    auto alloc = to.getDefiningOp<memref::AllocOp>();
    if (!global || !alloc)
      return false;
    for (OpOperand &use : alloc->getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::DimOp, memref::DeallocOp, memref::LoadOp>(user))
        continue;
      if (auto copy = dyn_cast<memref::CopyOp>(user))
        if (copy.getTarget() != to || copy.getSource() == from)
          continue;
      auto dispatched = dyn_cast<DestinationStyleOpInterface>(user);
      if (!dispatched || dispatched.isDpsInit(&use))
        return false;
    }
    constants[alloc] = program.constant(global.getName());
    return true;
  }

  LogicalResult launch(ImplicitLocOpBuilder &b, linalg::LinalgOp op) {
    FailureOr<ElementKernel> kernel = elements.get(op);
    if (failed(kernel))
      return failure();
    SmallVector<Value> words;
    for (Value buffer : kernel->buffers)
      words.push_back(program.address(b, buffer));
    for (Value buffer : kernel->buffers)
      for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank();
           ++dim)
        words.push_back(program.word(b, memref::DimOp::create(b, buffer, dim)));
    for (Value scalar : kernel->scalars)
      words.push_back(program.word(b, scalar));
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
    Value total = arith::ConstantIndexOp::create(b, 1);
    for (unsigned loop : parallel)
      total = arith::MulIOp::create(
          b, total,
          getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loop].size));
    Value block = arith::ConstantIndexOp::create(b, kElementBlock);
    Value blocks = arith::MinSIOp::create(
        b, arith::CeilDivUIOp::create(b, total, block),
        arith::ConstantIndexOp::create(b, kMaxElementBlocks));
    words.push_back(
        program.word(b, arith::MulIOp::create(b, blocks, block).getResult()));
    program.launch(b, kernel->name, blocks,
                   arith::ConstantIndexOp::create(b, 1),
                   LaunchShape{kElementBlock, 0}, words);
    return success();
  }

  void replaceAlloc(memref::AllocOp alloc) {
    ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
    auto known = constants.find(alloc);
    Value memory = known != constants.end()
                       ? program.constantMemory(b, known->second)
                       : program.allocate(b, alloc);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value view = memref::ViewOp::create(b, alloc.getType(), memory, zero,
                                        alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  func::FuncOp func;
  HostProgram &program;
  ElementKernels &elements;
  llvm::DenseMap<Operation *, int64_t> constants;
};

struct FormDispatchesPass : impl::FormDispatchesBase<FormDispatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getBody(), module.getBody()->end());
    auto kernels = ModuleOp::create(builder, module.getLoc(), kKernelsModule);
    ElementKernels elements(kernels);
    HostProgram program(module);
    for (func::FuncOp func :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      if (failed(FunctionDispatches(func, program, elements).run()))
        return signalPassFailure();
    }
    program.finish();
  }
};

} // namespace
} // namespace tilewright
