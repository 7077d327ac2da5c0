// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave emulator: runs AMDGPU bitcode on the host and checks it. The very
// bitcode that is shipped is retargeted to the host and compiled in process;
// each lane of a wave is a fiber, and matrix instructions, barriers and
// cross-lane operations wait until the wave's lanes have come to them.
//
// What it finds: accesses outside registered buffers (exact to the byte),
// stores to read-only ones, accesses outside LDS, reads of LDS that nobody
// wrote, races between waves on LDS, matrix instructions and barriers that not
// all lanes reach, deadlocks, misaligned accesses. What it is not: the back end
// (wait counts, hazards, register allocation) nor the hardware's rounding.

#ifndef TILEWRIGHT_EMULATOR_EMULATOR_H
#define TILEWRIGHT_EMULATOR_EMULATOR_H

#include "tilewright/Emulator/EmulationError.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

enum class Access { ReadOnly, ReadWrite };

/// The order in which waves and lanes run is free where the program does not
/// synchronise; each seed is one such order, and always the same one.
/// 0: waves in turn, each to its next collective operation, lanes ascending.
/// 1: one wave as far as its next barrier, then the next; lanes descending.
/// 2 and more: waves and lanes at random, drawn from the seed.
struct LaunchOptions {
  unsigned scheduleSeed = 0;
  /// Bytes of dynamic LDS, for `extern` arrays in address space 3.
  uint32_t dynamicLds = 0;
  /// A wave that is released this many times from waiting for its own lanes,
  /// without coming to a barrier or to its end, is taken to spin for ever.
  uint64_t progressLimit = uint64_t(1) << 28;
};

/// What the last launch did.
struct LaunchStatistics {
  uint64_t matrixInstructions = 0; ///< per wave, not per lane
  uint64_t crossLaneOperations = 0;
  uint64_t barriers = 0; ///< of workgroups, each counted once
  uint64_t workgroups = 0;
};

struct EmulatorOptions {
  /// gfx90a, gfx942, gfx950, gfx1100, gfx1201, gfx1250 (or a neighbour: see
  /// docs/emulator.md). Empty: from the functions' target-cpu.
  std::string gfx;
  /// Stack of each lane: its private memory (allocas) and the host's frames.
  size_t stackBytes = size_t(256) << 10;
};

/// One program. Emulators are independent of each other: each may be used by
/// one thread at a time. Functions are compiled when they first run.
class Emulator {
public:
  /// From LLVM bitcode, or an ELF code object with a section `.llvmbc`.
  static llvm::Expected<std::unique_ptr<Emulator>>
  create(llvm::MemoryBufferRef input, EmulatorOptions options = {});
  /// From a module, which is copied.
  static llvm::Expected<std::unique_ptr<Emulator>>
  create(const llvm::Module &module, EmulatorOptions options = {});
  ~Emulator();

  /// gfx942, ...
  llvm::StringRef target() const;
  /// Lanes of a wave of `function`: 64 on gfx9, 32 on gfx11 and gfx12 unless
  /// the function asks for 64.
  llvm::Expected<unsigned> waveSize(llvm::StringRef function) const;
  /// Names of all entry points (calling convention amdgpu_kernel).
  std::vector<std::string> kernels() const;
  /// Bytes of the explicit part of a kernel's kernarg segment.
  llvm::Expected<uint64_t> kernargBytes(llvm::StringRef kernel) const;
  /// Where each parameter of a kernel lies in its kernarg segment.
  struct Parameter {
    uint64_t offset, bytes;
  };
  llvm::Expected<std::vector<Parameter>>
  kernelParameters(llvm::StringRef kernel) const;

  /// Makes [data, data + bytes) device memory. Its device address is its host
  /// address: that is what goes into kernel arguments and parameter structs.
  /// An error if it overlaps memory that is registered already. The name is
  /// what reports call it.
  llvm::Error addBuffer(void *data, size_t bytes, Access access,
                        llvm::StringRef name = "");
  llvm::Error addBuffer(const void *data, size_t bytes,
                        llvm::StringRef name = "");
  /// An error if no buffer begins at `data`.
  llvm::Error removeBuffer(const void *data);
  void removeAllBuffers();

  /// Address and bytes of a global variable of the program.
  struct Global {
    void *address;
    size_t bytes;
  };
  llvm::Expected<Global> global(llvm::StringRef name);

  /// Runs `grid` workgroups of `block` lanes. `kernargs`: the kernarg segment
  /// as the code object's metadata lays it out: scalars and pointers at their
  /// natural alignment, byref structs in place. Hidden arguments may follow and
  /// are ignored: the emulator provides them itself.
  llvm::Error launch(llvm::StringRef kernel, Dim3 grid, Dim3 block,
                     llvm::ArrayRef<uint8_t> kernargs,
                     const LaunchOptions &options = {});

  /// Every lane of one wave calls a device function, all with the same
  /// arguments: one 64-bit word each, holding an integer, a float's or a
  /// double's bits, or a pointer. A result is dropped.
  llvm::Error callOnWave(llvm::StringRef function,
                         llvm::ArrayRef<uint64_t> arguments,
                         const LaunchOptions &options = {});

  const LaunchStatistics &statistics() const;

private:
  struct Impl;
  explicit Emulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_EMULATOR_H
