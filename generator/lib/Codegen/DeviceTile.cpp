// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/DeviceTile.h"

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Target/Amdgpu/WaveTile.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

Error checkOptions(const GeneratedTile &tile, const GenerateOptions &options) {
  if (options.lowering == Lowering::Loops)
    return createStringError("the lowering by loops is for CPUs; on amdgpu "
                             "only that by the plan exists");
  if (options.registryEntry)
    return createStringError("a device function has no entry in a registry: "
                             "leave off the registry entry");
  Expected<Triple> triple = targetTriple(info(tile.key.isa), options.triple);
  return triple ? checkDeviceKind(tile.kind) : triple.takeError();
}

} // namespace

Error checkDeviceKind(Emit kind) {
  switch (kind) {
  case Emit::Linalg:
  case Emit::Vector:
    return createStringError("a tile for amdgpu is LLVM IR from the start; "
                             "expected keys, plan, llvm, asm, bitcode or "
                             "hsaco");
  case Emit::Object:
    return createStringError("a device function is always inlined, so that it "
                             "has no object file; expected bitcode, to link "
                             "into kernels, or hsaco or asm, of a kernel of "
                             "one wave around it");
  default:
    return Error::success();
  }
}

Error emitDeviceTile(Module &module, Function &function, tw_isa_t isa,
                     DeviceBackend &backend, Emit kind,
                     SmallVectorImpl<char> &bytes) {
  if (kind == Emit::Bitcode) {
    raw_svector_ostream os(bytes);
    WriteBitcodeToFile(module, os);
    return Error::success();
  }
  Expected<SmallVector<char, 0>> file = emitWaveKernel(
      module, function, isa, backend,
      kind == Emit::Asm ? DeviceFile::Assembly : DeviceFile::CodeObject);
  if (!file)
    return file.takeError();
  bytes.assign(file->begin(), file->end());
  return Error::success();
}

Error generateDeviceTile(GeneratedTile &tile, const GenerateOptions &options,
                         DeviceBackends &backends) {
  raw_svector_ostream os(tile.bytes);
  if (tile.kind == Emit::Plan) {
    Expected<WavePlan> plan = planWave(tile.key, options.plan);
    if (!plan)
      return plan.takeError();
    os << printWavePlan(*plan) << '\n';
    return Error::success();
  }
  if (Error error = checkOptions(tile, options))
    return error;
  Expected<DeviceBackend *> backend = backends.get(tile.key.isa);
  if (!backend)
    return backend.takeError();
  LLVMContext context;
  std::unique_ptr<Module> module;
  {
    StepTimer timer(tile.times.build);
    Expected<std::unique_ptr<Module>> made = generateWaveTile(
        tile.key, options.prefix, options.plan, **backend, context);
    if (!made)
      return made.takeError();
    module = std::move(*made);
  }
  StepTimer timer(tile.times.codegen);
  if (tile.kind == Emit::LLVM) {
    os << *module;
    return Error::success();
  }
  return emitDeviceTile(*module, *module->getFunction(tile.name), tile.key.isa,
                        **backend, tile.kind, tile.bytes);
}

} // namespace tilewright
