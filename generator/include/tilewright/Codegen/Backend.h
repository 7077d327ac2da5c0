// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR -> optimised bitcode, assembly or object, for one target triple.

#ifndef TILEWRIGHT_CODEGEN_BACKEND_H
#define TILEWRIGHT_CODEGEN_BACKEND_H

#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/key.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <array>

namespace tilewright {

/// LLVM's features of code for `triple` that may use `features`: with those
/// that every machine of it has and LLVM's own default lacks.
std::string featuresWithBaseline(const llvm::Triple &triple,
                                 llvm::StringRef features);
/// What all code for `triple` has in common: its ABI, sections of functions.
llvm::TargetOptions targetOptions(const llvm::Triple &triple);

/// `arch` on the OS and environment of `host`, by default this one's;
/// UnknownArch: the host itself.
llvm::Triple defaultTriple(llvm::Triple::ArchType arch);
llvm::Triple defaultTriple(llvm::Triple::ArchType arch, llvm::Triple host);

/// The triple to generate code for `arch`, or of `isa`: `triple`, or if that is
/// empty the default. An error if `triple` is of another architecture.
llvm::Expected<llvm::Triple> targetTriple(llvm::Triple::ArchType arch,
                                          llvm::StringRef triple);
llvm::Expected<llvm::Triple> targetTriple(const IsaInfo &isa,
                                          llvm::StringRef triple);

/// How much of LLVM's code generator runs.
enum class CodegenPasses {
  Planned, ///< for our own kernels: what LLVM's loop passes do, the plan did
  All      ///< for any other code
};

/// Not thread-safe: one per worker.
class Backend {
public:
  ~Backend();

  /// Registers the triple's LLVM target on first use (thread-safe).
  static llvm::Expected<std::unique_ptr<Backend>>
  create(const llvm::Triple &triple);

  /// Gives the module the triple and the data layout, and each definition the
  /// attributes of `isa`: target-cpu, target-features, tuning, no unwinding.
  void setTarget(llvm::Module &module, const IsaInfo &isa) const;

  /// The same for code beside tiles, which may be made for one CPU.
  void setTarget(llvm::Module &module, const TargetCpu &target) const;
  /// And for one function of such a module, which another CPU runs.
  void setTarget(llvm::Function &function, const TargetCpu &target) const;

  /// The short pipeline: no unrolling, no vectorisation; the plan decided.
  void optimize(llvm::Module &module);

  /// Assembly or object into `bytes`, which is empty.
  llvm::Error emit(llvm::Module &module, llvm::CodeGenFileType type,
                   CodegenPasses which, llvm::SmallVectorImpl<char> &bytes);

  /// For other pipelines than that of kernels.
  llvm::TargetMachine &targetMachine() { return *machine; }

private:
  struct Optimizer;
  struct KeptPasses;

  explicit Backend(std::unique_ptr<llvm::TargetMachine> machine);
  void setTarget(llvm::Module &module,
                 llvm::function_ref<void(llvm::Function &)> setForEach) const;
  void setTarget(llvm::Function &function, llvm::StringRef cpu,
                 std::string features, const IsaInfo &isa) const;
  bool addShortPasses(llvm::legacy::PassManagerBase &passes,
                      llvm::raw_pwrite_stream &os, llvm::CodeGenFileType type,
                      Schedule schedule);
  llvm::Error addPasses(llvm::legacy::PassManager &passes,
                        llvm::raw_pwrite_stream &os, llvm::CodeGenFileType type,
                        CodegenPasses which, Schedule schedule);

  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<Optimizer> optimizer;
  std::array<std::unique_ptr<KeptPasses>, kSchedules> kept; ///< by Schedule
};

/// The back ends in use, by triple. Not thread-safe: one per worker.
class Backends {
public:
  llvm::Expected<Backend *> get(const llvm::Triple &triple);

private:
  llvm::StringMap<std::unique_ptr<Backend>> byTriple;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_BACKEND_H
