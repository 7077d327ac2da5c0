// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of the emulated HIP have in common.

#ifndef TILEWRIGHT_EMULATOR_HIP_HIPFUNCTION_H
#define TILEWRIGHT_EMULATOR_HIP_HIPFUNCTION_H

#include "EmulatedDevice.h"

#include <chrono>
#include <mutex>
#include <vector>

namespace tilewright::emulator::hip {

/// Opaque to the caller.
struct Stream {
  int device;
};
struct Event {
  std::chrono::steady_clock::time_point time;
};

/// hipMemcpyKind: which of the two sides are on the device.
enum { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };

/// By the environment variable TW_EMULATED_HIP_DEVICE: "gfx942,gfx1100",
/// "none". If it is not set: one, which is what the first code object is for,
/// and gfx942 until then.
std::vector<EmulatedDevice> &devices();
EmulatedDevice &device();
/// The one that the stream is of; of none, the current one.
EmulatedDevice &deviceOf(const Stream *stream);
int currentDevice();
void setCurrentDevice(int index);
inline bool isDevice(int index) {
  return index >= 0 && index < int(devices().size());
}

std::mutex &mutex();
/// The last error of this thread that is none of success.
HipError &lastError();

/// One function at a time; nothing works without a device.
template <typename Body> int call(Body body) {
  std::lock_guard<std::mutex> lock(mutex());
  HipError error = devices().empty() ? HipError::NoDevice : body();
  if (error != HipError::Success)
    lastError() = error;
  return int(error);
}

/// What is on a device is on the stream's, but for the target of a copy from
/// device to device, which may be on any.
HipError copy(void *to, const void *from, size_t bytes, int kind,
              const Stream *stream);
HipError fill(void *to, int value, size_t bytes);

} // namespace tilewright::emulator::hip

#define HIP_FUNCTION(NAME)                                                     \
  extern "C" __attribute__((visibility("default"))) int hip##NAME

#endif // TILEWRIGHT_EMULATOR_HIP_HIPFUNCTION_H
