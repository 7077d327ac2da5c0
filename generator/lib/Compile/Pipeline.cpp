// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline.h"

#include "Arena/ArenaLayout.h"
#include "DeviceTargets.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/Pipelines.h"
#include "tilewright/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizePlaced());
  pm.addPass(createCSEPass());
}

/// Why arguments cannot be handed over packed; empty if they can.
std::string whyRowMajor(const ModelOptions &options) {
  if (options.describe)
    return "a program's runner reads arguments from files, where they are "
           "row-major; compile a library, .a, .o or .so, that C calls";
  if (options.reference)
    return "--reference packs nothing; compile without it";
  if (options.dataTiling != DataTiling::Late &&
      options.dataTiling != DataTiling::Early)
    return "without data tiling all operands are row-major; expected "
           "--data-tiling=late or early";
  return "";
}

/// Whether all of the devices do it by instructions.
bool allConvertF16(const ModelOptions &options) {
  return llvm::all_of(options.devices, [](const ModelDevice &device) {
    return device.isGpu() || loopMachineOf(device.cpu).convertsHalf;
  });
}

} // namespace

bool callsContractions(const ModelOptions &options) {
  return !options.inlineTiles && (options.dataTiling == DataTiling::Late ||
                                  options.dataTiling == DataTiling::Early);
}

void registerModelDialects(DialectRegistry &registry,
                           const std::function<void(TargetCpu &)> &tune) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
              math::MathDialect, ml_program::MLProgramDialect,
              memref::MemRefDialect, ROCDL::ROCDLDialect, scf::SCFDialect,
              tensor::TensorDialect, tw::TwDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  registerPackBufferization(registry);
  registerDevices(registry, tune);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

void addModelStep(OpPassManager &pm, const ModelOptions &options) {
  pm.addPass(createNameEntryPoints());
  DeclarePacksOptions packs;
  packs.rowMajorBecause = whyRowMajor(options);
  pm.addPass(createDeclarePacks(packs));
  pm.addNestedPass<func::FuncOp>(createCommonForms());
  pm.addPass(createThreadState());
  pm.addPass(createPlainSignatures());
  pm.addPass(createCheckModel());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createHoistAsserts());
  pm.addNestedPass<func::FuncOp>(createCheckSizes());
  AssignDevicesOptions assign;
  for (const ModelDevice &device : options.devices)
    assign.devices.push_back(device.name + '=' + device.target);
  pm.addPass(createAssignDevices(assign));
  pm.addPass(createCheckVectors());
  // No patterns of tensors before the entry points have their checks: a slice
  // of all of a tensor, say, is taken for the tensor, wherever it begins.
  pm.addPass(createInlinerPass(llvm::StringMap<OpPassManager>(),
                               [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  if (options.hasGpu())
    pm.addNestedPass<func::FuncOp>(createKeepOnHost());
  // Again, with what callers pass.
  pm.addNestedPass<func::FuncOp>(createCheckSizes());
  pm.addNestedPass<func::FuncOp>(createFoldSizes());
  MakeEntryPointsOptions entries;
  entries.describe = options.describe;
  entries.threads = options.threads;
  entries.leastTask = options.leastTask;
  pm.addPass(createMakeEntryPoints(entries));
  if (!options.reference)
    pm.addNestedPass<func::FuncOp>(
        createFoldConstantMoves({allConvertF16(options)}));
  pm.addNestedPass<func::FuncOp>(createStructureTensors());
  addCleanup(pm);
  if (!options.reference) {
    PlainProductsOptions products;
    products.convolutions = callsContractions(options);
    pm.addNestedPass<func::FuncOp>(createPlainProducts(products));
    // Behind it: a product reads its weights as they came where it can.
    HoistParameterWorkOptions hoist;
    hoist.hasInstance = options.parametersInFile;
    hoist.runOnce = options.runOnce;
    pm.addPass(createHoistParameterWork(hoist));
  }
  pm.addNestedPass<func::FuncOp>(createFuseElementwise());
  addCleanup(pm);
}

void addEncodeStep(OpPassManager &pm, const ModelOptions &options) {
  if (options.reference)
    return;
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  if (options.dataTiling == DataTiling::Unset) {
    funcs.addPass(createPlainContractions());
    return addCleanup(funcs);
  }
  SetEncodingsOptions set;
  set.convolutions = callsContractions(options);
  if (options.inlineTiles && options.dataTiling != DataTiling::None)
    set.convolutionLoopsBecause =
        "with --inline nothing gathers windows: that is done by code of the "
        "library that is called; compile without it";
  addVerified(funcs, createSetEncodings(set));
  addVerified(funcs, createCanonicalizePlaced());
  addVerified(funcs, createCSEPass());
  if (options.dataTiling == DataTiling::None) {
    addVerified(funcs, createDropEncodings(), Encodings::NoneLeft);
    return addCleanup(funcs);
  }
  AgreeEncodingsOptions agree;
  agree.hostPacksBlocks = callsContractions(options);
  pm.addPass(createAgreeEncodings(agree));
  pm.addNestedPass<func::FuncOp>(createVerifyEncodings());
  TakePackedOptions take;
  take.prefix = options.prefix;
  take.hostPacksBlocks = callsContractions(options);
  pm.addPass(createTakePacked(take));
  pm.addNestedPass<func::FuncOp>(createVerifyEncodings());
  if (options.hasGpu()) {
    pm.addPass(createSpecializeRows({options.prefix}));
    pm.addNestedPass<func::FuncOp>(createVerifyEncodings());
  }
  PropagateEncodingsOptions propagate;
  propagate.hostPacksBlocks = callsContractions(options);
  propagate.always = options.alwaysPropagate;
  pm.addPass(createPropagateEncodings(propagate));
  OpPassManager &encoded = pm.nest<func::FuncOp>();
  encoded.addPass(createVerifyEncodings());
  FoldEncodingsOptions fold;
  fold.hostPacksBlocks = callsContractions(options);
  addVerified(encoded, createFoldEncodings(fold));
  if (options.dataTiling != DataTiling::Late)
    return;
  addVerified(encoded, createGroupDispatches());
}

void addPackStep(OpPassManager &pm, const ModelOptions &options) {
  if (!options.reference) {
    OpPassManager &funcs = pm.nest<func::FuncOp>();
    SpecializeEncodingsOptions specialize;
    specialize.prefix = options.prefix;
    specialize.hostPacksBlocks = callsContractions(options);
    addSpecializeAndMaterialize(funcs, specialize);
    pm.addPass(createFoldConstantPacks());
    pm.addPass(createPackKept());
    if (callsContractions(options)) {
      pm.addNestedPass<func::FuncOp>(createFormMatmuls());
      KeepPackedOptions keep;
      keep.hasInstance = options.parametersInFile;
      keep.runOnce = options.runOnce;
      pm.addPass(createKeepPacked(keep));
    }
    pm.addNestedPass<func::FuncOp>(createReshapePacks());
    addCleanup(pm);
  }
  // What tiles read is theirs by now.
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(createExpandScalings());
  if (options.hasGpu()) {
    funcs.addPass(createRelayoutOnDevice());
    funcs.addPass(createLowerDevicePacks());
    addCleanup(funcs);
  }
  // What is left, devices have not done with what they compute.
  if (!options.reference) {
    FormPacksOptions packs;
    packs.prefix = options.prefix;
    funcs.addPass(createFormPacks(packs));
  }
}

void addDispatchStep(OpPassManager &pm, const ModelOptions &options) {
  // The host's reference is one function.
  if (options.reference && !options.hasGpu())
    return;
  pm.addPass(createOutlineDispatches());
  if (options.hasGpu())
    pm.addPass(createPlaceOnDevice());
}

void addBufferStep(OpPassManager &pm, const ModelOptions &options) {
  pm.addPass(createPlaceKept());
  pm.addPass(createFlattenDispatches());
  pm.addNestedPass<func::FuncOp>(createEmptyReshapes());
  pm.addNestedPass<func::FuncOp>(createSeparateEmpties());
  pm.addNestedPass<func::FuncOp>(createWriteResults());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferAlignment = kArenaAlignment;
  // What a loop carries may be another buffer each time.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createContiguousBuffers());
  addCleanup(pm);
  // What operations of a dispatch hand on is a row now, not a tensor.
  if (!options.reference) {
    pm.addPass(createFormEpilogues());
    pm.addPass(createVectorizeDispatches());
    addCleanup(pm);
  }
  pm.addPass(createHoistScratch());
  if (!options.hasGpu())
    pm.addPass(createPlanArena());
  // Of what has no place in the arena, and of the arena itself.
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createContiguousBuffers());
  pm.addPass(createPlainBuffers());
  addCleanup(pm);
  pm.addPass(createRequireAmx());
}

void addCallStep(OpPassManager &pm, const ModelOptions &options) {
  if (options.hasGpu()) {
    pm.addPass(createFormDispatches());
    addCleanup(pm);
  }
  pm.addPass(createCallDispatches());
  CallTileFunctionsOptions calls;
  calls.core = options.planCore;
  pm.addPass(createCallTileFunctions(calls));
  PlanTileFunctionsOptions plan;
  plan.prefix = options.prefix;
  plan.core = options.planCore;
  pm.addPass(createPlanTileFunctions(plan));
  pm.addPass(createSplitDispatches());
  pm.addNestedPass<func::FuncOp>(createLowerLoops());
  addCleanup(pm);
}

llvm::SmallVector<std::string> narrowFloats() {
  return {"bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
}

void addConversionsToLLVM(OpPassManager &pm, UnknownMath unknown) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerAsserts());
  if (unknown == UnknownMath::CallLibm)
    pm.addPass(createCallLibm());
  pm.addPass(createConvertMathToLLVMPass());
  // Takes vectors apart, of which functions of libm know nothing.
  if (unknown == UnknownMath::CallLibm)
    pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  ConvertFuncToLLVMPassOptions func;
  func.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(func));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createTrackAllocations());
}

void addLLVMStep(OpPassManager &pm, const ModelOptions &options) {
  pm.addPass(createExternalizeConstants());
  if (options.parametersInFile)
    pm.addPass(createLoadParameters());
  pm.addPass(createLoadKept());
  // Arithmetic on f16 and bf16 is done in f32 and rounded by each operation,
  // which is what IEEE 754 says of it, with or without instructions for it.
  // What is normal, though, is so in its own type.
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  math::MathExtendToSupportedTypesOptions extend;
  pm.addNestedPass<func::FuncOp>(
      math::createMathExtendToSupportedTypes(extend));
  if (!options.reference)
    pm.addNestedPass<func::FuncOp>(createApproximateMath());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = narrowFloats();
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  ExpandSmallFloatsOptions small;
  small.nativeF16 = allConvertF16(options);
  pm.addPass(createExpandSmallFloats(small));

  addConversionsToLLVM(pm, UnknownMath::CallLibm);
  pm.addPass(createMoveNarrowFloats());
  addCleanup(pm);
}

} // namespace tilewright
