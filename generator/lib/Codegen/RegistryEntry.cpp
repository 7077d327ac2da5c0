// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegistryEntry.h"

#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tilewright {

void addRegistryEntry(Module &module, Function &function) {
  LLVMContext &context = module.getContext();
  Constant *text =
      ConstantDataArray::getString(context, function.getName(), true);
  auto *name = new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, text,
                                  function.getName() + ".name");
  name->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  name->setAlignment(Align(1));

  PointerType *pointer = PointerType::getUnqual(context);
  auto *type = StructType::get(context, {pointer, pointer});
  Constant *fields = ConstantStruct::get(type, {name, &function});
  auto *entry = new GlobalVariable(module, type, /*isConstant=*/true,
                                   GlobalValue::InternalLinkage, fields,
                                   function.getName() + ".entry");
  entry->setSection("tw_tiles");
  entry->setAlignment(module.getDataLayout().getPointerABIAlignment(0));
  // llvm.used marks the section SHF_GNU_RETAIN, so that --gc-sections keeps it.
  appendToUsed(module, {entry});
}

} // namespace tilewright
