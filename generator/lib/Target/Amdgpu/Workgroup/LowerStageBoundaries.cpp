// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Target/Amdgpu/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERSTAGEBOUNDARIESTOAMDGPU
#include "tilewright/Target/Amdgpu/Passes.h.inc"

namespace {

using tw::Instructions;

/// The bit of llvm.amdgcn.sched.barrier's and sched.group.barrier's masks.
amdgpu::sched_barrier_opt_enum maskOf(Instructions instructions) {
  using Mask = amdgpu::sched_barrier_opt_enum;
  switch (instructions) {
  case Instructions::VectorAlu:
    return Mask::valu;
  case Instructions::ScalarAlu:
    return Mask::salu;
  case Instructions::Transcendental:
    return Mask::transcendental;
  case Instructions::Matrix:
    return Mask::mfma_wmma;
  case Instructions::GlobalRead:
    return Mask::vmem_read;
  case Instructions::GlobalWrite:
    return Mask::vmem_write;
  case Instructions::WorkgroupRead:
    return Mask::ds_read;
  case Instructions::WorkgroupWrite:
    return Mask::ds_write;
  }
  llvm_unreachable("all classes are covered");
}

class Lowering {
public:
  explicit Lowering(Operation *op) : op(op), loc(op->getLoc()), b(op) {}

  LogicalResult boundary(tw::StageBoundaryOp boundary);
  void await(tw::AwaitReadsOp await);
  void barrier() {
    amdgpu::LDSBarrierOp::create(b, loc);
    op->erase();
  }

private:
  void meet(IntegerAttr pendingLoads);
  void interleave(ArrayAttr groups);
  LogicalResult skew(tw::Skew skew);

  Operation *op;
  Location loc;
  OpBuilder b;
};

/// A barrier before which the wave's own reads from LDS are done, into which
/// others' loads go next, and all but `pendingLoads` of its loads: the counters
/// say so, where a workgroup fence would wait for all loads. The fences of one
/// wave's scope keep the compiler from moving accesses across, and cost
/// nothing.
void Lowering::meet(IntegerAttr pendingLoads) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, "wavefront");
  amdgpu::MemoryCounterWaitOp::create(
      b, loc, pendingLoads, /*store=*/IntegerAttr(),
      /*ds=*/b.getI32IntegerAttr(0), /*exp=*/IntegerAttr(),
      /*tensor=*/IntegerAttr());
  ROCDL::SBarrierOp::create(b, loc);
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, "wavefront");
}

void Lowering::await(tw::AwaitReadsOp await) {
  meet(await.getPendingAttr());
  op->erase();
}

void Lowering::interleave(ArrayAttr groups) {
  for (auto group : groups.getAsRange<tw::GroupAttr>())
    ROCDL::SchedGroupBarrier::create(
        b, loc, static_cast<uint32_t>(maskOf(group.getInstructions())),
        group.getCount(), /*groupId=*/0);
}

/// Which half a wave is in is the same for all of its lanes: the branch is
/// uniform.
LogicalResult Lowering::skew(tw::Skew skew) {
  if (skew == tw::Skew::Step) {
    // Where the halves meet, each goes on with LDS that the other is done with.
    meet(/*pendingLoads=*/IntegerAttr());
    return success();
  }
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<ArrayRef<int32_t>> block;
  if (kernel)
    block = kernel.getKnownBlockSize();
  if (!block)
    return op->emitError("wave skew needs known_block_size on the gpu.func, to "
                         "know which half of the waves runs behind");
  int64_t threads = 1;
  for (int32_t size : *block)
    threads *= size;
  if (threads != (*block)[0])
    return op->emitError("wave skew needs a one-dimensional workgroup");
  Type i32 = b.getI32Type();
  Value thread = arith::IndexCastOp::create(
      b, loc, i32, gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  Value first = ROCDL::ReadfirstlaneOp::create(b, loc, i32, thread);
  Value middle =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(threads / 2));
  auto predicate = skew == tw::Skew::Enter ? arith::CmpIPredicate::sge
                                           : arith::CmpIPredicate::slt;
  Value waits = arith::CmpIOp::create(b, loc, predicate, first, middle);
  auto branch = scf::IfOp::create(b, loc, waits, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  ROCDL::SBarrierOp::create(b, loc);
  return success();
}

LogicalResult Lowering::boundary(tw::StageBoundaryOp boundary) {
  if (ArrayAttr groups = boundary.getInterleaveAttr())
    interleave(groups);
  auto mask = amdgpu::sched_barrier_opt_enum::none;
  if (ArrayAttr allow = boundary.getAllowAttr())
    for (auto instructions : allow.getAsRange<tw::InstructionsAttr>())
      mask = mask | maskOf(instructions.getValue());
  auto stop = [&] {
    amdgpu::SchedBarrierOp::create(
        b, loc, amdgpu::sched_barrier_opt_enumAttr::get(b.getContext(), mask));
  };
  stop();
  if (std::optional<tw::Skew> meet = boundary.getSkew()) {
    if (failed(skew(*meet)))
      return failure();
    stop();
  }
  if (std::optional<uint32_t> priority = boundary.getPriority())
    ROCDL::SetPrioOp::create(b, loc, *priority);
  op->erase();
  return success();
}

struct LowerStageBoundariesPass
    : impl::LowerStageBoundariesToAmdgpuBase<LowerStageBoundariesPass> {
  using LowerStageBoundariesToAmdgpuBase::LowerStageBoundariesToAmdgpuBase;

  void runOnOperation() override {
    auto lowered = getOperation()->walk([](Operation *op) {
      Lowering lowering(op);
      if (auto boundary = dyn_cast<tw::StageBoundaryOp>(op))
        return WalkResult(lowering.boundary(boundary));
      if (auto await = dyn_cast<tw::AwaitReadsOp>(op))
        lowering.await(await);
      else if (isa<gpu::BarrierOp>(op) && op->hasAttr(tw::kWorkgroupMemory))
        lowering.barrier();
      return WalkResult::advance();
    });
    if (lowered.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
