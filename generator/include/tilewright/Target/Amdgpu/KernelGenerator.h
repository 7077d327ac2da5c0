// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys -> workgroup kernels for AMD GPUs. No MLIR in this header.

#ifndef TILEWRIGHT_TARGET_AMDGPU_KERNELGENERATOR_H
#define TILEWRIGHT_TARGET_AMDGPU_KERNELGENERATOR_H

#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>

namespace tilewright {

/// <prefix>_mmt4d_kernel_<...>: the kernel around the tile of this key.
std::string kernelName(const TileKey &key,
                       llvm::StringRef prefix = kDefaultPrefix);

/// Whether `name` begins as kernels' names do, and the name of the tile that it
/// then stands for.
bool looksLikeKernelName(llvm::StringRef name, llvm::StringRef prefix);
std::string tileNameOf(llvm::StringRef kernelName, llvm::StringRef prefix);

/// How a kernel of this plan is launched. Cheap: nothing is generated.
tw_mmt4d_launch_t kernelLaunch(const TileKey &key, const KernelPlan &plan);

/// The definition of a tile function, by its key's name, in a module of its
/// own; hand-written or generated.
using TileSource = std::function<llvm::Expected<std::unique_ptr<llvm::Module>>(
    const TileKey &key, llvm::LLVMContext &context)>;

struct KernelOptions {
  std::string prefix = std::string(kDefaultPrefix);
  /// Overrides parts of the plan, in the syntax of printKernelPlan.
  std::string plan;
  /// What the simple form calls; if none is given, what generateWaveTile
  /// generates.
  TileSource tile;
};

struct GeneratedKernel {
  std::string name;
  KernelPlan plan;
  tw_mmt4d_launch_t launch;
  /// The kernel and the constant <name>_launch, for DeviceBackend::emit.
  std::unique_ptr<llvm::Module> module;
};

/// Generates workgroup kernels. Not thread-safe: one per worker thread.
class KernelGenerator {
public:
  KernelGenerator();
  ~KernelGenerator();

  /// The module is in `context`. Errors name the kernel.
  llvm::Expected<GeneratedKernel> generate(const TileKey &key,
                                           const KernelOptions &options,
                                           llvm::LLVMContext &context);

  /// A pipelined kernel's MLIR as text: its stages marked, or, `rotated`, after
  /// tw-pipeline-stages.
  llvm::Expected<std::string>
  printStages(const TileKey &key, const KernelOptions &options, bool rotated);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_KERNELGENERATOR_H
