// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/WaveTile.h"

#include "WaveBlock.h"
#include "tilewright/tile.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include <cstddef>

using namespace llvm;

namespace tilewright {
namespace {

/// Device code has the host's layout of the structure.
static_assert(sizeof(void *) == 8);

constexpr unsigned kGlobal = 1;

Value *laneOf(WaveBuilder &b, int lanes) {
  Value *lane = b.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {},
                                  {b.word(-1), b.word(0)});
  if (lanes == 64)
    lane =
        b.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {b.word(-1), lane});
  return lane;
}

/// Loads a field of the parameters.
Value *field(WaveBuilder &b, Value *params, Type *type, Value *offset) {
  return b.CreateLoad(type, b.CreatePtrAdd(params, offset));
}

void emitBody(WaveBuilder &b, const TileKey &key, const WavePlan &plan,
              const WaveShape &shape) {
  Function *function = b.function;
  Value *params = function->getArg(3);
  Type *i64 = b.getInt64Ty();
  auto at = [&](size_t offset) { return b.getInt64(offset); };

  WaveTileValues tile;
  tile.out = function->getArg(0);
  tile.k = field(b, params, i64, at(offsetof(tw_mmt4d_params_t, K)));
  Value *flags =
      field(b, params, b.getInt32Ty(), at(offsetof(tw_mmt4d_params_t, flags)));
  auto has = [&](uint32_t flag) {
    return b.CreateICmpNE(b.CreateAnd(flags, b.word(flag)), b.word(0));
  };
  tile.accumulate = has(TW_MMT4D_FLAG_ACCUMULATE);
  // Read only if it is there; K is instead.
  Value *strided = has(TW_MMT4D_FLAG_OUT_ROW_STRIDE);
  Value *stride = field(
      b, params, i64,
      b.CreateSelect(strided, at(offsetof(tw_mmt4d_params_t, out_row_stride)),
                     at(offsetof(tw_mmt4d_params_t, K))));
  tile.outStride = b.CreateSelect(strided, stride, b.getInt64(key.n0));
  tile.lane = laneOf(b, shape.lanes);

  auto scales = [&](size_t offset) -> Value * {
    if (!key.blockScaled)
      return nullptr;
    return field(b, params, b.getPtrTy(kGlobal), at(offset));
  };
  // Lanes' rows of a sub-tile, and their groups along k.
  Value *none = b.word(0);
  Value *row, *column, *group = none;
  if (plan.instruction) {
    row = column = b.CreateAnd(tile.lane, b.word(shape.subRows - 1));
    if (shape.kGroups > 1)
      group = b.CreateLShr(tile.lane, Log2_32(shape.subRows));
  } else {
    row = b.CreateLShr(tile.lane, Log2_32(shape.subColumns));
    column = b.CreateAnd(tile.lane, b.word(shape.subColumns - 1));
  }
  WaveOperand lhs(b, shape, shape.lhs, key, plan.fragment, function->getArg(1),
                  scales(offsetof(tw_mmt4d_params_t, lhs_scales)), group, row);
  WaveOperand rhs(b, shape, shape.rhs, key, plan.fragment, function->getArg(2),
                  scales(offsetof(tw_mmt4d_params_t, rhs_scales)), group,
                  column);

  auto block = [&](Value *rowBlock, Value *columnBlock) {
    auto base = [&](Value *index, int size) {
      return b.CreateMul(index, b.word(size));
    };
    WaveBlock(b, key, plan, shape, tile, lhs, rhs,
              base(rowBlock, shape.subRows * plan.blockRows),
              base(columnBlock, shape.subColumns * plan.blockColumns))
        .emit();
  };
  auto forBlocks = [&](int count, function_ref<void(Value *)> body) {
    if (count == 1)
      return body(none);
    b.loop(b.word(count), {}, [&](Value *index, Values) -> Values {
      body(index);
      return {};
    });
  };
  // Nothing to add: out is not even read.
  Value *nothing =
      b.CreateAnd(tile.accumulate, b.CreateICmpSLE(tile.k, b.getInt64(0)));
  b.ifThen(b.CreateNot(nothing), {}, [&]() -> Values {
    forBlocks(shape.rowBlocks, [&](Value *rowBlock) {
      forBlocks(shape.columnBlocks,
                [&](Value *columnBlock) { block(rowBlock, columnBlock); });
    });
    return {};
  });
  b.CreateRetVoid();
}

} // namespace

FunctionType *waveTileType(LLVMContext &context) {
  Type *global = PointerType::get(context, kGlobal);
  return FunctionType::get(
      Type::getVoidTy(context),
      {global, global, global, PointerType::get(context, 0)},
      /*isVarArg=*/false);
}

Function *defineWaveTile(Module &module, const TileKey &key,
                         const WavePlan &plan, StringRef prefix) {
  LLVMContext &context = module.getContext();
  std::string name =
      printTileKey(key, std::string_view(prefix.data(), prefix.size()));
  auto *function = cast<Function>(
      module.getOrInsertFunction(name, waveTileType(context)).getCallee());
  function->addFnAttr(Attribute::AlwaysInline);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::Convergent);
  for (unsigned argument = 0; argument < 4; ++argument) {
    function->addParamAttr(argument, Attribute::NoAlias);
    function->addParamAttr(argument, Attribute::NoUndef);
    if (argument > 0)
      function->addParamAttr(argument, Attribute::ReadOnly);
  }
  constexpr StringLiteral names[] = {"out", "lhs", "rhs", "params"};
  for (auto [argument, text] : zip(function->args(), names))
    argument.setName(text);
  WaveBuilder b(function);
  emitBody(b, key, plan, WaveShape(key, plan));
  return function;
}

Expected<std::unique_ptr<Module>>
generateWaveTile(const TileKey &key, StringRef prefix, StringRef overrides,
                 DeviceBackend &backend, LLVMContext &context) {
  Expected<WavePlan> plan = planWave(key, overrides);
  if (!plan)
    return plan.takeError();
  std::string name =
      printTileKey(key, std::string_view(prefix.data(), prefix.size()));
  auto module = std::make_unique<Module>(name, context);
  defineWaveTile(*module, key, *plan, prefix);
  backend.setTarget(*module);
  std::string invalid;
  raw_string_ostream os(invalid);
  if (verifyModule(*module, &os))
    return createStringError(name +
                             ": the generated LLVM IR is invalid: " + invalid);
  backend.simplify(*module);
  return std::move(module);
}

Function *defineWaveKernel(Module &module, Function &tile, tw_isa_t isa) {
  LLVMContext &context = module.getContext();
  Type *global = PointerType::get(context, kGlobal);
  Type *bytes =
      ArrayType::get(Type::getInt64Ty(context), sizeof(tw_mmt4d_params_t) / 8);
  constexpr unsigned kConstant = 4;
  auto *kernel = Function::Create(
      FunctionType::get(
          Type::getVoidTy(context),
          {global, global, global, PointerType::get(context, kConstant)},
          false),
      GlobalValue::ExternalLinkage, tile.getName() + "_wave", module);
  kernel->setCallingConv(CallingConv::AMDGPU_KERNEL);
  kernel->addParamAttr(3, Attribute::getWithByRefType(context, bytes));
  kernel->addParamAttr(3, Attribute::getWithAlignment(context, Align(8)));
  std::string lanes = std::to_string(waveSize(isa));
  kernel->addFnAttr("amdgpu-flat-work-group-size", lanes + "," + lanes);
  kernel->addFnAttr("uniform-work-group-size", "true");
  WaveBuilder b(kernel);
  Value *params =
      b.CreateAddrSpaceCast(kernel->getArg(3), PointerType::get(context, 0));
  b.CreateCall(
      &tile, {kernel->getArg(0), kernel->getArg(1), kernel->getArg(2), params});
  b.CreateRetVoid();
  return kernel;
}

Expected<SmallVector<char, 0>> emitWaveKernel(Module &module, Function &tile,
                                              tw_isa_t isa,
                                              DeviceBackend &backend,
                                              DeviceFile kind) {
  defineWaveKernel(module, tile, isa);
  backend.setTarget(module);
  return backend.emit(module, kind);
}

} // namespace tilewright
