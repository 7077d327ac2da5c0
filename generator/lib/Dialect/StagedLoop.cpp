// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace tilewright {
namespace {

using tw::Stage;

/// LLVM's back ends for NVPTX and AMDGPU agree on it.
constexpr unsigned kLLVMWorkgroupSpace = 3;

bool isWorkgroupMemory(Type type) {
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return gpu::GPUDialect::isWorkgroupMemoryAddressSpace(
        memref.getMemorySpace());
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == kLLVMWorkgroupSpace;
  return false;
}

std::string capitals(Stage stage) { return tw::stringifyStage(stage).upper(); }

std::optional<Stage> stageOf(Operation *op) {
  if (auto stage = op->getAttrOfType<tw::StageAttr>(tw::kStage))
    return stage.getValue();
  return std::nullopt;
}

/// The operands of an operation, those of its regions included.
llvm::SetVector<Value> usedValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// llvm.call_intrinsic says nothing about memory; LLVM's table of intrinsics
/// does.
bool isFreeOfEffects(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call)
    return isMemoryEffectFree(op);
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(call.getIntrin());
  if (id == llvm::Intrinsic::not_intrinsic)
    return false;
  llvm::LLVMContext context;
  llvm::AttributeSet attributes = llvm::Intrinsic::getFnAttributes(context, id);
  return attributes.getMemoryEffects().doesNotAccessMemory() &&
         attributes.hasAttribute(llvm::Attribute::WillReturn);
}

} // namespace

LogicalResult StagedLoop::readAttributes() {
  auto number = [&](StringRef name, unsigned otherwise) -> int64_t {
    auto attribute = loop->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getValue().getSExtValue() : otherwise;
  };
  int64_t wantedDepth = number(tw::kStages, 2);
  if (wantedDepth != 2 && wantedDepth != 3)
    return loop.emitError() << tw::kStages << " = " << wantedDepth
                            << ": loops are pipelined over 2 or 3 iterations";
  int64_t wantedBuffers = number(tw::kBuffers, 1);
  if (wantedBuffers < 1 || wantedBuffers > 16)
    return loop.emitError() << tw::kBuffers << " = " << wantedBuffers
                            << ": expected 1 to 16 buffers";
  depth = wantedDepth;
  buffers = wantedBuffers;
  skew = loop->hasAttr(tw::kSkew);
  if (loop.getUnsignedCmp())
    return loop.emitError("cannot pipeline a loop that compares unsigned");
  if (std::optional<APInt> step = loop.getConstantStep();
      step && !step->isStrictlyPositive())
    return loop.emitError("cannot pipeline a loop whose step is not positive");
  return success();
}

/// READ reads what is not workgroup memory, and may write workgroup memory;
/// WRITE writes workgroup memory; COMPUTE reads.
LogicalResult StagedLoop::checkEffects(Operation *op, Stage stage) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return op->emitError("cannot pipeline an operation of unknown memory "
                         "effects");
  bool writesDirectly = false;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    bool read = isa<MemoryEffects::Read>(effect.getEffect());
    bool write = isa<MemoryEffects::Write>(effect.getEffect());
    if (!read && !write)
      return op->emitError("cannot pipeline an operation that allocates or "
                           "frees memory");
    bool workgroup =
        effect.getValue() && isWorkgroupMemory(effect.getValue().getType());
    if (stage == Stage::Read && read && workgroup)
      return op->emitError("READ reads workgroup memory, which runs ahead of "
                           "what WRITE puts there");
    if (stage == Stage::Read && write && !workgroup)
      return op->emitError("READ writes other than workgroup memory, ahead of "
                           "its iteration");
    if (stage == Stage::Write && !(write && workgroup))
      return op->emitError("WRITE may only write workgroup memory; this ")
             << (read ? "reads" : "writes other memory");
    if (stage == Stage::Compute && write)
      return op->emitError("COMPUTE may not write memory, which READ would no "
                           "longer see in time");
    writesDirectly |= stage == Stage::Read && write;
  }
  directReads += writesDirectly;
  return success();
}

LogicalResult StagedLoop::follow(Stage stage, Operation *user, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar() || stage == Stage::Compute)
      return success();
    return user->emitError() << capitals(stage) << " needs a value that the "
                             << "loop carries, and runs ahead of it";
  }
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != loop.getBody())
    return success();
  std::optional<Stage> from = stageOf(def);
  if (!from) {
    if (!stages[static_cast<unsigned>(stage)].insert(def))
      return success();
    for (Value operand : usedValues(def))
      if (failed(follow(stage, def, operand)))
        return failure();
    return success();
  }
  if (*from == stage)
    return success();
  if (*from == Stage::Read && stage == Stage::Write) {
    handedOver.insert(value);
    return success();
  }
  if (*from == Stage::Read)
    return user->emitError("COMPUTE uses what READ holds in registers; data "
                           "passes from READ to COMPUTE through workgroup "
                           "memory");
  return user->emitError() << capitals(stage) << " uses a value of "
                           << capitals(*from)
                           << ", which comes later in the pipeline";
}

LogicalResult StagedLoop::collect(Stage stage) {
  auto &operations = stages[static_cast<unsigned>(stage)];
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (stageOf(&op) != stage)
      continue;
    operations.insert(&op);
    for (Value value : usedValues(&op))
      if (failed(follow(stage, &op, value)))
        return failure();
  }
  if (stage == Stage::Compute) {
    Operation *yield = loop.getBody()->getTerminator();
    for (Value value : yield->getOperands())
      if (failed(follow(stage, yield, value)))
        return failure();
  }
  auto sorted = operations.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  operations.insert(sorted.begin(), sorted.end());
  return success();
}

LogicalResult StagedLoop::checkBuffers() {
  bool hasWrite = !operations(Stage::Write).empty();
  direct = directReads > 0;
  if (operations(Stage::Read).empty())
    return loop.emitError("no operation is marked READ: nothing to pipeline");
  if (direct && hasWrite)
    return loop.emitError("READ writes workgroup memory, and there is a WRITE: "
                          "data goes one way or the other");
  if (!direct && !hasWrite)
    return loop.emitError("no operation is marked WRITE, and READ does not "
                          "write workgroup memory itself");
  if (direct && buffers < depth)
    return loop.emitError()
           << "reads straight into workgroup memory, " << depth
           << " stages: expected at least " << depth << " buffers, not "
           << buffers << ", because READ would overwrite what COMPUTE uses";
  if (skew && buffers < 2)
    return loop.emitError("waves half of which run behind need 2 buffers: one "
                          "half writes while the other computes");
  if (buffers == 1)
    return success();
  for (Stage stage : {direct ? Stage::Read : Stage::Write, Stage::Compute})
    if (llvm::none_of(operations(stage),
                      [](Operation *op) { return isa<tw::BufferSlotOp>(op); }))
      return loop.emitError() << buffers << " buffers, but " << capitals(stage)
                              << " does not use tw.buffer_slot to choose one";
  return success();
}

FailureOr<StagedLoop> StagedLoop::of(scf::ForOp loop) {
  StagedLoop staged;
  staged.loop = loop;
  if (failed(staged.readAttributes()))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<gpu::BarrierOp, tw::StageBoundaryOp, tw::AwaitReadsOp>(op))
      return op.emitError("in a loop to be pipelined: the pass places those");
    std::optional<Stage> stage = stageOf(&op);
    if (isFreeOfEffects(&op))
      continue;
    if (!stage)
      return op.emitError("has memory effects but no stage; mark it with "
                          "tw.stage");
    if (failed(staged.checkEffects(&op, *stage)))
      return failure();
  }
  for (Stage stage : {Stage::Read, Stage::Write, Stage::Compute})
    if (failed(staged.collect(stage)))
      return failure();
  if (failed(staged.checkBuffers()))
    return failure();
  return staged;
}

} // namespace tilewright
