// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPUs that a whole program is made for. A tile is of one instruction set;
// a CPU has several of them, on Arm not one after another but side by side:
// i8mm for s8, fp16fml for f16.

#ifndef TILEWRIGHT_DEVICES_TARGETCPU_H
#define TILEWRIGHT_DEVICES_TARGETCPU_H

#include "tilewright/key.h"
#include "ukernels/measured.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <array>
#include <string>
#include <vector>

namespace tilewright {

/// The architecture that code of `isa` is for; UnknownArch for any (generic).
llvm::Triple::ArchType architectureOf(const IsaInfo &isa);
llvm::Triple::ArchType architectureOf(const ArchitectureInfo &architecture);

/// Whether code of `isa` is code of `arch`.
bool isForArchitecture(const IsaInfo &isa, llvm::Triple::ArchType arch);

struct TargetCpu {
  /// As it was asked for: "x86_64_avx2_fma", "arm_64:neoverse-v1".
  std::string name;
  /// UnknownArch: any machine's.
  llvm::Triple::ArchType arch = llvm::Triple::UnknownArch;
  /// LLVM's name; empty for no CPU in particular.
  std::string cpu;
  /// LLVM's target-features of code for it, beside what `cpu` has.
  std::string codeFeatures;
  /// The runtime library's view of it: feature bits, and, if `cpu` is one of
  /// cores.def, the core. The lengths of scalable vectors are those that its
  /// programs are made to be quick with, not what they rely on: this machine's,
  /// the core's, or a guess where none is known.
  std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
  /// The lengths of vectors that programs rely on, in bits, by tw_scaling_t; 0
  /// where they run with any.
  std::array<int, TW_SCALING_COUNT> reliedBits{};
  /// The rows of cpu_features.def that it has.
  std::vector<const CpuFeatureInfo *> features;
  /// The instruction sets that it has all features of, in table order: best
  /// first. Never empty: the last one is generic.
  std::vector<tw_isa_t> isas;
  /// What was measured of tiles beside each other on its core: what the runtime
  /// library knows, unless tuning is told otherwise.
  std::vector<tw_measured_tile_t> measured;

  /// That of the vectors that scalable sizes of `isa` count, 0 if it may be
  /// any.
  int vectorBitsOf(const IsaInfo &isa) const { return reliedBits[isa.scaling]; }

  bool has(llvm::StringRef llvmFeature) const;
  bool has(tw_isa_t isa) const;
  const IsaInfo &best() const { return info(isas.front()); }
  /// IsaInfo::arch of the instruction sets of `arch`; empty if there are none.
  llvm::StringRef archName() const;
};

/// The CPUs of a row of isas.def.
TargetCpu targetCpuOf(const IsaInfo &isa);

/// The CPUs of `arch` with these feature bits and this core (TW_CPU_DATA_WORDS
/// words, as tw_cpu_detect fills them); the name is that of one instruction
/// set, or lists those that no other implies.
TargetCpu targetCpuOf(llvm::Triple::ArchType arch, const uint64_t *cpuData);

/// What the CPU and operating system that this runs on have, by tw_cpu_detect.
TargetCpu hostTargetCpu();

/// The core of `target`: as cores.def calls it, else LLVM's name of its CPU;
/// empty for no CPU in particular.
std::string coreName(const TargetCpu &target);

/// That of what this runs on.
std::string hostCoreName();

/// `text` is a row of isas.def, or "<arch>" or "<arch>:<part>+<part>...", where
/// <arch> is x86_64 or arm_64 and a part is at most one CPU by LLVM's name,
/// then instruction sets without their architecture ("sve_i8mm") and LLVM's
/// features
/// ("sve2", "v8.6a", "nosve" to take one away), or the length of vectors that
/// programs rely on ("vl256" of SVE, "svl512" of SME's streaming mode). Commas
/// separate as well. An error says which part is unknown and what comes close.
llvm::Expected<TargetCpu> parseTargetCpu(llvm::StringRef text);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_TARGETCPU_H
