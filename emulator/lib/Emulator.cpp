// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's public face.

#include "tilewright/Emulator/Emulator.h"
#include "Jit.h"
#include "Machine.h"
#include "Retarget.h"
#include "SourceProgram.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

struct Emulator::Impl {
  Impl(orc::ThreadSafeContext context, std::unique_ptr<Module> source,
       std::unique_ptr<Jit> jit, Target target, const EmulatorOptions &options)
      : context(std::move(context)), source(std::move(source)),
        jit(std::move(jit)), machine(target, options.stackBytes) {}

  Expected<const Program *> program(StringRef name, EntryKind kind);
  Error defineGlobals();
  Expected<Function *> find(StringRef name) const;

  orc::ThreadSafeContext context;
  std::unique_ptr<Module> source; ///< reports print its instructions
  std::unique_ptr<Jit> jit;
  Machine machine;
  std::deque<Site> sites;
  StringMap<Program> programs;
  StringMap<Global> globals;
  bool hasGlobals = false;
};

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Emulator::~Emulator() = default;

Expected<std::unique_ptr<Emulator>> Emulator::create(MemoryBufferRef input,
                                                     EmulatorOptions options) {
  auto owned = std::make_unique<LLVMContext>();
  LLVMContext &context = *owned;
  orc::ThreadSafeContext shared(std::move(owned));
  auto source = loadSource(input, context);
  if (!source)
    return source.takeError();
  auto target = targetOf(**source, options.gfx);
  if (!target)
    return target.takeError();
  if (Error failure = prepareSource(**source, *target))
    return failure;
  auto jit = Jit::create(shared);
  if (!jit)
    return jit.takeError();
  auto impl = std::make_unique<Impl>(std::move(shared), std::move(*source),
                                     std::move(*jit), *target, options);
  if (Error failure = impl->machine.initialize())
    return failure;
  return std::unique_ptr<Emulator>(new Emulator(std::move(impl)));
}

Expected<std::unique_ptr<Emulator>> Emulator::create(const Module &module,
                                                     EmulatorOptions options) {
  SmallVector<char, 0> bitcode = writeSource(module);
  return create(MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()),
                                module.getModuleIdentifier()),
                std::move(options));
}

StringRef Emulator::target() const { return impl->machine.target.name; }

Expected<Function *> Emulator::Impl::find(StringRef name) const {
  Function *function = source->getFunction(name);
  if (function && !function->isDeclaration())
    return function;
  std::string known;
  unsigned count = 0;
  for (const Function &other : *source)
    if (!other.isDeclaration() && ++count <= 10)
      known += (known.empty() ? "" : ", ") + other.getName().str();
  if (count > 10)
    known += formatv(" and {0} more", count - 10);
  return createStringError(
      formatv("emulator: no function '{0}' in {1}, which defines {2}", name,
              source->getModuleIdentifier(), known.empty() ? "none" : known));
}

Expected<unsigned> Emulator::waveSize(StringRef function) const {
  auto found = impl->find(function);
  if (!found)
    return found.takeError();
  return waveSizeOf(**found, impl->machine.target);
}

std::vector<std::string> Emulator::kernels() const {
  std::vector<std::string> names;
  for (const Function &function : *impl->source)
    if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL &&
        !function.isDeclaration())
      names.push_back(function.getName().str());
  return names;
}

/// Kernels are launched, other functions called.
static Error checkEntry(const Function &function, EntryKind kind) {
  bool kernel = function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
  if (kernel == (kind == EntryKind::Kernarg))
    return Error::success();
  return createStringError(
      formatv(kernel ? "emulator: {0} is a kernel: launch it"
                     : "emulator: {0} is not a kernel (calling convention "
                       "amdgpu_kernel): call it on a wave",
              function.getName()));
}

Expected<uint64_t> Emulator::kernargBytes(StringRef kernel) const {
  auto found = impl->find(kernel);
  if (!found)
    return found.takeError();
  if (Error failure = checkEntry(**found, EntryKind::Kernarg))
    return failure;
  auto offsets = kernargOffsets(**found);
  if (!offsets)
    return offsets.takeError();
  return offsets->back();
}

Expected<std::vector<Emulator::Parameter>>
Emulator::kernelParameters(StringRef kernel) const {
  auto found = impl->find(kernel);
  if (!found)
    return found.takeError();
  if (Error failure = checkEntry(**found, EntryKind::Kernarg))
    return failure;
  auto offsets = kernargOffsets(**found);
  if (!offsets)
    return offsets.takeError();
  const DataLayout &layout = (*found)->getDataLayout();
  std::vector<Parameter> parameters;
  for (const Argument &parameter : (*found)->args()) {
    Type *type = parameter.hasByRefAttr() ? parameter.getParamByRefType()
                                          : parameter.getType();
    parameters.push_back(
        {(*offsets)[parameter.getArgNo()], layout.getTypeAllocSize(type)});
  }
  return parameters;
}

Error Emulator::addBuffer(void *data, size_t bytes, Access access,
                          StringRef name) {
  return impl->machine.memory.add(data, bytes, access == Access::ReadWrite,
                                  name.empty() ? "buffer" : name.str());
}

Error Emulator::addBuffer(const void *data, size_t bytes, StringRef name) {
  return addBuffer(const_cast<void *>(data), bytes, Access::ReadOnly, name);
}

Error Emulator::removeBuffer(const void *data) {
  return impl->machine.memory.remove(data);
}

void Emulator::removeAllBuffers() { impl->machine.memory.clear(); }

Error Emulator::Impl::defineGlobals() {
  if (hasGlobals)
    return Error::success();
  auto module = retargetGlobals(*source, jit->layout(), jit->triple());
  if (!module)
    return module.takeError();
  hasGlobals = true;
  SmallVector<std::tuple<std::string, size_t, bool>> defined;
  for (const GlobalVariable &variable : (*module)->globals())
    if (variable.hasInitializer())
      defined.push_back(
          {variable.getName().str(),
           jit->layout().getTypeAllocSize(variable.getValueType()),
           variable.isConstant()});
  if (defined.empty())
    return Error::success();
  if (Error failure = jit->add(std::move(*module)))
    return failure;
  for (const auto &[name, bytes, constant] : defined) {
    auto address = jit->lookup(name);
    if (!address)
      return address.takeError();
    globals[name] = {*address, bytes};
    if (bytes)
      if (Error failure =
              machine.programMemory.add(*address, bytes, !constant, name))
        return failure;
  }
  return Error::success();
}

Expected<Emulator::Global> Emulator::global(StringRef name) {
  if (Error failure = impl->defineGlobals())
    return failure;
  auto at = impl->globals.find(name);
  if (at == impl->globals.end())
    return createStringError(
        formatv("emulator: no global variable '{0}' in {1}", name,
                impl->source->getModuleIdentifier()));
  return at->second;
}

Expected<const Program *> Emulator::Impl::program(StringRef name,
                                                  EntryKind kind) {
  if (auto at = programs.find(name); at != programs.end())
    return &at->second;
  auto function = find(name);
  if (!function)
    return function.takeError();
  if (Error failure = checkEntry(**function, kind))
    return failure;
  if (Error failure = defineGlobals())
    return failure;
  Program program;
  program.name = name.str();
  program.waveSize = waveSizeOf(**function, machine.target);
  auto module = retarget(**function, kind, jit->layout(), jit->triple(),
                         machine, program, sites);
  if (!module)
    return module.takeError();
  if (Error failure = jit->add(std::move(*module)))
    return failure;
  auto entry = jit->lookup(program.name + kEntrySuffix);
  if (!entry)
    return entry.takeError();
  program.entry = reinterpret_cast<void (*)(void *)>(*entry);
  return &(programs[name] = std::move(program));
}

Error Emulator::launch(StringRef kernel, Dim3 grid, Dim3 block,
                       ArrayRef<uint8_t> kernargs,
                       const LaunchOptions &options) {
  auto program = impl->program(kernel, EntryKind::Kernarg);
  if (!program)
    return program.takeError();
  uint64_t bytes = (*program)->kernargBytes;
  if (kernargs.size() < bytes)
    return createStringError(
        formatv("emulator: {0}: {1} bytes of kernel arguments; it takes {2}",
                kernel, kernargs.size(), bytes));
  // The segment, aligned as the hardware has it, and the hidden arguments.
  HiddenArguments hidden(grid, block, options.dynamicLds);
  size_t explicitWords = divideCeil(bytes, 16) * 2;
  std::vector<uint64_t> segment(explicitWords + sizeof(hidden) / 8 + 2);
  auto *start = reinterpret_cast<uint8_t *>(
      alignTo(reinterpret_cast<uintptr_t>(segment.data()), 16));
  std::memcpy(start, kernargs.data(), bytes);
  std::memcpy(start + explicitWords * 8, &hidden, sizeof(hidden));
  Machine &machine = impl->machine;
  machine.kernargs = reinterpret_cast<char *>(start);
  machine.hiddenKernargs = machine.kernargs + explicitWords * 8;
  if (Error failure = machine.programMemory.add(
          start, explicitWords * 8 + sizeof(hidden), false, "kernel arguments"))
    return failure;
  Error result = machine.run(**program, grid, block, start, options);
  return joinErrors(std::move(result), machine.programMemory.remove(start));
}

Error Emulator::callOnWave(StringRef function, ArrayRef<uint64_t> arguments,
                           const LaunchOptions &options) {
  auto program = impl->program(function, EntryKind::Words);
  if (!program)
    return program.takeError();
  auto found = impl->find(function);
  if (!found)
    return found.takeError();
  if (arguments.size() != (*found)->arg_size())
    return createStringError(
        formatv("emulator: {0} takes {1} arguments, not {2}", function,
                (*found)->arg_size(), arguments.size()));
  std::vector<uint64_t> words(arguments.begin(), arguments.end());
  impl->machine.kernargs = impl->machine.hiddenKernargs = nullptr;
  return impl->machine.run(**program, Dim3(), {(*program)->waveSize, 1, 1},
                           words.data(), options);
}

const LaunchStatistics &Emulator::statistics() const {
  return impl->machine.statistics;
}

} // namespace tilewright::emulator
