// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GenKernels.h"

#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;

namespace tilewright {
namespace {

/// The tile as bitcode, hand-written or generated or from the cache.
TileSource tileSource(ResolveOptions options) {
  options.generate.plan.clear();
  options.progress = nullptr;
  return [options](const TileKey &key, LLVMContext &context) {
    return resolveTileModule(key, options, context);
  };
}

DeviceFile deviceFile(Emit kind) {
  switch (kind) {
  case Emit::Asm:
    return DeviceFile::Assembly;
  case Emit::Bitcode:
    return DeviceFile::Bitcode;
  default:
    return DeviceFile::CodeObject;
  }
}

void assignText(ResolvedTile &result, StringRef text) {
  result.bytes.assign(text.begin(), text.end());
}

Error generateKernel(KernelGenerator &generator, DeviceBackends &backends,
                     const KernelOptions &options, Emit kind,
                     ResolvedTile &result) {
  const TileKey &key = std::get<TileKey>(result.key);
  switch (kind) {
  case Emit::Keys:
    assignText(result, result.name + "\n");
    return Error::success();
  case Emit::Plan: {
    Expected<KernelPlan> plan = planKernel(key, options.plan);
    if (!plan)
      return createStringError(result.name + ": " + toString(plan.takeError()));
    assignText(result, printKernelPlan(*plan) + "\n");
    return Error::success();
  }
  case Emit::Linalg:
  case Emit::Object:
    return createStringError(
        result.name + ": a workgroup kernel has no such stage; expected keys, "
                      "plan, vector, llvm, asm, bitcode or hsaco");
  case Emit::Vector: {
    Expected<std::string> text =
        generator.printStages(key, options, /*rotated=*/true);
    if (!text)
      return text.takeError();
    assignText(result, *text);
    return Error::success();
  }
  default:
    break;
  }
  LLVMContext context;
  Expected<GeneratedKernel> kernel = generator.generate(key, options, context);
  if (!kernel)
    return kernel.takeError();
  Expected<DeviceBackend *> backend = backends.get(key.isa);
  if (!backend)
    return backend.takeError();
  if (kind == Emit::LLVM) {
    (*backend)->optimize(*kernel->module);
    raw_svector_ostream os(result.bytes);
    os << *kernel->module;
    return Error::success();
  }
  Expected<SmallVector<char, 0>> bytes =
      (*backend)->emit(*kernel->module, deviceFile(kind));
  if (!bytes)
    return createStringError(result.name + ": " + toString(bytes.takeError()));
  result.bytes = std::move(*bytes);
  return Error::success();
}

} // namespace

Expected<std::vector<ResolvedTile>>
generateKernels(ArrayRef<TileKey> keys, const ResolveOptions &options) {
  using Clock = std::chrono::steady_clock;
  KernelOptions kernelOptions;
  kernelOptions.prefix = options.generate.prefix;
  kernelOptions.plan = options.generate.plan;
  kernelOptions.tile = tileSource(options);
  KernelGenerator generator;
  DeviceBackends backends;
  std::vector<ResolvedTile> kernels;
  for (auto [i, key] : enumerate(keys)) {
    if (is_contained(keys.take_front(i), key))
      continue;
    ResolvedTile kernel;
    kernel.key = key;
    kernel.name = kernelName(key, kernelOptions.prefix);
    kernel.origin = Origin::Generated;
    auto start = Clock::now();
    if (Error error = generateKernel(generator, backends, kernelOptions,
                                     options.kind, kernel))
      return std::move(error);
    kernel.ms =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    kernels.push_back(std::move(kernel));
    if (options.progress)
      options.progress(kernels.size(), keys.size());
  }
  return kernels;
}

} // namespace tilewright
