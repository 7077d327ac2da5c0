// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/Backend.h"

#include "ChosenPasses.h"
#include "tilewright/Devices/RegisterTarget.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace tilewright {
namespace {

/// What is known of the architecture of a triple; null if nothing is.
const tilewright::Target *roomOf(const Triple &triple) {
  for (const ArchitectureInfo &row : architectures())
    if (architectureOf(row) == triple.getArch())
      return findTarget(StringRef(row.enumName));
  return nullptr;
}

CodeGeneration codeGenerationOf(const Triple &triple) {
  const tilewright::Target *room = roomOf(triple);
  return room ? room->codeGeneration() : CodeGeneration();
}

/// Loops are aligned however many bytes that takes: LLVM has cores on which it
/// would rather not.
struct AlignLoops : MachineFunctionPass {
  static char ID;
  AlignLoops() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Align loops"; }
  bool runOnMachineFunction(MachineFunction &function) override {
    for (MachineBasicBlock &block : function)
      block.setMaxBytesForAlignment(0);
    return false; // no instruction
  }
};
char AlignLoops::ID = 0;

/// Of a planned tile function.
Schedule scheduleOf(const Function &function) {
  int number = 0;
  function.getFnAttribute(kSchedule).getValueAsString().getAsInteger(10,
                                                                     number);
  return static_cast<Schedule>(number);
}

/// Of the tile function that a module has, beside what it calls.
Schedule scheduleOf(const Module &module) {
  Schedule schedule = Schedule::Planned;
  for (const Function &function : module)
    schedule = std::max(schedule, scheduleOf(function));
  return schedule;
}

} // namespace

std::string featuresWithBaseline(const Triple &triple, StringRef features) {
  const tilewright::Target *room = roomOf(triple);
  StringRef baseline = room ? room->baselineFeatures() : "";
  bool both = !baseline.empty() && !features.empty();
  return (baseline + (both ? "," : "") + features).str();
}

TargetOptions targetOptions(const Triple &triple) {
  TargetOptions options;
  options.FunctionSections = true; // what a program does not use, it can drop
  if (const tilewright::Target *room = roomOf(triple))
    options.MCOptions.ABIName = room->abiName();
  return options;
}

Triple defaultTriple(Triple::ArchType arch) {
  return defaultTriple(arch, Triple(sys::getDefaultTargetTriple()));
}

Triple defaultTriple(Triple::ArchType arch, Triple host) {
  if (arch == Triple::UnknownArch || arch == host.getArch())
    return host;
  // A device has an operating system of its own.
  for (const ArchitectureInfo &row : architectures())
    if (row.kind == ArchitectureInfo::Kind::GPU && architectureOf(row) == arch)
      return Triple(StringRef(row.triple));
  host.setArch(arch);
  // A vendor of x86 machines only.
  if (host.getVendor() == Triple::PC)
    host.setVendor(Triple::UnknownVendor);
  return host;
}

Expected<Triple> targetTriple(Triple::ArchType arch, StringRef wanted) {
  if (wanted.empty())
    return defaultTriple(arch);
  Triple triple(Triple::normalize(wanted));
  if (arch != Triple::UnknownArch && arch != triple.getArch())
    return createStringError("target triple '%s' is not of the instruction "
                             "set's architecture, %s",
                             triple.str().c_str(),
                             Triple::getArchTypeName(arch).str().c_str());
  return triple;
}

Expected<Triple> targetTriple(const IsaInfo &isa, StringRef wanted) {
  return targetTriple(architectureOf(isa), wanted);
}

Expected<std::unique_ptr<Backend>> Backend::create(const Triple &triple) {
  registerTarget(triple.getArch());
  std::string why;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, why);
  if (!target)
    return createStringError("no code generator for target triple '%s': %s",
                             triple.str().c_str(), why.c_str());
  if (!triple.isLittleEndian() || !triple.isArch64Bit())
    return createStringError("target triple '%s': tile functions need a "
                             "little-endian 64-bit target",
                             triple.str().c_str());
  TargetOptions options = targetOptions(triple);
  // K loops start on a cache line: their speed does not depend on what happens
  // to stand before them.
  options.LoopAlignment = 64;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, "", featuresWithBaseline(triple, ""), options, Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("LLVM has no back end for target triple '%s'",
                             triple.str().c_str());
  return std::unique_ptr<Backend>(new Backend(std::move(machine)));
}

Expected<Backend *> Backends::get(const Triple &triple) {
  std::unique_ptr<Backend> &backend = byTriple[triple.str()];
  if (!backend) {
    Expected<std::unique_ptr<Backend>> created = Backend::create(triple);
    if (!created)
      return created.takeError();
    backend = std::move(*created);
  }
  return backend.get();
}

void Backend::setTarget(Module &module, const IsaInfo &isa) const {
  setTarget(module, [&](Function &function) {
    setTarget(function, "", isa.llvmFeatures(), isa);
  });
}

void Backend::setTarget(Module &module, const TargetCpu &target) const {
  setTarget(module, [&](Function &function) { setTarget(function, target); });
}

void Backend::setTarget(Function &function, const TargetCpu &target) const {
  setTarget(function, target.cpu, target.codeFeatures, target.best());
}

void Backend::setTarget(Module &module,
                        function_ref<void(Function &)> setForEach) const {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  for (Function &function : module)
    if (!function.isDeclaration())
      setForEach(function);
}

void Backend::setTarget(Function &function, StringRef cpu, std::string features,
                        const IsaInfo &isa) const {
  const CodeGeneration generation =
      codeGenerationOf(machine->getTargetTriple());
  features = featuresWithBaseline(machine->getTargetTriple(), features);
  if (cpu.empty())
    cpu = generation.cpu;
  if (!cpu.empty())
    function.addFnAttr("target-cpu", cpu);
  if (generation.statesVectorWidth) {
    std::string width = std::to_string(isa.vectorBits);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
  }
  if (!generation.tuneCpu.empty()) {
    if (!isa.features.empty() && function.hasFnAttribute(kRegularTile))
      function.addFnAttr("tune-cpu", generation.tuneCpu);
    function.removeFnAttr(kRegularTile);
  }
  if (Schedule schedule = scheduleOf(function); schedule != Schedule::Planned)
    function.addFnAttr("tune-cpu", schedule == Schedule::Late
                                       ? generation.lateSchedule
                                       : generation.fullSchedule);
  if (!features.empty())
    function.addFnAttr("target-features", features);
  function.addFnAttr(Attribute::NoUnwind);
  function.addFnAttr(Attribute::WillReturn);
  function.addFnAttr(Attribute::NoRecurse);
}

/// The new pass manager's apparatus, set up once.
struct Backend::Optimizer {
  explicit Optimizer(TargetMachine *machine) : builder(machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
    // The plan has decided everything that matters; this only removes the
    // empty blocks that piecewise emission leaves, each of which costs code
    // generation a round of its own.
    passes.addPass(SimplifyCFGPass());
  }

  void run(Module &module) {
    for (Function &function : module)
      if (!function.isDeclaration())
        passes.run(function, functions);
    modules.clear();
    sccs.clear();
    functions.clear();
    loops.clear();
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  FunctionPassManager passes;
};

/// Code generation passes that run over one module after another.
struct Backend::KeptPasses {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os{bytes};
  legacy::PassManager passes;
};

Backend::Backend(std::unique_ptr<TargetMachine> machine)
    : machine(std::move(machine)) {}
Backend::~Backend() = default;

void Backend::optimize(Module &module) {
  if (!optimizer)
    optimizer = std::make_unique<Optimizer>(machine.get());
  optimizer->run(module);
}

/// What addPassesToEmitFile adds, without the passes over LLVM IR that have
/// nothing to do on a planned kernel (strength reduction, CodeGenPrepare,
/// constant hoisting, memcmp expansion, ...): a fifth of the time of code
/// generation, and the loops come out the same. docs/adr/0005 has the figures.
bool Backend::addShortPasses(legacy::PassManagerBase &passes,
                             raw_pwrite_stream &os, CodeGenFileType type,
                             Schedule schedule) {
  TargetPassConfig *config = machine->createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  auto *info = new MachineModuleInfoWrapperPass(machine.get());
  passes.add(info);
  passes.add(
      createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
  // What the code may contain and not every ISA has selection patterns for.
  passes.add(createPreISelIntrinsicLoweringPass());
  passes.add(createScalarizeMaskedMemIntrinLegacyPass());
  passes.add(createExpandReductionsPass());
  passes.add(createUnreachableBlockEliminationPass());
  config->addISelPrepare();
  if (config->addInstSelector())
    return false;
  passes.add(Pass::createPass(&FinalizeISelID));
  for (AnalysisID idle :
       {&EarlyTailDuplicateLegacyID, &MachineCSELegacyID,
        &MachineSinkingLegacyID, &BranchFolderPassID, &TailDuplicateLegacyID,
        &MachineCopyPropagationID, &PostRAMachineSinkingID, &MachineLICMID})
    config->disablePass(idle);
  if (schedule != Schedule::Full)
    config->disablePass(&MachineSchedulerID);
  if (schedule == Schedule::Planned &&
      codeGenerationOf(machine->getTargetTriple()).keepsPlannedOrder())
    for (AnalysisID scheduler : {&PostMachineSchedulerID, &PostRASchedulerID})
      config->disablePass(scheduler);
  config->addMachinePasses();
  config->setInitialized();
  if (schedule != Schedule::Planned)
    passes.add(new AlignLoops);
  if (machine->addAsmPrinter(passes, os, nullptr, type,
                             info->getMMI().getContext()))
    return false;
  passes.add(createFreeMachineFunctionPass());
  return true;
}

Error Backend::addPasses(legacy::PassManager &passes, raw_pwrite_stream &os,
                         CodeGenFileType type, CodegenPasses which,
                         Schedule schedule) {
  const Triple &triple = machine->getTargetTriple();
  const CodeGeneration generation = codeGenerationOf(triple);
  const bool planned = which == CodegenPasses::Planned;
  ChosenPasses chosen(passes, generation.idlePasses);
  legacy::PassManagerBase &into = passes;
  bool added = planned && generation.takesShortPasses
                   ? addShortPasses(chosen, os, type, schedule)
                   : !machine->addPassesToEmitFile(planned ? chosen : into, os,
                                                   nullptr, type,
                                                   /*DisableVerify=*/true);
  if (added)
    return Error::success();
  return createStringError("LLVM's back end for '%s' cannot emit this kind of "
                           "file",
                           triple.str().c_str());
}

Error Backend::emit(Module &module, CodeGenFileType type, CodegenPasses which,
                    SmallVectorImpl<char> &bytes) {
  Schedule schedule = scheduleOf(module);
  // Setting the passes up costs as much as running them over a small kernel:
  // those of the common case are kept.
  if (type == CodeGenFileType::ObjectFile && which == CodegenPasses::Planned) {
    std::unique_ptr<KeptPasses> &own = kept[static_cast<int>(schedule)];
    if (!own) {
      auto fresh = std::make_unique<KeptPasses>();
      if (Error error =
              addPasses(fresh->passes, fresh->os, type, which, schedule))
        return error;
      own = std::move(fresh);
    }
    own->bytes.clear();
    own->passes.run(module);
    bytes.assign(own->bytes.begin(), own->bytes.end());
    return Error::success();
  }
  legacy::PassManager passes;
  raw_svector_ostream os(bytes);
  if (Error error = addPasses(passes, os, type, which, schedule))
    return error;
  passes.run(module);
  return Error::success();
}

} // namespace tilewright
