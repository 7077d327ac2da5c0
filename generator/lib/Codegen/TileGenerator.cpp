// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/TileGenerator.h"

#include "RegistryEntry.h"
#include "UndefinedSymbols.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/DeviceTile.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/ContextErrors.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/Pipelines.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace mlir;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace tilewright {
namespace {

/// An MLIRContext keeps every type, attribute and name it has seen. A fresh one
/// after this many kernels keeps memory flat; it costs about as much as one
/// kernel.
constexpr unsigned kKernelsPerContext = 256;

DialectRegistry dialects() {
  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
              tw::TwDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

/// Collects MLIR's diagnostics as one message.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += (text.empty() ? "" : "; ") + diagnostic.str();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

struct TileGenerator::Impl {
  DialectRegistry registry = dialects();
  std::unique_ptr<MLIRContext> mlirContext;
  unsigned kernelsInContext = 0;
  Backends backends;
  DeviceBackends deviceBackends;

  MLIRContext &context();
  Expected<Backend *> backendFor(const TileKey &key, const GenerateOptions &o);
  Error generate(GeneratedTile &tile, const GenerateOptions &options);
  Error compile(ModuleOp module, Backend &backend, DiagnosticText &diagnostics,
                GeneratedTile &tile, const GenerateOptions &options);
};

MLIRContext &TileGenerator::Impl::context() {
  if (!mlirContext || kernelsInContext++ >= kKernelsPerContext) {
    mlirContext = std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED);
    mlirContext->loadAllAvailableDialects();
    kernelsInContext = 0;
  }
  return *mlirContext;
}

Expected<Backend *> TileGenerator::Impl::backendFor(const TileKey &key,
                                                    const GenerateOptions &o) {
  Expected<llvm::Triple> triple = targetTriple(info(key.isa), o.triple);
  if (!triple)
    return triple.takeError();
  return backends.get(*triple);
}

namespace {

Error runPasses(ModuleOp module,
                llvm::function_ref<void(OpPassManager &)> build,
                DiagnosticText &diagnostics) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  build(passes);
  if (succeeded(passes.run(module)))
    return Error::success();
  return createStringError(diagnostics.text.empty() ? "a pass failed"
                                                    : diagnostics.text);
}

void print(ModuleOp module, llvm::SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream os(bytes);
  module.print(os, OpPrintingFlags().useLocalScope());
  os << '\n';
}

void print(llvm::StringRef text, llvm::SmallVectorImpl<char> &bytes) {
  bytes.assign(text.begin(), text.end());
  bytes.push_back('\n');
}

} // namespace

Error TileGenerator::Impl::generate(GeneratedTile &tile,
                                    const GenerateOptions &options) {
  if (tile.kind == Emit::Keys) {
    print(tile.name, tile.bytes);
    return Error::success();
  }
  if (info(tile.key.isa).isGpu())
    return generateDeviceTile(tile, options, deviceBackends);
  if (tile.kind == Emit::CodeObject)
    return createStringError("code objects are for amdgpu; expected another "
                             "kind of file, such as an object");
  if (tile.kind == Emit::Plan) {
    Expected<TilePlan> plan = planTile(tile.key, planParts(tile.key, options));
    if (!plan)
      return plan.takeError();
    print(printTilePlan(*plan), tile.bytes);
    return Error::success();
  }
  // The linalg form says what a tile computes: to read, and for the oracle. Its
  // code follows from the plan.
  const bool isDefined =
      tile.kind == Emit::Linalg || options.lowering == Lowering::Loops;
  MLIRContext &mlir = context();
  DiagnosticText diagnostics(&mlir);
  OwningOpRef<ModuleOp> module;
  {
    StepTimer timer(tile.times.build);
    OpBuilder b(&mlir);
    module = ModuleOp::create(b.getUnknownLoc());
    b.setInsertionPointToEnd(module->getBody());
    declareTileFunction(b, b.getUnknownLoc(),
                        tw::TileAttr::get(&mlir, tile.key, options.prefix));
    auto build = [&](OpPassManager &pm) {
      if (isDefined)
        pm.addPass(createDefineTileFunctions({options.prefix}));
      else
        pm.addPass(createPlanTileFunctions(
            {options.prefix, planParts(tile.key, options)}));
    };
    if (Error error = runPasses(*module, build, diagnostics))
      return error;
  }
  if (tile.kind == Emit::Linalg) {
    print(*module, tile.bytes);
    return Error::success();
  }
  const IsaInfo &isa = info(tile.key.isa);
  {
    StepTimer timer(tile.times.lower);
    auto lower = [&](OpPassManager &pm) {
      if (isDefined)
        buildLowerToLoops(pm, machineOf(isa).convertsHalf);
      else
        pm.addPass(createGenerateTileFunctions());
    };
    if (Error error = runPasses(*module, lower, diagnostics))
      return error;
    if (tile.kind == Emit::Vector) {
      print(*module, tile.bytes);
      return Error::success();
    }
    auto convert = [&](OpPassManager &pm) {
      if (isDefined)
        buildLowerToLLVM(pm);
      else
        pm.addPass(createConvertTilesToLLVM());
    };
    if (Error error = runPasses(*module, convert, diagnostics))
      return error;
  }
  Expected<Backend *> backend = backendFor(tile.key, options);
  if (!backend)
    return backend.takeError();
  return compile(*module, **backend, diagnostics, tile, options);
}

Error TileGenerator::Impl::compile(ModuleOp module, Backend &backend,
                                   DiagnosticText &diagnostics,
                                   GeneratedTile &tile,
                                   const GenerateOptions &options) {
  llvm::LLVMContext llvmContext;
  ContextErrors backendErrors(llvmContext);
  std::unique_ptr<llvm::Module> llvmModule;
  {
    StepTimer timer(tile.times.translate);
    // MLIR's own verification would print to standard error.
    llvmModule = translateModuleToLLVMIR(module, llvmContext, tile.name,
                                         /*disableVerification=*/true);
    if (!llvmModule)
      return createStringError("translation to LLVM IR failed: " +
                               diagnostics.text);
    std::string invalid;
    llvm::raw_string_ostream os(invalid);
    if (llvm::verifyModule(*llvmModule, &os))
      return createStringError("the generated LLVM IR is invalid: " + invalid);
    llvmModule->setSourceFileName(tile.name);
    backend.setTarget(*llvmModule, info(tile.key.isa));
    if (options.registryEntry)
      addRegistryEntry(*llvmModule, *llvmModule->getFunction(tile.name));
  }
  {
    StepTimer timer(tile.times.optimize);
    backend.optimize(*llvmModule);
  }
  StepTimer timer(tile.times.codegen);
  llvm::raw_svector_ostream os(tile.bytes);
  switch (tile.kind) {
  case Emit::LLVM:
    os << *llvmModule;
    break;
  case Emit::Bitcode:
    llvm::WriteBitcodeToFile(*llvmModule, os);
    break;
  case Emit::Asm:
    return backend.emit(*llvmModule, llvm::CodeGenFileType::AssemblyFile,
                        CodegenPasses::Planned, tile.bytes);
  default:
    if (Error error =
            backend.emit(*llvmModule, llvm::CodeGenFileType::ObjectFile,
                         CodegenPasses::Planned, tile.bytes))
      return error;
    if (Error error = checkUndefinedSymbols(tile.bytes))
      return error;
  }
  return backendErrors.takeError();
}

std::string planParts(const TileKey &key, const GenerateOptions &options) {
  return withCore(options.plan, key, options.tuneCpu);
}

bool wantsOtherIdiom(const TileKey &key, const GenerateOptions &options) {
  GenerateOptions core;
  core.tuneCpu = options.tuneCpu;
  std::string parts = planParts(key, core);
  if (parts.empty())
    return false;
  Expected<TilePlan> own = planTile(key, parts), usual = planTile(key);
  bool differs = own && usual && own->idiom != usual->idiom;
  llvm::consumeError(own.takeError());
  llvm::consumeError(usual.takeError());
  return differs;
}

TileGenerator::TileGenerator() : impl(std::make_unique<Impl>()) {}
TileGenerator::~TileGenerator() = default;
TileGenerator::TileGenerator(TileGenerator &&) noexcept = default;
TileGenerator &TileGenerator::operator=(TileGenerator &&) noexcept = default;

Expected<GeneratedTile>
TileGenerator::generate(const TileKey &key, Emit kind,
                        const GenerateOptions &options) {
  GeneratedTile tile;
  tile.key = key;
  tile.kind = kind;
  if (std::string why = validateTileKey(key); !why.empty())
    return createStringError("invalid tile key: " + why);
  tile.name = printTileKey(key, options.prefix);
  CurrentTile current(tile.name);
  if (Error error = impl->generate(tile, options)) {
    std::string why = llvm::toString(std::move(error));
    bool named = llvm::StringRef(why).starts_with(tile.name);
    return createStringError(named ? why : tile.name + ": " + why);
  }
  return tile;
}

} // namespace tilewright
