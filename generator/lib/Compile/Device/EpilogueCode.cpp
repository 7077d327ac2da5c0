// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EpilogueCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright {
namespace {

/// To be inlined into the kernel.
void makePart(Function &function) {
  function.setLinkage(GlobalValue::InternalLinkage);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setCallingConv(CallingConv::C);
  function.removeFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::AlwaysInline);
}

Function *tileOf(const Function &epilogue) {
  Function *tile = epilogue.getParent()->getFunction(
      epilogue.getFnAttribute(kTileKernelAttr).getValueAsString());
  assert(tile && tile->arg_size() == 1 && "of addDeviceKernels");
  return tile;
}

void join(Function &epilogue) {
  Module &module = *epilogue.getParent();
  Function *tile = tileOf(epilogue);
  std::string name = epilogue.getName().str();
  epilogue.setName(name + ".epilogue");
  epilogue.removeFnAttr(kTileKernelAttr);

  SmallVector<Type *> types(tile->getFunctionType()->params());
  llvm::append_range(types, epilogue.getFunctionType()->params());
  LLVMContext &context = module.getContext();
  auto *kernel = Function::Create(
      FunctionType::get(Type::getVoidTy(context), types, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, name, module);
  AttributeList attributes = tile->getAttributes();
  kernel->setAttributes(AttributeList::get(context, attributes.getFnAttrs(),
                                           AttributeSet(),
                                           attributes.getParamAttrs(0)));
  kernel->setCallingConv(CallingConv::AMDGPU_KERNEL);

  ValueToValueMapTy mapping;
  Function *multiply = CloneFunction(tile, mapping);
  multiply->setName(name + ".tile");
  multiply->setAttributes(AttributeList());
  makePart(*multiply);
  makePart(epilogue);

  IRBuilder<> b(BasicBlock::Create(context, "entry", kernel));
  b.CreateCall(multiply, {kernel->getArg(0)});
  SyncScope::ID workgroup = context.getOrInsertSyncScopeID("workgroup");
  b.CreateFence(AtomicOrdering::Release, workgroup);
  b.CreateIntrinsic(b.getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
  b.CreateFence(AtomicOrdering::Acquire, workgroup);
  SmallVector<Value *> arguments;
  for (Argument &argument : drop_begin(kernel->args()))
    arguments.push_back(&argument);
  b.CreateCall(&epilogue, arguments);
  b.CreateRetVoid();
}

} // namespace

void joinTileEpilogues(Module &module, ArrayRef<std::string> launched) {
  SmallVector<Function *> epilogues;
  SetVector<Function *> tiles;
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(kTileKernelAttr))
      epilogues.push_back(&function);
  for (Function *epilogue : epilogues) {
    tiles.insert(tileOf(*epilogue));
    join(*epilogue);
  }
  for (Function *tile : tiles) {
    if (is_contained(launched, tile->getName()))
      continue;
    if (GlobalVariable *launch =
            module.getNamedGlobal((tile->getName() + "_launch").str()))
      launch->eraseFromParent();
    tile->eraseFromParent();
  }
}

} // namespace tilewright
