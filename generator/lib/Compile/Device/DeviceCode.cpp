// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a model -> code object -> data of the host's program.

#include "DeviceCode.h"

#include "EpilogueCode.h"
#include "HostProgram.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Amdgpu/CodeObject.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

using namespace mlir;
using llvm::createStringError;

namespace tilewright {
namespace {

/// Loaders of code objects map them by pages.
constexpr unsigned kCodeObjectAlignment = 4096;

/// A private constant of the module.
llvm::GlobalVariable *addConstant(llvm::Module &module, llvm::Constant *value,
                                  llvm::StringRef name) {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, value,
                                  name);
}

llvm::Constant *addString(llvm::Module &module, llvm::StringRef text) {
  return addConstant(
      module, llvm::ConstantDataArray::getString(module.getContext(), text),
      "tw_hip_string");
}

llvm::Constant *addArray(llvm::Module &module, llvm::Type *element,
                         llvm::ArrayRef<llvm::Constant *> values,
                         llvm::StringRef name) {
  auto *type = llvm::ArrayType::get(element, values.size());
  return addConstant(module, llvm::ConstantArray::get(type, values), name);
}

} // namespace

std::vector<std::string> namesOf(Operation *op, StringRef attr) {
  std::vector<std::string> names;
  if (auto array = op->getAttrOfType<ArrayAttr>(attr))
    for (StringAttr name : array.getAsRange<StringAttr>())
      names.push_back(name.str());
  return names;
}

llvm::Expected<SmallVector<char, 0>>
emitCodeObject(ModuleOp kernels, ArrayRef<TileKey> tiles,
               ArrayRef<std::string> launched,
               const DeviceKernelOptions &options, const TargetCpu &gpu) {
  llvm::Expected<std::unique_ptr<DeviceBackend>> backend =
      DeviceBackend::create(gpu.isas.front());
  if (!backend)
    return backend.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return createStringError("the kernels cannot be translated to LLVM IR");
  for (llvm::Function &function : *module)
    if (!function.isDeclaration() &&
        !function.hasFnAttribute(kTileKernelAttr)) {
      function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
      function.addFnAttr("amdgpu-flat-work-group-size", "1,256");
      function.addFnAttr("uniform-work-group-size", "true");
    }
  (*backend)->setTarget(*module);
  if (llvm::Error error = addDeviceKernels(*module, tiles, options))
    return std::move(error);
  joinTileEpilogues(*module, launched);
  return (*backend)->emit(*module, DeviceFile::CodeObject);
}

void defineProgram(ModuleOp module, llvm::Module &host,
                   ArrayRef<char> codeObject, const TargetCpu &gpu,
                   ArrayRef<std::string> kernels,
                   ArrayRef<std::string> constants) {
  llvm::LLVMContext &context = host.getContext();
  llvm::Type *word = llvm::Type::getInt64Ty(context);
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(word, value);
  };

  llvm::GlobalVariable *code =
      addConstant(host,
                  llvm::ConstantDataArray::getRaw(
                      StringRef(codeObject.data(), codeObject.size()),
                      codeObject.size(), llvm::Type::getInt8Ty(context)),
                  "tw_hip_code_object");
  code->setAlignment(llvm::Align(kCodeObjectAlignment));

  SmallVector<llvm::Constant *> names, data;
  for (const std::string &name : kernels)
    names.push_back(addString(host, name));
  auto *constantType = llvm::StructType::get(context, {pointer, word, word});
  auto inFile = module->getAttrOfType<DictionaryAttr>(kConstantOffsetsAttr);
  for (const std::string &name : constants) {
    if (auto place = inFile ? inFile.getAs<DenseI64ArrayAttr>(name) : nullptr) {
      data.push_back(llvm::ConstantStruct::get(
          constantType, {llvm::Constant::getNullValue(pointer),
                         number(place[1]), number(place[0])}));
      continue;
    }
    llvm::GlobalVariable *global =
        host.getGlobalVariable(name, /*AllowInternal=*/true);
    data.push_back(llvm::ConstantStruct::get(
        constantType,
        {global,
         number(host.getDataLayout().getTypeStoreSize(global->getValueType())),
         number(0)}));
  }
  auto *type = llvm::StructType::get(
      context, {pointer, pointer, pointer, word, pointer, word, pointer, word});
  llvm::Constant *value = llvm::ConstantStruct::get(
      type,
      {code, addString(host, processorOf(gpu.isas.front())),
       addArray(host, pointer, names, "tw_hip_kernels"), number(names.size()),
       addArray(host, constantType, data, "tw_hip_constants"),
       number(data.size()), llvm::Constant::getNullValue(pointer), number(0)});
  llvm::GlobalVariable *declared = host.getGlobalVariable(kProgramSymbol);
  // A model of which nothing is left for the device has no use of it.
  if (!declared)
    return;
  auto *defined =
      new llvm::GlobalVariable(host, type, /*isConstant=*/false,
                               llvm::GlobalValue::InternalLinkage, value);
  defined->takeName(declared);
  declared->replaceAllUsesWith(defined);
  declared->eraseFromParent();
}

} // namespace tilewright
