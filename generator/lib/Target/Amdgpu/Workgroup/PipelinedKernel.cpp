// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PipelinedKernel.h"

#include "tilewright/Target/Amdgpu/EmitMatrix.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The groups by which COMPUTE's instructions are to be issued: the reads of
/// the first granule step, then one read after every `plan.interleave` matrix
/// instructions while there are any.
ArrayAttr interleaveGroups(OpBuilder &b, const KernelPlan &plan,
                           const PipelineShape &shape) {
  SmallVector<Attribute> groups;
  auto add = [&](tw::Instructions instructions, int count) {
    if (count > 0)
      groups.push_back(tw::GroupAttr::get(b.getContext(), instructions, count));
  };
  int reads = shape.ldsReads, matrix = shape.matrixInstructions;
  int ahead = std::min(reads, shape.blocksM + shape.blocksN);
  add(tw::Instructions::WorkgroupRead, ahead);
  for (reads -= ahead; reads > 0 && matrix > plan.interleave; --reads) {
    add(tw::Instructions::Matrix, plan.interleave);
    add(tw::Instructions::WorkgroupRead, 1);
    matrix -= plan.interleave;
  }
  add(tw::Instructions::WorkgroupRead, reads);
  add(tw::Instructions::Matrix, matrix);
  return b.getArrayAttr(groups);
}

DictionaryAttr boundaries(OpBuilder &b, const KernelPlan &plan,
                          const PipelineShape &shape) {
  NamedAttrList afterRead, afterCompute, all;
  if (plan.boundaries.relaxed) {
    SmallVector<Attribute> classes;
    for (auto instructions :
         {tw::Instructions::VectorAlu, tw::Instructions::ScalarAlu,
          tw::Instructions::Transcendental})
      classes.push_back(
          tw::InstructionsAttr::get(b.getContext(), instructions));
    afterRead.set("allow", b.getArrayAttr(classes));
    afterCompute.set("allow", b.getArrayAttr(classes));
  }
  if (plan.priority) {
    afterRead.set("priority", b.getI32IntegerAttr(*plan.priority));
    afterCompute.set("priority", b.getI32IntegerAttr(0));
  }
  if (plan.interleave)
    afterCompute.set("interleave", interleaveGroups(b, plan, shape));
  if (plan.boundaries.afterRead)
    all.set("read", afterRead.getDictionary(b.getContext()));
  if (plan.boundaries.afterCompute)
    all.set("compute", afterCompute.getDictionary(b.getContext()));
  return all.getDictionary(b.getContext());
}

void setPipelineAttributes(scf::ForOp loop, OpBuilder &b,
                           const KernelPlan &plan, const PipelineShape &shape) {
  loop->setAttr(tw::kStages, b.getI32IntegerAttr(plan.stages));
  loop->setAttr(tw::kBuffers, b.getI32IntegerAttr(plan.buffers));
  loop->setAttr(tw::kBoundaries, boundaries(b, plan, shape));
  if (plan.skew)
    loop->setAttr(tw::kSkew, b.getUnitAttr());
}

/// All matrix instructions of an iteration, those of one step along k
/// together, so that consecutive ones have different accumulators.
SmallVector<Value> compute(KernelBuilder &k, const KernelPlan &plan,
                           const PipelineShape &shape, StagedOperand &lhs,
                           StagedOperand &rhs, ValueRange accumulators) {
  SmallVector<Value> sums(accumulators);
  // By row block: granules so far.
  SmallVector<SmallVector<Value>> lhsGranules(shape.blocksM),
      rhsGranules(shape.blocksN);
  auto loadUpTo = [](StagedOperand &operand, auto &granules, int last) {
    for (auto [block, loaded] : llvm::enumerate(granules))
      while (static_cast<int>(loaded.size()) < last)
        loaded.push_back(operand.loadGranule(block, loaded.size()));
  };
  for (int multiply = 0; multiply != shape.multiplies; ++multiply) {
    loadUpTo(lhs, lhsGranules, lhs.granuleSteps(multiply).second);
    loadUpTo(rhs, rhsGranules, rhs.granuleSteps(multiply).second);
    SmallVector<Value> a, bs;
    for (auto &granules : lhsGranules)
      a.push_back(lhs.fragment(granules, multiply));
    for (auto &granules : rhsGranules)
      bs.push_back(rhs.fragment(granules, multiply));
    for (int m = 0; m != shape.blocksM; ++m)
      for (int n = 0; n != shape.blocksN; ++n) {
        Value &sum = sums[m * shape.blocksN + n];
        sum = emitMatrixMultiply(k.b, k.loc, *plan.instruction,
                                 {shape.rhs.type, shape.lhs.type}, bs[n], a[m],
                                 sum);
      }
  }
  return sums;
}

void buildBody(KernelBuilder &k, const TileKey &key, const KernelPlan &plan,
               Value params, StringRef ldsName) {
  OpBuilder &b = k.b;
  PipelineShape shape(key, plan);
  auto index = [](auto op) -> Value { return op.getResult(); };
  auto threadId = gpu::ThreadIdOp::create(b, k.loc, gpu::Dimension::x);
  auto blockN = gpu::BlockIdOp::create(b, k.loc, gpu::Dimension::x);
  auto blockM = gpu::BlockIdOp::create(b, k.loc, gpu::Dimension::y);

  WorkgroupPlace place;
  place.thread = k.fromIndex(k.i32(), index(threadId));
  place.lane = k.rem(place.thread, shape.lanes);
  place.wave = k.uniform(k.div(place.thread, shape.lanes));
  Value waveM = k.div(place.wave, plan.wavesN);
  Value waveN = k.rem(place.wave, plan.wavesN);
  Value firstM = k.mul(k.fromIndex(k.i64(), index(blockM)), plan.tilesM);
  Value firstN = k.mul(k.fromIndex(k.i64(), index(blockN)), plan.tilesN);
  place.kSteps = k.parameter(params, field::kK, k.i64());
  // iterations = ceil(K / kSteps); the first lacks what does not divide.
  Value steps = k.narrow(place.kSteps);
  Value iterations = k.div(k.add(steps, plan.kSteps - 1), plan.kSteps);
  place.skipped = k.sub(k.mul(iterations, plan.kSteps), steps);

  StagedOperand lhs(k, shape.lhs, plan, place, params, field::kLhs, field::kM,
                    firstM, waveM, plan.wavesM);
  StagedOperand rhs(k, shape.rhs, plan, place, params, field::kRhs, field::kN,
                    firstN, waveN, plan.wavesN);
  Value lds = LLVM::AddressOfOp::create(b, k.loc, k.pointer(3), ldsName);
  int64_t bufferBytes = shape.ldsBytes / plan.buffers;
  lhs.setLds(lds, 0, bufferBytes);
  rhs.setLds(lds, shape.lhs.paddedBytes(shape.threads), bufferBytes);

  Type accumulatorType =
      registerType(b.getContext(), resultRegisters(*plan.instruction));
  Value zero =
      arith::ConstantOp::create(b, k.loc, b.getZeroAttr(accumulatorType));
  SmallVector<Value> zeros(shape.blocksM * shape.blocksN, zero);
  Type indexType = b.getIndexType();
  auto loop = scf::ForOp::create(b, k.loc, k.constant(indexType, 0),
                                 k.fromIndex(indexType, iterations),
                                 k.constant(indexType, 1), zeros);
  setPipelineAttributes(loop, b, plan, shape);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value slot;
    if (plan.buffers > 1)
      slot =
          k.fromIndex(k.i32(), tw::BufferSlotOp::create(b, k.loc, indexType));
    Value iv = loop.getInductionVar();
    lhs.read(iv, slot);
    rhs.read(iv, slot);
    if (!plan.direct) {
      lhs.write(iv, slot);
      rhs.write(iv, slot);
    }
    lhs.beginCompute(slot);
    rhs.beginCompute(slot);
    SmallVector<Value> sums =
        compute(k, plan, shape, lhs, rhs, loop.getRegionIterArgs());
    scf::YieldOp::create(b, k.loc, sums);
  }
  storeResults(k, key, plan, shape,
               {params, place.lane, firstM, firstN, waveM, waveN},
               loop.getResults());
}

} // namespace

OwningOpRef<ModuleOp> buildPipelinedKernel(MLIRContext *context,
                                           const TileKey &key,
                                           const KernelPlan &plan,
                                           StringRef name) {
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                     b.getUnitAttr());
  b.setInsertionPointToEnd(module->getBody());
  auto device = gpu::GPUModuleOp::create(b, loc, "device");
  b.setInsertionPointToStart(device.getBody());

  PipelineShape shape(key, plan);
  std::string ldsName = (name + "_lds").str();
  LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), shape.ldsBytes),
      /*isConstant=*/false, LLVM::Linkage::Internal, ldsName, Attribute(),
      /*alignment=*/16, /*addrSpace=*/3);
  auto params = LLVM::LLVMPointerType::get(context, 4);
  auto kernel =
      gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType({params}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({shape.threads, 1, 1}));
  b.setInsertionPointToStart(&kernel.front());
  KernelBuilder k(b, loc, key.isa);
  buildBody(k, key, plan, kernel.getArgument(0), ldsName);
  gpu::ReturnOp::create(b, loc);
  return module;
}

} // namespace tilewright
