// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-hoist-scratch: dispatches allocate nothing, their callers do.

#include "../CacheLine.h"
#include "../RowMajorView.h"
#include "FlatArguments.h"
#include "Tasks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_HOISTSCRATCH
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What is smaller may lie on the stack: a row of a tile, a sum.
constexpr int64_t kMostOnStack = 4096;

/// What computes the sizes of `alloc` from the function's arguments, in order;
/// none if it is more than arithmetic on them.
std::optional<SmallVector<Operation *>> sizeComputation(memref::AllocOp alloc) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  for (Value size : alloc.getDynamicSizes()) {
    Operation *op = size.getDefiningOp();
    if (!op)
      continue;
    if (failed(getBackwardSlice(op, &slice, options)))
      return std::nullopt;
    slice.insert(op);
  }
  for (Operation *op : slice)
    if (!isPure(op) || op->getNumRegions() ||
        op->getBlock() != alloc->getBlock())
      return std::nullopt;
  SmallVector<Operation *> ops = slice.takeVector();
  llvm::sort(ops,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return ops;
}

class ScratchHoister {
public:
  ScratchHoister(func::FuncOp callee, ArrayRef<tw::DispatchOp> calls)
      : callee(callee), calls(calls) {}

  LogicalResult run() {
    Block &entry = callee.getBody().front();
    for (auto alloc :
         llvm::make_early_inc_range(entry.getOps<memref::AllocOp>())) {
      MemRefType type = alloc.getType();
      if (!type.getLayout().isIdentity())
        continue;
      tasks =
          threadsOf(callee) > 1 && isOfOneLoop(alloc) ? threadsOf(callee) : 1;
      // What is on the stack is the task's.
      bool mayBeOnStack = threadsOf(callee) == 1 || tasks > 1;
      if (type.hasStaticShape() && bytesOf(type) <= kMostOnStack &&
          mayBeOnStack)
        moveToStack(alloc);
      else if (auto ops = sizeComputation(alloc))
        if (failed(hoist(alloc, *ops)))
          return failure();
    }
    return success();
  }

private:
  static int64_t bytesOf(MemRefType type) {
    return type.getNumElements() * elementBytes(type);
  }
  static int64_t elementBytes(MemRefType type) {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }

  static void moveToStack(memref::AllocOp alloc) {
    OpBuilder builder(alloc);
    builder.setInsertionPointToStart(alloc->getBlock());
    auto onStack = memref::AllocaOp::create(
        builder, alloc.getLoc(), alloc.getType(), alloc.getAlignmentAttr());
    alloc.replaceAllUsesWith(onStack.getResult());
    alloc.erase();
  }

  /// Whether iterations of one parallel loop have it for themselves: no other
  /// loop has to find what they leave.
  bool isOfOneLoop(memref::AllocOp alloc) {
    llvm::SetVector<Operation *> outer;
    SmallVector<Value> views = {alloc.getResult()};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
          views.push_back(user->getResult(0));
        else if (!isa<memref::DimOp>(user)) // which is of its sizes only
          outer.insert(callee.getBody().front().findAncestorOpInBlock(*user));
      }
    return outer.size() == 1 && outer.front()->hasAttr(kParallelAttr);
  }

  /// So many elements that the next task's begin on a cache line.
  static Value wholeLines(ImplicitLocOpBuilder &b, Value count,
                          MemRefType type) {
    Value unit = arith::ConstantIndexOp::create(
        b, std::max<int64_t>(kCacheLine / elementBytes(type), 1));
    return b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::CeilDivSIOp>(count, unit), unit);
  }

  /// One more output: a tensor of as many elements, of each caller's own.
  LogicalResult hoist(memref::AllocOp alloc, ArrayRef<Operation *> sizes) {
    MemRefType type = alloc.getType();
    auto scratch =
        RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
    for (tw::DispatchOp &call : calls) {
      FailureOr<SmallVector<Value>> arguments = flatArguments(call, callee);
      if (failed(arguments))
        return failure();
      ImplicitLocOpBuilder b(call.getLoc(), call);
      IRMapping mapping;
      mapping.map(callee.getArguments(), *arguments);
      for (Operation *op : sizes)
        b.clone(*op, mapping);
      int64_t known = 1;
      for (int64_t size : type.getShape())
        known *= ShapedType::isDynamic(size) ? 1 : size;
      Value count = arith::ConstantIndexOp::create(b, known);
      for (Value size : alloc.getDynamicSizes())
        count =
            b.createOrFold<arith::MulIOp>(count, mapping.lookupOrDefault(size));
      if (tasks > 1)
        count = b.createOrFold<arith::MulIOp>(
            wholeLines(b, count, type),
            arith::ConstantIndexOp::create(b, tasks));
      auto buffer = memref::AllocOp::create(
          b, MemRefType::get(scratch.getShape(), scratch.getElementType()),
          count, alloc.getAlignmentAttr());
      SmallVector<Value> outputs(call.getOutputs());
      outputs.push_back(buffer);
      SmallVector<bool> accumulates(call.getAccumulates());
      accumulates.push_back(false);
      auto larger = tw::DispatchOp::create(
          b, TypeRange(), call.getCalleeAttr(), call.getInputs(), outputs,
          b.getDenseBoolArrayAttr(accumulates));
      call.erase();
      call = larger;
    }
    takeScratch(alloc, scratch);
    return success();
  }

  void takeScratch(memref::AllocOp alloc, RankedTensorType scratch) {
    MemRefType type = alloc.getType();
    Location loc = alloc.getLoc();
    Builder builder(alloc.getContext());
    SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr())};
    if (tasks > 1)
      attributes.push_back(
          builder.getNamedAttr(kScratchAttr, builder.getUnitAttr()));
    unsigned number = callee.getNumArguments();
    if (failed(callee.insertArgument(number, pointerType(scratch),
                                     builder.getDictionaryAttr(attributes),
                                     loc)) ||
        failed(
            callee.insertArgument(number + 1, builder.getI64Type(), {}, loc)))
      llvm_unreachable("any function takes more arguments");
    Value pointer = callee.getArgument(number);
    auto before = cast<FunctionType>(
        callee->getAttrOfType<TypeAttr>(kDispatchTypeAttr).getValue());
    SmallVector<Type> inputs(before.getInputs());
    inputs.push_back(scratch);
    callee->setAttr(kDispatchTypeAttr,
                    TypeAttr::get(FunctionType::get(alloc.getContext(), inputs,
                                                    before.getResults())));

    ImplicitLocOpBuilder b(loc, alloc);
    SmallVector<OpFoldResult> shape;
    auto dynamic = alloc.getDynamicSizes().begin();
    for (int64_t size : type.getShape())
      shape.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(*dynamic++)
                          : OpFoldResult(b.getIndexAttr(size)));
    alloc.replaceAllUsesWith(rowMajorView(
        b, pointer,
        RankedTensorType::get(type.getShape(), type.getElementType()), shape));
    alloc.erase();
  }

  func::FuncOp callee;
  SmallVector<tw::DispatchOp> calls;
  int64_t tasks = 1; ///< that need a buffer of their own
};

/// tw-form-matmuls gave a workspace for each task, which one that multiplies
/// some of the batch's matrices uses as its own.
void markWorkspace(tw::MatmulOp op) {
  auto func = op->getParentOfType<func::FuncOp>();
  Value root = op.getWorkspace();
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(root);
  if (op.getFirstMLoop() && argument && argument.getOwner()->isEntryBlock() &&
      func->hasAttr(kDispatchTypeAttr))
    func.setArgAttr(argument.getArgNumber(), kScratchAttr,
                    UnitAttr::get(op.getContext()));
}

struct HoistScratchPass : impl::HoistScratchBase<HoistScratchPass> {
  void runOnOperation() override {
    llvm::StringMap<SmallVector<tw::DispatchOp>> calls;
    getOperation().walk(
        [&](tw::DispatchOp op) { calls[op.getCallee()].push_back(op); });
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kDispatchTypeAttr))
        if (failed(ScratchHoister(func, calls[func.getName()]).run()))
          return signalPassFailure();
    if (threadsOf(getOperation()) > 1)
      getOperation().walk([](tw::MatmulOp op) { markWorkspace(op); });
  }
};

} // namespace
} // namespace tilewright
