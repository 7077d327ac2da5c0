// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/KernelGenerator.h"

#include "PipelinedKernel.h"
#include "SimpleKernel.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Dialect/Passes.h"
#include "tilewright/Target/Amdgpu/Passes.h"
#include "tilewright/Target/Amdgpu/WaveTile.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Verifier.h"

using namespace mlir;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kKernel = "_mmt4d_kernel_",
                              kTile = "_mmt4d_tile_";

DialectRegistry dialects() {
  DialectRegistry registry;
  registry.insert<amdgpu::AMDGPUDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  ROCDL::ROCDLDialect, scf::SCFDialect, tw::TwDialect,
                  ub::UBDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  return registry;
}

void buildRotation(OpPassManager &pm) {
  pm.addPass(createPipelineStages());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void buildLowering(OpPassManager &pm, llvm::StringRef chip) {
  buildRotation(pm);
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerStageBoundariesToAmdgpu());
  device.addPass(createSCFToControlFlowPass());
  ConvertAMDGPUToROCDLPassOptions amdgpuOptions;
  amdgpuOptions.chipset = chip.str();
  device.addPass(createConvertAMDGPUToROCDLPass(amdgpuOptions));
  ConvertGpuOpsToROCDLOpsOptions rocdlOptions;
  rocdlOptions.chipset = chip.str();
  rocdlOptions.runtime = gpu::amd::Runtime::HIP;
  rocdlOptions.useBarePtrCallConv = true;
  device.addPass(createConvertGpuOpsToROCDLOps(rocdlOptions));
  device.addPass(createReconcileUnrealizedCastsPass());
}

/// Beside each kernel, for hosts that launch what they loaded by name.
void addLaunchConstant(llvm::Module &module, llvm::StringRef name,
                       const tw_mmt4d_launch_t &launch) {
  uint32_t words[] = {launch.block_size, launch.tiles_m, launch.tiles_n,
                      launch.dynamic_lds};
  llvm::Constant *data =
      llvm::ConstantDataArray::get(module.getContext(), words);
  auto *global = new llvm::GlobalVariable(
      module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::ExternalLinkage, data, name + "_launch", nullptr,
      llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/4);
  global->setAlignment(llvm::Align(4));
  global->setVisibility(llvm::GlobalValue::ProtectedVisibility);
}

/// tw_mmt4d_params_t by value in the kernarg segment.
void setKernelArgument(llvm::Function &kernel) {
  llvm::LLVMContext &context = kernel.getContext();
  llvm::Type *words =
      llvm::ArrayType::get(llvm::Type::getInt64Ty(context), field::kBytes / 8);
  kernel.addParamAttr(0, llvm::Attribute::getWithByRefType(context, words));
  kernel.addParamAttr(
      0, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
  kernel.addParamAttr(0, llvm::Attribute::NoUndef);
}

} // namespace

std::string kernelName(const TileKey &key, llvm::StringRef prefix) {
  std::string tile = printTileKey(key, std::string_view(prefix));
  return (prefix + kKernel).str() + tile.substr(prefix.size() + kTile.size());
}

bool looksLikeKernelName(llvm::StringRef name, llvm::StringRef prefix) {
  return name.starts_with((prefix + kKernel).str());
}

std::string tileNameOf(llvm::StringRef kernelName, llvm::StringRef prefix) {
  return (prefix + kTile +
          kernelName.drop_front(prefix.size() + kKernel.size()))
      .str();
}

tw_mmt4d_launch_t kernelLaunch(const TileKey &key, const KernelPlan &plan) {
  tw_mmt4d_launch_t launch = {};
  launch.block_size = plan.waves() * waveSize(key.isa);
  launch.tiles_m = plan.tilesM;
  launch.tiles_n = plan.tilesN;
  return launch;
}

struct KernelGenerator::Impl {
  Impl() : context(dialects(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  Error run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build);
  Expected<std::unique_ptr<llvm::Module>>
  pipelined(const TileKey &key, const KernelPlan &plan, llvm::StringRef name,
            llvm::LLVMContext &llvmContext);
  Expected<std::unique_ptr<llvm::Module>>
  simple(const TileKey &key, const KernelPlan &plan, llvm::StringRef name,
         const KernelOptions &options, DeviceBackend &backend,
         llvm::LLVMContext &llvmContext);

  MLIRContext context;
  DeviceBackends backends;
};

Error KernelGenerator::Impl::run(
    ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      text += (text.empty() ? "" : "; ") + diagnostic.str();
  });
  PassManager passes(&context);
  build(passes);
  if (succeeded(passes.run(module)))
    return Error::success();
  return createStringError(text.empty() ? "a pass failed" : text);
}

Expected<std::unique_ptr<llvm::Module>>
KernelGenerator::Impl::pipelined(const TileKey &key, const KernelPlan &plan,
                                 llvm::StringRef name,
                                 llvm::LLVMContext &llvmContext) {
  OwningOpRef<ModuleOp> module =
      buildPipelinedKernel(&context, key, plan, name);
  if (Error error = run(*module, [&](OpPassManager &pm) {
        buildLowering(pm, processorOf(key.isa));
      }))
    return std::move(error);
  auto device = *module->getOps<gpu::GPUModuleOp>().begin();
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(device, llvmContext, name,
                              /*disableVerification=*/true);
  if (!translated)
    return createStringError("translation to LLVM IR failed");
  return translated;
}

Expected<std::unique_ptr<llvm::Module>> KernelGenerator::Impl::simple(
    const TileKey &key, const KernelPlan &plan, llvm::StringRef name,
    const KernelOptions &options, DeviceBackend &backend,
    llvm::LLVMContext &llvmContext) {
  Expected<std::unique_ptr<llvm::Module>> module =
      options.tile
          ? options.tile(key, llvmContext)
          : generateWaveTile(key, options.prefix, "", backend, llvmContext);
  if (!module)
    return module.takeError();
  std::string tile = printTileKey(key, options.prefix);
  llvm::Function *function = (*module)->getFunction(tile);
  if (!function || function->isDeclaration())
    return createStringError("the tile's module does not define '" + tile +
                             "'");
  addSimpleKernel(**module, key, plan, name, tile);
  return module;
}

KernelGenerator::KernelGenerator() : impl(std::make_unique<Impl>()) {}
KernelGenerator::~KernelGenerator() = default;

Expected<GeneratedKernel>
KernelGenerator::generate(const TileKey &key, const KernelOptions &options,
                          llvm::LLVMContext &context) {
  if (std::string why = validateTileKey(key); !why.empty())
    return createStringError("invalid tile key: " + why);
  GeneratedKernel kernel;
  kernel.name = kernelName(key, options.prefix);
  auto named = [&](Error error) {
    return createStringError(kernel.name + ": " +
                             llvm::toString(std::move(error)));
  };
  if (!info(key.isa).isGpu())
    return named(createStringError("workgroup kernels are for amdgpu"));
  Expected<KernelPlan> plan = planKernel(key, options.plan);
  if (!plan)
    return named(plan.takeError());
  kernel.plan = *plan;
  kernel.launch = kernelLaunch(key, *plan);
  Expected<DeviceBackend *> backend = impl->backends.get(key.isa);
  if (!backend)
    return named(backend.takeError());
  Expected<std::unique_ptr<llvm::Module>> module =
      plan->form == KernelForm::Simple
          ? impl->simple(key, *plan, kernel.name, options, **backend, context)
          : impl->pipelined(key, *plan, kernel.name, context);
  if (!module)
    return named(module.takeError());
  kernel.module = std::move(*module);
  setKernelArgument(*kernel.module->getFunction(kernel.name));
  addLaunchConstant(*kernel.module, kernel.name, kernel.launch);
  (*backend)->setTarget(*kernel.module);
  std::string invalid;
  llvm::raw_string_ostream os(invalid);
  if (llvm::verifyModule(*kernel.module, &os))
    return named(
        createStringError("the generated LLVM IR is invalid: " + invalid));
  return kernel;
}

Expected<std::string> KernelGenerator::printStages(const TileKey &key,
                                                   const KernelOptions &options,
                                                   bool rotated) {
  std::string name = kernelName(key, options.prefix);
  Expected<KernelPlan> plan = planKernel(key, options.plan);
  if (!plan)
    return createStringError(name + ": " + llvm::toString(plan.takeError()));
  if (plan->form != KernelForm::Pipelined)
    return createStringError(name + ": its plan is the simple form, which has "
                                    "no stages");
  OwningOpRef<ModuleOp> module =
      buildPipelinedKernel(&impl->context, key, *plan, name);
  if (rotated)
    if (Error error = impl->run(*module, buildRotation))
      return createStringError(name + ": " + llvm::toString(std::move(error)));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  os << '\n';
  return text;
}

} // namespace tilewright
