// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's module API on the wave emulator: code objects, kernels, memory. The
// library is loaded instead of libamdhip64.so, so that programs for AMD GPUs
// run without one. docs/emulator.md says how.

#include "HipFunction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace tilewright::emulator;
using namespace tilewright::emulator::hip;

namespace {

/// Keys of `extra`.
void *const kLaunchBuffer = reinterpret_cast<void *>(1);
void *const kLaunchBufferSize = reinterpret_cast<void *>(2);
void *const kLaunchEnd = reinterpret_cast<void *>(3);

std::vector<EmulatedDevice> makeDevices() {
  const char *text = std::getenv("TW_EMULATED_HIP_DEVICE");
  llvm::StringRef names = text ? text : "";
  std::vector<EmulatedDevice> devices;
  if (names != "none")
    for (llvm::StringRef name : llvm::split(names, ','))
      devices.emplace_back(name.str());
  return devices;
}

thread_local int current = 0;

} // namespace

std::vector<EmulatedDevice> &hip::devices() {
  // Never destroyed: programs may use it from their own static destructors.
  static auto *instance = new std::vector<EmulatedDevice>(makeDevices());
  return *instance;
}

EmulatedDevice &hip::device() { return devices()[current]; }
EmulatedDevice &hip::deviceOf(const Stream *stream) {
  return devices()[stream ? stream->device : current];
}
int hip::currentDevice() { return current; }
void hip::setCurrentDevice(int index) { current = index; }

std::mutex &hip::mutex() {
  static std::mutex instance;
  return instance;
}

HipError &hip::lastError() {
  static thread_local HipError error = HipError::Success;
  return error;
}

HipError hip::copy(void *to, const void *from, size_t bytes, int kind,
                   const Stream *stream) {
  const EmulatedDevice &its = deviceOf(stream);
  bool fromDevice = kind == DeviceToHost || kind == DeviceToDevice;
  bool isOwned = llvm::any_of(devices(), [&](const EmulatedDevice &each) {
    return each.owns(to, bytes);
  });
  if (kind < HostToHost || kind > Default ||
      (kind == HostToDevice && !its.owns(to, bytes)) ||
      (kind == DeviceToDevice && !isOwned) ||
      (fromDevice && !its.owns(from, bytes)))
    return HipError::InvalidValue;
  std::memmove(to, from, bytes);
  return HipError::Success;
}

HipError hip::fill(void *to, int value, size_t bytes) {
  if (!device().owns(to, bytes))
    return HipError::InvalidValue;
  std::memset(to, value, bytes);
  return HipError::Success;
}

HIP_FUNCTION(ModuleLoadData)(LoadedModule **module, const void *image) {
  return call([&] { return device().load(module, image); });
}

HIP_FUNCTION(ModuleLoad)(LoadedModule **module, const char *path) {
  return call([&] {
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? device().load(module, (*file)->getBufferStart())
                : HipError::FileNotFound;
  });
}

HIP_FUNCTION(ModuleUnload)(LoadedModule *module) {
  return call([&] { return device().unload(module); });
}

HIP_FUNCTION(ModuleGetFunction)(LoadedKernel **kernel, LoadedModule *module,
                                const char *name) {
  return call([&] { return device().findKernel(kernel, module, name); });
}

HIP_FUNCTION(ModuleGetGlobal)(void **pointer, size_t *bytes,
                              LoadedModule *module, const char *name) {
  return call(
      [&] { return device().findGlobal(pointer, bytes, module, name); });
}

/// Arguments come as the kernarg segment's bytes (`extra`) or one by one.
HIP_FUNCTION(ModuleLaunchKernel)(LoadedKernel *kernel, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned dynamicLds,
                                 Stream *stream, void **parameters,
                                 void **extra) {
  return call([&] {
    if (!device().has(*kernel) || &deviceOf(stream) != &device()) {
      llvm::errs() << "emulated HIP: the kernel '" << kernel->name
                   << "' or its stream is not of the current device, "
                   << currentDevice() << '\n';
      return HipError::InvalidHandle;
    }
    if ((parameters && extra) || !gridX || !gridY || !gridZ || !blockX ||
        !blockY || !blockZ)
      return HipError::InvalidValue;
    std::vector<uint8_t> segment;
    if (parameters) {
      HipError error = device().gather(segment, *kernel, parameters);
      if (error != HipError::Success)
        return error;
    }
    const void *buffer = segment.data();
    size_t bytes = segment.size();
    for (; extra && *extra != kLaunchEnd; extra += 2) {
      if (*extra == kLaunchBuffer)
        buffer = extra[1];
      else if (*extra == kLaunchBufferSize)
        bytes = *static_cast<size_t *>(extra[1]);
      else
        return HipError::InvalidValue;
    }
    return device().launch(
        *kernel, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicLds,
        llvm::ArrayRef(static_cast<const uint8_t *>(buffer), bytes));
  });
}

HIP_FUNCTION(Malloc)(void **pointer, size_t bytes) {
  return call([&] { return device().allocate(pointer, bytes); });
}

HIP_FUNCTION(Free)(void *pointer) {
  return call([&] { return device().release(pointer); });
}

HIP_FUNCTION(MemcpyAsync)(void *to, const void *from, size_t bytes, int kind,
                          Stream *stream) {
  return call([&] { return copy(to, from, bytes, kind, stream); });
}

HIP_FUNCTION(Memcpy)(void *to, const void *from, size_t bytes, int kind) {
  return call([&] { return copy(to, from, bytes, kind, nullptr); });
}

HIP_FUNCTION(MemsetAsync)(void *to, int value, size_t bytes, Stream *) {
  return call([&] { return fill(to, value, bytes); });
}

HIP_FUNCTION(Memset)(void *to, int value, size_t bytes) {
  return call([&] { return fill(to, value, bytes); });
}

HIP_FUNCTION(HostMalloc)(void **pointer, size_t bytes, unsigned) {
  return call([&] {
    *pointer = std::malloc(bytes);
    return *pointer ? HipError::Success : HipError::OutOfMemory;
  });
}

HIP_FUNCTION(HostFree)(void *pointer) {
  return call([&] {
    std::free(pointer);
    return HipError::Success;
  });
}
