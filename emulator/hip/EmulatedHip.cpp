// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's C interface, of what ukernels/hip/api.h uses, on the wave emulator: a
// shared library to be loaded instead of libamdhip64.so, so that programs for
// AMD GPUs run without one. docs/emulator.md says how.

#include "EmulatedDevice.h"

#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace tilewright::emulator;

namespace {

/// Opaque to the caller; nothing is to be known of them.
struct Stream {};
struct Event {
  std::chrono::steady_clock::time_point time;
};

std::mutex mutex;

/// By the environment variable TW_EMULATED_HIP_DEVICE: "gfx942,gfx1100",
/// "none"; one gfx942 if it is not set.
std::vector<EmulatedDevice> makeDevices() {
  const char *text = std::getenv("TW_EMULATED_HIP_DEVICE");
  llvm::StringRef names = text && *text ? text : "gfx942";
  std::vector<EmulatedDevice> devices;
  if (names != "none")
    for (llvm::StringRef name : llvm::split(names, ','))
      devices.emplace_back(name.str());
  return devices;
}

std::vector<EmulatedDevice> &devices() {
  // Never destroyed: programs may use it from their own static destructors.
  static auto *instance = new std::vector<EmulatedDevice>(makeDevices());
  return *instance;
}

thread_local int currentDevice = 0;

EmulatedDevice &device() { return devices()[currentDevice]; }

template <typename Body> int call(Body body) {
  std::lock_guard<std::mutex> lock(mutex);
  if (devices().empty())
    return int(HipError::NoDevice);
  return int(body());
}

/// Where the string gcnArchName lies in hipDeviceProp_tR0600.
constexpr size_t kGcnArchNameOffset = 1160;

/// Keys of `extra`.
void *const kLaunchBuffer = reinterpret_cast<void *>(1);
void *const kLaunchBufferSize = reinterpret_cast<void *>(2);
void *const kLaunchEnd = reinterpret_cast<void *>(3);

/// hipMemcpyKind: which of the two sides are on the device.
enum { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };

} // namespace

#define HIP_FUNCTION(NAME)                                                     \
  extern "C" __attribute__((visibility("default"))) int hip##NAME

HIP_FUNCTION(GetDeviceCount)(int *count) {
  *count = 0;
  return call([&] {
    *count = int(devices().size());
    return HipError::Success;
  });
}

HIP_FUNCTION(SetDevice)(int index) {
  return call([&] {
    if (index < 0 || index >= int(devices().size()))
      return HipError::InvalidDevice;
    currentDevice = index;
    return HipError::Success;
  });
}

HIP_FUNCTION(GetDevicePropertiesR0600)(void *properties, int index) {
  return call([&] {
    if (index < 0 || index >= int(devices().size()))
      return HipError::InvalidDevice;
    const std::string &gfx = devices()[index].name();
    auto *bytes = static_cast<char *>(properties);
    std::strcpy(bytes, ("emulated " + gfx).c_str());
    std::strcpy(bytes + kGcnArchNameOffset, gfx.c_str());
    return HipError::Success;
  });
}

HIP_FUNCTION(ModuleLoadData)(LoadedModule **module, const void *image) {
  return call([&] { return device().load(module, image); });
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

/// Arguments are taken from `extra` only.
HIP_FUNCTION(ModuleLaunchKernel)(LoadedKernel *kernel, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned dynamicLds, Stream *,
                                 void **parameters, void **extra) {
  return call([&] {
    const void *buffer = nullptr;
    size_t bytes = 0;
    if (parameters || !extra)
      return HipError::InvalidValue;
    for (; *extra != kLaunchEnd; extra += 2) {
      if (*extra == kLaunchBuffer)
        buffer = extra[1];
      else if (*extra == kLaunchBufferSize)
        bytes = *static_cast<size_t *>(extra[1]);
      else
        return HipError::InvalidValue;
    }
    if (!gridX || !gridY || !gridZ || !blockX || !blockY || !blockZ)
      return HipError::InvalidValue;
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
                          Stream *) {
  return call([&] {
    bool toDevice = kind == HostToDevice || kind == DeviceToDevice;
    bool fromDevice = kind == DeviceToHost || kind == DeviceToDevice;
    if (kind < HostToHost || kind > Default ||
        (toDevice && !device().owns(to, bytes)) ||
        (fromDevice && !device().owns(from, bytes)))
      return HipError::InvalidValue;
    std::memmove(to, from, bytes);
    return HipError::Success;
  });
}

HIP_FUNCTION(MemsetAsync)(void *to, int value, size_t bytes, Stream *) {
  return call([&] {
    if (!device().owns(to, bytes))
      return HipError::InvalidValue;
    std::memset(to, value, bytes);
    return HipError::Success;
  });
}

HIP_FUNCTION(StreamCreate)(Stream **stream) {
  return call([&] {
    *stream = new Stream;
    return HipError::Success;
  });
}

HIP_FUNCTION(StreamDestroy)(Stream *stream) {
  return call([&] {
    delete stream;
    return HipError::Success;
  });
}

HIP_FUNCTION(StreamSynchronize)(Stream *) {
  return call([] { return HipError::Success; });
}

HIP_FUNCTION(EventCreate)(Event **event) {
  return call([&] {
    *event = new Event;
    return HipError::Success;
  });
}

HIP_FUNCTION(EventDestroy)(Event *event) {
  return call([&] {
    delete event;
    return HipError::Success;
  });
}

HIP_FUNCTION(EventRecord)(Event *event, Stream *) {
  return call([&] {
    event->time = std::chrono::steady_clock::now();
    return HipError::Success;
  });
}

HIP_FUNCTION(EventSynchronize)(Event *) {
  return call([] { return HipError::Success; });
}

HIP_FUNCTION(EventElapsedTime)(float *ms, Event *from, Event *to) {
  return call([&] {
    *ms =
        std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return HipError::Success;
  });
}

extern "C" __attribute__((visibility("default"))) const char *
hipGetErrorString(int error) {
  switch (HipError(error)) {
  case HipError::Success:
    return "no error";
  case HipError::InvalidValue:
    return "invalid argument";
  case HipError::OutOfMemory:
    return "out of memory";
  case HipError::NoDevice:
    return "no ROCm-capable device is detected";
  case HipError::InvalidDevice:
    return "invalid device ordinal";
  case HipError::InvalidImage:
    return "device kernel image is invalid";
  case HipError::NoBinaryForGpu:
    return "no kernel image is available for execution on the device";
  case HipError::InvalidHandle:
    return "invalid resource handle";
  case HipError::NotFound:
    return "named symbol not found";
  case HipError::LaunchFailure:
    return "unspecified launch failure";
  }
  return "unknown error";
}
