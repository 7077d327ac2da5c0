// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-dispatches: functions of devices -> kernels, and what works on their
// memory -> calls of tilewright_hip on the host.

#include "../Dispatch/FlatArguments.h"
#include "ElementKernels.h"
#include "HostProgram.h"
#include "KernelModules.h"
#include "Mmt4dDispatch.h"
#include "mlir/IR/IRMapping.h"
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
                     const KernelModules &kernels, SymbolTable &symbols)
      : func(func), program(program), kernels(kernels), symbols(symbols) {}

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
    SmallVector<memref::GetGlobalOp> kept;
    for (Operation *op : ops) {
      for (Type type :
           llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                    llvm::to_vector(op->getResultTypes())))
        if (!program.isKnown(spaceOf(type)))
          return op->emitOpError() << "has a buffer of type " << type
                                   << ", but no device has that memory";
      auto global = dyn_cast<memref::GetGlobalOp>(op);
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        allocs.push_back(alloc);
      else if (global && program.keptOffset(global.getName()))
        kept.push_back(global);
      else if (failed(replace(op))) // and erased
        return failure();
    }
    // Last: until then they are what launches and copies refer to.
    for (memref::AllocOp alloc : allocs)
      replaceAlloc(alloc);
    replaceKept(kept);
    program.wrap(func);
    // From here on calls say which device's memory it is.
    useGlobalMemory(func);
    return success();
  }

private:
  static unsigned spaceOf(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref ? memref.getMemorySpaceAsInt() : 0;
  }
  static bool isOnDevice(Type type) { return spaceOf(type) != 0; }

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
    if (isOnDevice(from.getType()) || !becomesConstant(from, to))
      program.copy(b, to, from);
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
    constants[alloc] =
        program.constant(spaceOf(alloc.getType()), global.getName());
    return true;
  }

  LogicalResult launch(ImplicitLocOpBuilder &b, tw::DispatchOp op) {
    auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
    if (!isForDevice(callee))
      return op.emitOpError() << "has buffers of a device, but '"
                              << op.getCallee() << "' is the host's";
    unsigned space = memorySpaceOf(callee);
    for (Type type : op->getOperandTypes())
      if (isa<MemRefType>(type) && spaceOf(type) != space)
        return op.emitOpError()
               << "runs on '" << deviceOf(callee).getName()
               << "', but has a buffer of type " << type << ", which is "
               << program.ownerOf(spaceOf(type));
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
      launched = launchMmt4d(mmt4d, program, kernels.nameOf(callee), words);
    } else {
      launchElements(b, space, cast<linalg::LinalgOp>(work.back()),
                     kernels.nameOf(callee), *arguments);
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

  void launchElements(ImplicitLocOpBuilder &b, unsigned space,
                      linalg::LinalgOp op, StringRef kernel,
                      ArrayRef<Value> arguments) {
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
    program.launch(b, space, kernel, blocks,
                   arith::ConstantIndexOp::create(b, 1),
                   LaunchShape{kElementBlock, 0}, words);
  }

  void replaceAlloc(memref::AllocOp alloc) {
    ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
    auto known = constants.find(alloc);
    Value memory =
        known != constants.end()
            ? program.constantMemory(b, spaceOf(alloc.getType()), known->second)
            : program.allocate(b, alloc);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value view = memref::ViewOp::create(b, alloc.getType(), memory, zero,
                                        alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  void replaceKept(ArrayRef<memref::GetGlobalOp> kept) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(),
                                                &func.getBody().front());
    if (func->hasAttr(kKeepsOnDevicesAttr))
      program.allocateKept(b);
    llvm::SmallDenseMap<unsigned, Value> memories;
    for (memref::GetGlobalOp load : kept) {
      Value &memory = memories[spaceOf(load.getType())];
      if (!memory)
        memory = program.keptMemory(b, spaceOf(load.getType()));
    }
    for (memref::GetGlobalOp load : kept) {
      b.setInsertionPoint(load);
      Value offset = arith::ConstantIndexOp::create(
          b, *program.keptOffset(load.getName()));
      Value memory = memories[spaceOf(load.getType())];
      Value view = memref::ViewOp::create(b, load.getType(), memory, offset,
                                          ValueRange());
      load.replaceAllUsesWith(view);
      load.erase();
    }
  }

  func::FuncOp func;
  HostProgram &program;
  const KernelModules &kernels;
  SymbolTable &symbols;
  llvm::DenseMap<Operation *, int64_t> constants;
};

struct FormDispatchesPass : impl::FormDispatchesBase<FormDispatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> dispatches, funcs;
    for (func::FuncOp func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        (isForDevice(func) ? dispatches : funcs).push_back(func);
    HostProgram program(module);
    KernelModules kernels(module);
    for (func::FuncOp func : dispatches)
      if (failed(kernels.add(func)))
        return signalPassFailure();
    SymbolTable symbols(module);
    for (func::FuncOp func : funcs)
      if (failed(FunctionDispatches(func, program, kernels, symbols).run()))
        return signalPassFailure();
    for (func::FuncOp func : dispatches)
      func.erase();
    program.finish();
    kernels.finish(program);
  }
};

} // namespace
} // namespace tilewright
