// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimpleKernel.h"

#include "KernelBuilder.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 4, kPrivateSpace = 5;

class SimpleKernel {
public:
  SimpleKernel(Function *kernel, const TileKey &key, const KernelPlan &plan)
      : kernel(kernel), params(kernel->getArg(0)), key(key), plan(plan),
        b(BasicBlock::Create(kernel->getContext(), "entry", kernel)) {}

  void build(FunctionCallee tile);

private:
  Value *at(Value *pointer, Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  }
  Value *parameter(int offset, Type *type) {
    return b.CreateAlignedLoad(type, at(params, b.getInt64(offset)), Align(4));
  }
  Value *number(int offset) { return parameter(offset, b.getInt64Ty()); }
  Value *pointer(int offset) {
    return parameter(offset, b.getPtrTy(kGlobalSpace));
  }
  Value *mul(Value *x, int64_t y) { return b.CreateMul(x, b.getInt64(y)); }
  /// Of the workgroup's wave, in tiles: first of the workgroup plus `inGroup`.
  Value *tileNumber(Intrinsic::ID workgroup, int tiles, Value *inGroup) {
    Value *id = b.CreateIntrinsic(b.getInt32Ty(), workgroup, {});
    return b.CreateAdd(mul(b.CreateZExt(id, b.getInt64Ty()), tiles),
                       b.CreateZExt(inGroup, b.getInt64Ty()));
  }
  Value *panel(int field, tw_element_type_t type, Value *tile);
  Value *outTile(Value *m, Value *n);
  Value *tileParams(Value *m, Value *n);

  Function *kernel;
  Value *params;
  const TileKey &key;
  const KernelPlan &plan;
  IRBuilder<> b;
};

Value *SimpleKernel::panel(int field, tw_element_type_t type, Value *tile) {
  Value *elements =
      b.CreateAdd(number(field + field::kOffset),
                  b.CreateMul(tile, number(field + field::kStride0)));
  int bits = info(type).bits;
  Value *bytes = bits < 8 ? b.CreateSDiv(mul(elements, bits), b.getInt64(8))
                          : mul(elements, bits / 8);
  return at(pointer(field), bytes);
}

Value *SimpleKernel::outTile(Value *m, Value *n) {
  Value *flags = parameter(field::kFlags, b.getInt32Ty());
  Value *plain =
      b.CreateIsNotNull(b.CreateAnd(flags, TW_MMT4D_FLAG_OUT_ROW_STRIDE));
  Value *strideM =
      b.CreateSelect(plain, mul(number(field::kOutRowStride), key.m0),
                     number(field::kOut + field::kStride0));
  Value *strideN = b.CreateSelect(plain, b.getInt64(key.n0),
                                  b.getInt64(int64_t(key.m0) * key.n0));
  Value *elements = b.CreateAdd(
      number(field::kOut + field::kOffset),
      b.CreateAdd(b.CreateMul(m, strideM), b.CreateMul(n, strideN)));
  return at(pointer(field::kOut),
            mul(elements, info(info(key.types).out).bits / 8));
}

/// The kernel's parameters are the tile's, but for the scales: those are of its
/// own panels, in a copy.
Value *SimpleKernel::tileParams(Value *m, Value *n) {
  Type *generic = b.getPtrTy();
  if (!key.blockScaled)
    return b.CreateAddrSpaceCast(params, generic);
  Type *words = ArrayType::get(b.getInt64Ty(), field::kBytes / 8);
  // In the entry block: elsewhere it would stay in memory.
  IRBuilder<> entry(&kernel->getEntryBlock(), kernel->getEntryBlock().begin());
  Value *copy = entry.CreateAlloca(words, kPrivateSpace);
  for (int offset = 0; offset != field::kBytes; offset += 8)
    b.CreateAlignedStore(number(offset), at(copy, b.getInt32(offset)),
                         Align(8));
  auto setScales = [&](int offset, Value *tile, int64_t stepBytes) {
    Value *panel = b.CreateMul(tile, mul(number(field::kK), stepBytes));
    b.CreateAlignedStore(at(pointer(offset), panel),
                         at(copy, b.getInt32(offset)), Align(8));
  };
  setScales(field::kLhsScales, m, key.lhsScaleStepBytes());
  setScales(field::kRhsScales, n, key.rhsScaleStepBytes());
  return b.CreateAddrSpaceCast(copy, generic);
}

void SimpleKernel::build(FunctionCallee tile) {
  int lanes = waveSize(key.isa);
  Value *thread =
      b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::amdgcn_workitem_id_x, {});
  // The same in all lanes of a wave: the tile function wants uniform arguments.
  Value *wave =
      b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::amdgcn_readfirstlane,
                        {b.CreateUDiv(thread, b.getInt32(lanes))});
  Value *m = tileNumber(Intrinsic::amdgcn_workgroup_id_y, plan.tilesM,
                        b.CreateUDiv(wave, b.getInt32(plan.wavesN)));
  Value *n = tileNumber(Intrinsic::amdgcn_workgroup_id_x, plan.tilesN,
                        b.CreateURem(wave, b.getInt32(plan.wavesN)));
  auto *inside = BasicBlock::Create(b.getContext(), "inside", kernel);
  auto *done = BasicBlock::Create(b.getContext(), "done", kernel);
  Value *exists = b.CreateAnd(b.CreateICmpSLT(m, number(field::kM)),
                              b.CreateICmpSLT(n, number(field::kN)));
  b.CreateCondBr(exists, inside, done);
  b.SetInsertPoint(inside);
  const TypeTripleInfo &types = info(key.types);
  b.CreateCall(tile, {outTile(m, n), panel(field::kLhs, types.lhs, m),
                      panel(field::kRhs, types.rhs, n), tileParams(m, n)});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

} // namespace

Function *addSimpleKernel(Module &module, const TileKey &key,
                          const KernelPlan &plan, StringRef name,
                          StringRef tile) {
  LLVMContext &context = module.getContext();
  Type *none = Type::getVoidTy(context);
  auto *kernel = Function::Create(
      FunctionType::get(none, {PointerType::get(context, kConstantSpace)},
                        false),
      GlobalValue::ExternalLinkage, name, module);
  kernel->setCallingConv(CallingConv::AMDGPU_KERNEL);
  std::string lanes = std::to_string(plan.waves() * waveSize(key.isa));
  kernel->addFnAttr("amdgpu-flat-work-group-size", lanes + "," + lanes);
  kernel->addFnAttr("uniform-work-group-size", "true");
  Type *global = PointerType::get(context, kGlobalSpace);
  FunctionCallee callee = module.getOrInsertFunction(
      tile, none, global, global, global, PointerType::get(context, 0));
  SimpleKernel(kernel, key, plan).build(callee);
  return kernel;
}

} // namespace tilewright
