// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-dispatches: functions of the device -> kernels, and what works on its
// memory -> calls of tilewright_hip on the host.

#include "../Dispatch/FlatArguments.h"
#include "ElementKernels.h"
#include "HostProgram.h"
#include "Mmt4dDispatch.h"
#include "TileEpilogue.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMDISPATCHES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Of an outlined function on buffers: what it is there for.
bool isWork(Operation *op) { return isa<tw::Mmt4dOp, linalg::LinalgOp>(op); }

class FunctionDispatches {
public:
  FunctionDispatches(func::FuncOp func, HostProgram &program,
                     SymbolTable &symbols)
      : func(func), program(program), symbols(symbols) {}

  /// Calls of the library, if there is anything of the device.
  LogicalResult run() {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
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
    } else if (auto dispatch = dyn_cast<tw::DispatchOp>(op)) {
      if (failed(launch(b, dispatch)))
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

  LogicalResult launch(ImplicitLocOpBuilder &b, tw::DispatchOp op) {
    auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
    if (!isForDevice(callee))
      return op.emitOpError() << "has buffers of the device, but '"
                              << op.getCallee() << "' is the host's";
    for (Type type : op->getOperandTypes())
      if (isa<MemRefType>(type) && !isOnDevice(type))
        return op.emitOpError() << "is of the device, but has a buffer of type "
                                << type << ", which is the host's";
    FailureOr<SmallVector<Value>> arguments = flatArguments(op, callee);
    if (failed(arguments))
      return failure();
    if (isEmpty(op))
      return success();
    // What the callee does, in sizes of this call.
    IRMapping mapping;
    mapping.map(callee.getArguments(), *arguments);
    SmallVector<Operation *> work;
    for (Operation &inner : callee.getBody().front().without_terminator())
      if (Operation *copy = b.clone(inner, mapping); isWork(copy))
        work.push_back(copy);
    LogicalResult launched = success();
    auto mmt4d = dyn_cast<tw::Mmt4dOp>(work.front());
    if (mmt4d && work.size() == 1) {
      launched = launchMmt4d(mmt4d, program);
    } else if (mmt4d) {
      SmallVector<Value> words = wordsOf(b, *arguments);
      mmt4d->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
      launched = launchMmt4d(mmt4d, program, callee.getName(), words);
    } else {
      launchElements(b, cast<linalg::LinalgOp>(work.back()), callee.getName(),
                     *arguments);
    }
    for (Operation *inner : work)
      inner->erase();
    return launched;
  }

  /// Whether it is known that there is nothing to compute.
  static bool isEmpty(tw::DispatchOp op) {
    return llvm::all_of(op.getOutputs().getTypes(), [](Type type) {
      return llvm::is_contained(cast<MemRefType>(type).getShape(), 0);
    });
  }

  SmallVector<Value> wordsOf(ImplicitLocOpBuilder &b,
                             ArrayRef<Value> arguments) {
    return llvm::map_to_vector(arguments, [&](Value argument) {
      return isa<MemRefType>(argument.getType()) ? program.address(b, argument)
                                                 : program.word(b, argument);
    });
  }

  void launchElements(ImplicitLocOpBuilder &b, linalg::LinalgOp op,
                      StringRef kernel, ArrayRef<Value> arguments) {
    SmallVector<Value> words = wordsOf(b, arguments);
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
    program.launch(b, kernel, blocks, arith::ConstantIndexOp::create(b, 1),
                   LaunchShape{kElementBlock, 0}, words);
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
  SymbolTable &symbols;
  llvm::DenseMap<Operation *, int64_t> constants;
};

/// Puts the kernel of a function of the device into `kernels`, unless that is a
/// tile's, or what follows a tile.
LogicalResult makeKernel(func::FuncOp dispatch, ModuleOp kernels) {
  SmallVector<Operation *> work;
  for (Operation &op : dispatch.getBody().front().without_terminator()) {
    if (isWork(&op))
      work.push_back(&op);
    else if (!isPure(&op) || op.getNumRegions())
      return op.emitOpError() << "in '" << dispatch.getName()
                              << "' cannot be done on the device";
  }
  bool hasTile = llvm::any_of(work, llvm::IsaPred<tw::Mmt4dOp>);
  bool hasEpilogue = work.size() == 2 && isa<tw::Mmt4dOp>(work.front()) &&
                     tileEpilogueLoops(work.back());
  if (work.empty() || (hasTile && work.size() > 1 && !hasEpilogue))
    return dispatch.emitError()
           << "'" << dispatch.getName() << "' is nothing that one kernel does";
  return hasTile && !hasEpilogue ? success()
                                 : makeElementKernel(dispatch, kernels);
}

struct FormDispatchesPass : impl::FormDispatchesBase<FormDispatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getBody(), module.getBody()->end());
    auto kernels = ModuleOp::create(builder, module.getLoc(), kKernelsModule);
    SmallVector<func::FuncOp> dispatches, funcs;
    for (func::FuncOp func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        (isForDevice(func) ? dispatches : funcs).push_back(func);
    for (func::FuncOp func : dispatches)
      if (failed(makeKernel(func, kernels)))
        return signalPassFailure();
    HostProgram program(module);
    SymbolTable symbols(module);
    for (func::FuncOp func : funcs)
      if (failed(FunctionDispatches(func, program, symbols).run()))
        return signalPassFailure();
    for (func::FuncOp func : dispatches)
      func.erase();
    program.finish();
  }
};

} // namespace
} // namespace tilewright
