// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emulated GPU: its memory and the code objects that are loaded on it.

#ifndef TILEWRIGHT_EMULATOR_HIP_EMULATEDDEVICE_H
#define TILEWRIGHT_EMULATOR_HIP_EMULATEDDEVICE_H

#include "tilewright/Emulator/Emulator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::emulator {

/// A code object, and a kernel of one.
struct LoadedModule {
  /// Copied: the caller may free its own.
  std::unique_ptr<llvm::MemoryBuffer> image;
  std::unique_ptr<Emulator> emulator;
  /// Of its global variables, those that were asked for: address and bytes.
  std::map<uintptr_t, size_t> globals;
};
struct LoadedKernel {
  LoadedModule *module;
  std::string name;
};

/// The values of hipError_t that HIP returns in these situations.
enum class HipError : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  FileNotFound = 301,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailure = 719,
};

/// Everything runs when it is asked for; streams are in order by that. Not
/// thread-safe.
class EmulatedDevice {
public:
  /// `gfx` is what it is, or empty: what the first code object is for; memory
  /// and schedules as the environment says: TW_EMULATED_HIP_MEMORY (bytes),
  /// TW_EMULATED_HIP_SEED.
  explicit EmulatedDevice(std::string gfx);

  std::string name() const { return gfx.empty() ? "gfx942" : gfx; }
  size_t freeMemory() const { return memoryLeft; }
  /// Of a workgroup.
  unsigned ldsBytes() const;
  unsigned waveSize() const;

  /// New memory holds garbage.
  HipError allocate(void **pointer, size_t bytes);
  HipError release(void *pointer);
  /// Whether the bytes are within one allocation, or one global variable that
  /// was asked for.
  bool owns(const void *pointer, size_t bytes) const;

  HipError load(LoadedModule **module, const void *image);
  HipError unload(LoadedModule *module);
  HipError findKernel(LoadedKernel **kernel, LoadedModule *module,
                      llvm::StringRef name);
  HipError findGlobal(void **pointer, size_t *bytes, LoadedModule *module,
                      llvm::StringRef name);
  /// Whether it is of a module that is loaded here.
  bool has(const LoadedKernel &kernel) { return find(kernel.module); }
  /// The kernarg segment of a launch whose arguments are pointed to one by one.
  HipError gather(std::vector<uint8_t> &segment, const LoadedKernel &kernel,
                  void **parameters);
  /// Reports go to the standard error output.
  HipError launch(const LoadedKernel &kernel, Dim3 grid, Dim3 block,
                  unsigned dynamicLds, llvm::ArrayRef<uint8_t> arguments);

private:
  LoadedModule *find(LoadedModule *module);

  std::string gfx;
  size_t memoryLeft = SIZE_MAX;
  unsigned seed = 0;
  std::map<uintptr_t, size_t> allocations, globals;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::vector<std::unique_ptr<LoadedKernel>> kernels;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_HIP_EMULATEDDEVICE_H
