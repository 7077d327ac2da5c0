// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a model -> code object -> data of the host's program.

#include "DeviceCode.h"

#include "EpilogueCode.h"
#include "HostProgram.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/SpillWarnings.h"
#include "llvm/ADT/StringMap.h"
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

SmallVector<ModuleOp> kernelModulesOf(ModuleOp module) {
  SmallVector<ModuleOp> modules;
  for (ModuleOp kernels : module.getOps<ModuleOp>())
    if (kernels->hasAttr(kKernelsAttr))
      modules.push_back(kernels);
  return modules;
}

llvm::Expected<EmittedCode> emitCodeObject(ModuleOp kernels,
                                           ArrayRef<TileKey> tiles,
                                           const DeviceKernelOptions &options) {
  EmittedCode code;
  code.description.target =
      kernels->getAttrOfType<StringAttr>(kTargetAttr).str();
  code.description.kernels = namesOf(kernels, kKernelsAttr);
  llvm::Expected<TargetCpu> gpu = parseTargetCpu(code.description.target);
  if (!gpu)
    return gpu.takeError();
  const tw_isa_t isa = gpu->isas.front();
  code.gfx = processorOf(isa).str();
  std::vector<TileKey> its;
  llvm::copy_if(tiles, std::back_inserter(its),
                [&](const TileKey &key) { return key.isa == isa; });
  llvm::Expected<std::unique_ptr<DeviceBackend>> backend =
      DeviceBackend::create(isa);
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
  if (llvm::Error error = addDeviceKernels(*module, its, options))
    return std::move(error);
  joinTileEpilogues(*module, code.description.kernels);
  llvm::Expected<SmallVector<char, 0>> bytes =
      (*backend)->emit(*module, DeviceFile::CodeObject);
  if (!bytes)
    return bytes.takeError();
  code.bytes = std::move(*bytes);
  code.description.bytes = code.bytes.size();
  llvm::Expected<std::vector<std::string>> warnings =
      spillWarnings(code.bytes, its, options.prefix, "");
  if (!warnings)
    return warnings.takeError();
  code.remarks = std::move(*warnings);
  return std::move(code);
}

llvm::Error checkOneCodeObject(ArrayRef<EmittedCode> code) {
  if (code.size() == 1)
    return llvm::Error::success();
  return createStringError(
      "--emit=hsaco writes one code object, but '" +
      code[0].description.target + "' and '" + code[1].description.target +
      "' have one each; compile for GPUs of one target, or write an object "
      "(-o model.o)");
}

namespace {

/// Writes the tw_hip_program_t of the devices.
class ProgramData {
public:
  ProgramData(ModuleOp module, llvm::Module &host, ArrayRef<EmittedCode> code)
      : module(module), host(host), code(code),
        word(llvm::Type::getInt64Ty(host.getContext())),
        pointer(llvm::PointerType::get(host.getContext(), 0)) {}

  void define() {
    SmallVector<llvm::Constant *> programs;
    bool areSeveral = host.getGlobalVariable(kProgramsSymbol);
    for (tw::DeviceAttr device : devicesWithMemoryOf(module)) {
      std::string symbol = programSymbol(device.getName(), areSeveral);
      // A device that nothing runs on has none; of one, all may be called so.
      if (host.getGlobalVariable(symbol) && isUsed(device))
        programs.push_back(define(symbol, program(device, areSeveral),
                                  /*isConstant=*/false));
    }
    if (areSeveral)
      define(kProgramsSymbol,
             llvm::ConstantArray::get(
                 llvm::ArrayType::get(pointer, programs.size()), programs),
             /*isConstant=*/true);
  }

private:
  DictionaryAttr constantsOf() {
    return module->getAttrOfType<DictionaryAttr>(kConstantsAttr);
  }

  bool isUsed(tw::DeviceAttr device) {
    return constantsOf().contains(device.getName());
  }

  llvm::Constant *number(uint64_t value) {
    return llvm::ConstantInt::get(word, value);
  }

  /// What was declared, as words, is this.
  llvm::Constant *define(StringRef symbol, llvm::Constant *value,
                         bool isConstant) {
    llvm::GlobalVariable *declared = host.getGlobalVariable(symbol);
    auto *defined =
        new llvm::GlobalVariable(host, value->getType(), isConstant,
                                 llvm::GlobalValue::InternalLinkage, value);
    defined->takeName(declared);
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
    return defined;
  }

  /// The name is for messages, where there are several.
  llvm::Constant *program(tw::DeviceAttr device, bool hasName) {
    const Shared &shared = sharedOf(device.getTarget());
    SmallVector<llvm::Constant *> data;
    for (auto name : constantsOf()
                         .getAs<ArrayAttr>(device.getName())
                         .getAsRange<StringAttr>())
      data.push_back(constant(name));
    llvm::Constant *none = llvm::Constant::getNullValue(pointer);
    auto *type = llvm::StructType::get(
        host.getContext(),
        {pointer, pointer, pointer, word, pointer, word, pointer, pointer});
    return llvm::ConstantStruct::get(
        type, {shared.code, shared.gfx, shared.names, number(shared.count),
               addArray(host, constantType(), data, "tw_hip_constants"),
               number(data.size()), none,
               hasName ? addString(host, device.getName()) : none});
  }

  llvm::StructType *constantType() {
    return llvm::StructType::get(host.getContext(), {pointer, word, word});
  }

  llvm::Constant *constant(StringAttr name) {
    auto inFile = module->getAttrOfType<DictionaryAttr>(kConstantOffsetsAttr);
    if (auto place = inFile ? inFile.getAs<DenseI64ArrayAttr>(name) : nullptr)
      return llvm::ConstantStruct::get(constantType(),
                                       {llvm::Constant::getNullValue(pointer),
                                        number(place[1]), number(place[0])});
    llvm::GlobalVariable *global =
        host.getGlobalVariable(name, /*AllowInternal=*/true);
    return llvm::ConstantStruct::get(
        constantType(),
        {global,
         number(host.getDataLayout().getTypeStoreSize(global->getValueType())),
         number(0)});
  }

  /// What devices of one target have in common.
  struct Shared {
    llvm::Constant *code, *gfx, *names;
    uint64_t count;
  };

  const Shared &sharedOf(StringRef target) {
    auto [known, isNew] = byTarget.try_emplace(target);
    if (!isNew)
      return known->second;
    const EmittedCode &emitted =
        *llvm::find_if(code, [&](const EmittedCode &each) {
          return each.description.target == target;
        });
    llvm::GlobalVariable *bytes = addConstant(
        host,
        llvm::ConstantDataArray::getRaw(
            StringRef(emitted.bytes.data(), emitted.bytes.size()),
            emitted.bytes.size(), llvm::Type::getInt8Ty(host.getContext())),
        "tw_hip_code_object");
    bytes->setAlignment(llvm::Align(kCodeObjectAlignment));
    SmallVector<llvm::Constant *> names;
    for (const std::string &name : emitted.description.kernels)
      names.push_back(addString(host, name));
    known->second = {bytes, addString(host, emitted.gfx),
                     addArray(host, pointer, names, "tw_hip_kernels"),
                     names.size()};
    return known->second;
  }

  ModuleOp module;
  llvm::Module &host;
  ArrayRef<EmittedCode> code;
  llvm::Type *word, *pointer;
  llvm::StringMap<Shared> byTarget;
};

} // namespace

void definePrograms(ModuleOp module, llvm::Module &host,
                    ArrayRef<EmittedCode> code) {
  ProgramData(module, host, code).define();
}

} // namespace tilewright
