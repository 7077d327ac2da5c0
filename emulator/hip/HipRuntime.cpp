// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's devices, streams, events and errors on the wave emulator.

#include "HipFunction.h"

#include <cstring>
#include <utility>

using namespace tilewright::emulator;
using namespace tilewright::emulator::hip;

namespace {

/// Where fields lie in hipDeviceProp_tR0600.
constexpr size_t kGlobalMemoryOffset = 288, kLdsBytesOffset = 296,
                 kWaveSizeOffset = 308, kMaxThreadsOffset = 320,
                 kGcnArchNameOffset = 1160;
constexpr int kMaxThreads = 1024;

/// hipDeviceAttribute_t: the few that an emulated device can answer.
enum Attribute {
  MaxThreadsPerBlock = 56,
  MaxSharedMemoryPerBlock = 74,
  WarpSize = 87,
};

template <typename T> void put(char *bytes, size_t offset, T value) {
  std::memcpy(bytes + offset, &value, sizeof(value));
}

} // namespace

HIP_FUNCTION(Init)(unsigned) {
  return call([] { return HipError::Success; });
}

HIP_FUNCTION(GetDeviceCount)(int *count) {
  *count = 0;
  return call([&] {
    *count = int(devices().size());
    return HipError::Success;
  });
}

HIP_FUNCTION(SetDevice)(int index) {
  return call([&] {
    if (!isDevice(index))
      return HipError::InvalidDevice;
    setCurrentDevice(index);
    return HipError::Success;
  });
}

HIP_FUNCTION(GetDevicePropertiesR0600)(void *properties, int index) {
  return call([&] {
    if (!isDevice(index))
      return HipError::InvalidDevice;
    std::string gfx = devices()[index].name();
    auto *bytes = static_cast<char *>(properties);
    std::strcpy(bytes, ("emulated " + gfx).c_str());
    put(bytes, kGlobalMemoryOffset, size_t(devices()[index].freeMemory()));
    put(bytes, kLdsBytesOffset, size_t(devices()[index].ldsBytes()));
    put(bytes, kWaveSizeOffset, int(devices()[index].waveSize()));
    put(bytes, kMaxThreadsOffset, kMaxThreads);
    std::strcpy(bytes + kGcnArchNameOffset, gfx.c_str());
    return HipError::Success;
  });
}

HIP_FUNCTION(GetDevice)(int *index) {
  return call([&] {
    *index = currentDevice();
    return HipError::Success;
  });
}

HIP_FUNCTION(DeviceGetAttribute)(int *value, int attribute, int index) {
  return call([&] {
    if (!isDevice(index))
      return HipError::InvalidDevice;
    switch (attribute) {
    case MaxThreadsPerBlock:
      *value = kMaxThreads;
      return HipError::Success;
    case MaxSharedMemoryPerBlock:
      *value = int(devices()[index].ldsBytes());
      return HipError::Success;
    case WarpSize:
      *value = int(devices()[index].waveSize());
      return HipError::Success;
    default:
      return HipError::InvalidValue;
    }
  });
}

HIP_FUNCTION(DeviceSynchronize)() {
  return call([] { return HipError::Success; });
}

HIP_FUNCTION(StreamCreate)(Stream **stream) {
  return call([&] {
    *stream = new Stream{currentDevice()};
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

HIP_FUNCTION(StreamCreateWithFlags)(Stream **stream, unsigned) {
  return hipStreamCreate(stream);
}

HIP_FUNCTION(StreamQuery)(Stream *stream) {
  return hipStreamSynchronize(stream);
}

HIP_FUNCTION(StreamWaitEvent)(Stream *, Event *, unsigned) {
  return call([] { return HipError::Success; });
}

HIP_FUNCTION(EventCreateWithFlags)(Event **event, unsigned) {
  return hipEventCreate(event);
}

HIP_FUNCTION(EventQuery)(Event *event) { return hipEventSynchronize(event); }

HIP_FUNCTION(PeekAtLastError)() { return int(lastError()); }

HIP_FUNCTION(GetLastError)() {
  return int(std::exchange(lastError(), HipError::Success));
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
  case HipError::FileNotFound:
    return "file not found";
  case HipError::NotFound:
    return "named symbol not found";
  case HipError::LaunchFailure:
    return "unspecified launch failure";
  }
  return "unknown error";
}

extern "C" __attribute__((visibility("default"))) const char *
hipGetErrorName(int error) {
  switch (HipError(error)) {
  case HipError::Success:
    return "hipSuccess";
  case HipError::InvalidValue:
    return "hipErrorInvalidValue";
  case HipError::OutOfMemory:
    return "hipErrorOutOfMemory";
  case HipError::NoDevice:
    return "hipErrorNoDevice";
  case HipError::InvalidDevice:
    return "hipErrorInvalidDevice";
  case HipError::InvalidImage:
    return "hipErrorInvalidImage";
  case HipError::NoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case HipError::FileNotFound:
    return "hipErrorFileNotFound";
  case HipError::InvalidHandle:
    return "hipErrorInvalidHandle";
  case HipError::NotFound:
    return "hipErrorNotFound";
  case HipError::LaunchFailure:
    return "hipErrorLaunchFailure";
  }
  return "hipErrorUnknown";
}
