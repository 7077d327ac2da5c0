// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, code objects and launches of the emulated GPU.

#include "EmulatedDevice.h"
#include "tilewright/Emulator/Target.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace tilewright::emulator {
namespace {

constexpr size_t kAlignment = 256;
constexpr unsigned char kGarbage = 0xA5;

StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The bytes of an ELF image of which only the start is known.
size_t imageBytes(const void *image) {
  ELF::Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (!header.checkMagic() || header.getFileClass() != ELF::ELFCLASS64)
    return 0;
  return header.e_shoff + size_t(header.e_shentsize) * header.e_shnum;
}

/// The processor that a code object is for: "gfx942". Empty if its header does
/// not say; its bitcode does then.
std::string processorOf(MemoryBufferRef image) {
  ELF::Elf64_Ehdr header;
  std::memcpy(&header, image.getBufferStart(), sizeof(header));
  if ((header.e_flags & ELF::EF_AMDGPU_MACH) == ELF::EF_AMDGPU_MACH_NONE)
    return "";
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(image);
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  return (*file)->tryGetCPUName().value_or("").str();
}

} // namespace

EmulatedDevice::EmulatedDevice(std::string name) : gfx(std::move(name)) {
  environment("TW_EMULATED_HIP_MEMORY").getAsInteger(10, memoryLeft);
  environment("TW_EMULATED_HIP_SEED").getAsInteger(10, seed);
}

HipError EmulatedDevice::allocate(void **pointer, size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0)
    return HipError::Success;
  if (bytes > memoryLeft || bytes > SIZE_MAX - kAlignment)
    return HipError::OutOfMemory;
  // aligned_alloc wants whole units; only what was asked for is registered.
  void *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) /
                                                    kAlignment * kAlignment);
  if (!memory)
    return HipError::OutOfMemory;
  std::memset(memory, kGarbage, bytes);
  for (const auto &module : modules)
    if (Error error =
            module->emulator->addBuffer(memory, bytes, Access::ReadWrite)) {
      consumeError(std::move(error));
      std::free(memory);
      return HipError::OutOfMemory;
    }
  allocations[reinterpret_cast<uintptr_t>(memory)] = bytes;
  memoryLeft -= bytes;
  *pointer = memory;
  return HipError::Success;
}

HipError EmulatedDevice::release(void *pointer) {
  if (!pointer)
    return HipError::Success;
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == allocations.end())
    return HipError::InvalidValue;
  for (const auto &module : modules)
    consumeError(module->emulator->removeBuffer(pointer));
  memoryLeft += found->second;
  allocations.erase(found);
  std::free(pointer);
  return HipError::Success;
}

static bool isWithin(const std::map<uintptr_t, size_t> &ranges,
                     const void *pointer, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin())
    return false;
  auto [begin, size] = *std::prev(after);
  return address - begin <= size && bytes <= size - (address - begin);
}

bool EmulatedDevice::owns(const void *pointer, size_t bytes) const {
  return isWithin(allocations, pointer, bytes) ||
         isWithin(globals, pointer, bytes);
}

unsigned EmulatedDevice::ldsBytes() const {
  auto target = findTarget(name());
  return target ? target->ldsBytes : 0;
}

unsigned EmulatedDevice::waveSize() const {
  auto target = findTarget(name());
  return target ? target->waveSize : 0;
}

HipError EmulatedDevice::load(LoadedModule **module, const void *image) {
  size_t bytes = imageBytes(image);
  if (bytes == 0)
    return HipError::InvalidImage;
  auto loaded = std::make_unique<LoadedModule>();
  loaded->image = MemoryBuffer::getMemBufferCopy(
      StringRef(static_cast<const char *>(image), bytes), "code object");
  std::string processor = processorOf(*loaded->image);
  if (!gfx.empty() && !processor.empty() && processor != gfx)
    return HipError::NoBinaryForGpu;
  EmulatorOptions options;
  options.gfx = processor;
  Expected<std::unique_ptr<Emulator>> emulator =
      Emulator::create(*loaded->image, options);
  if (!emulator) {
    errs() << "emulated HIP: " << toString(emulator.takeError()) << '\n';
    return HipError::InvalidImage;
  }
  loaded->emulator = std::move(*emulator);
  if (gfx.empty())
    gfx = loaded->emulator->target().str();
  if (gfx != loaded->emulator->target())
    return HipError::NoBinaryForGpu;
  for (auto [begin, size] : allocations)
    if (Error error = loaded->emulator->addBuffer(
            reinterpret_cast<void *>(begin), size, Access::ReadWrite)) {
      errs() << "emulated HIP: " << toString(std::move(error)) << '\n';
      return HipError::InvalidImage;
    }
  *module = modules.emplace_back(std::move(loaded)).get();
  return HipError::Success;
}

LoadedModule *EmulatedDevice::find(LoadedModule *module) {
  for (const auto &known : modules)
    if (known.get() == module)
      return module;
  return nullptr;
}

HipError EmulatedDevice::unload(LoadedModule *module) {
  if (!find(module))
    return HipError::InvalidHandle;
  erase_if(kernels,
           [&](const auto &kernel) { return kernel->module == module; });
  for (const auto &[address, bytes] : module->globals)
    globals.erase(address);
  erase_if(modules, [&](const auto &known) { return known.get() == module; });
  return HipError::Success;
}

HipError EmulatedDevice::findKernel(LoadedKernel **kernel, LoadedModule *module,
                                    StringRef name) {
  if (!find(module))
    return HipError::InvalidHandle;
  if (!is_contained(module->emulator->kernels(), name))
    return HipError::NotFound;
  *kernel = kernels
                .emplace_back(std::make_unique<LoadedKernel>(
                    LoadedKernel{module, name.str()}))
                .get();
  return HipError::Success;
}

HipError EmulatedDevice::findGlobal(void **pointer, size_t *bytes,
                                    LoadedModule *module, StringRef name) {
  if (!find(module))
    return HipError::InvalidHandle;
  Expected<Emulator::Global> global = module->emulator->global(name);
  if (!global) {
    consumeError(global.takeError());
    return HipError::NotFound;
  }
  *pointer = global->address;
  globals[reinterpret_cast<uintptr_t>(global->address)] = global->bytes;
  module->globals[reinterpret_cast<uintptr_t>(global->address)] = global->bytes;
  *bytes = global->bytes;
  return HipError::Success;
}

HipError EmulatedDevice::gather(std::vector<uint8_t> &segment,
                                const LoadedKernel &kernel, void **parameters) {
  auto known = kernel.module->emulator->kernelParameters(kernel.name);
  if (!known) {
    errs() << "emulated HIP: " << toString(known.takeError()) << '\n';
    return HipError::InvalidValue;
  }
  for (const Emulator::Parameter &parameter : *known) {
    segment.resize(parameter.offset + parameter.bytes);
    std::memcpy(&segment[parameter.offset], *parameters++, parameter.bytes);
  }
  return HipError::Success;
}

HipError EmulatedDevice::launch(const LoadedKernel &kernel, Dim3 grid,
                                Dim3 block, unsigned dynamicLds,
                                ArrayRef<uint8_t> arguments) {
  LaunchOptions options;
  options.scheduleSeed = seed;
  options.dynamicLds = dynamicLds;
  Error error = kernel.module->emulator->launch(kernel.name, grid, block,
                                                arguments, options);
  if (!error)
    return HipError::Success;
  errs() << "emulated HIP: " << toString(std::move(error)) << '\n';
  return HipError::LaunchFailure;
}

} // namespace tilewright::emulator
