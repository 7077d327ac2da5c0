// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/SpillWarnings.h"

#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of one kernel, from the notes. Scalar registers that lie in lanes of vector
/// registers are no spills: nothing of them is in memory.
struct Resources {
  std::string kernel;
  uint64_t registers = 0, spills = 0, scratchBytes = 0;
};

/// Adds the kernels of a metadata note (AMDGPU's ABI, code object V3 and on).
void readMetadata(StringRef blob, std::vector<Resources> &all) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return;
  msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return;
  for (msgpack::DocNode &node : kernels.getArray()) {
    if (!node.isMap())
      continue;
    msgpack::MapDocNode &kernel = node.getMap();
    auto number = [&](StringRef name) -> uint64_t {
      msgpack::DocNode value = kernel[name];
      return value.getKind() == msgpack::Type::UInt ? value.getUInt() : 0;
    };
    msgpack::DocNode name = kernel[".name"];
    uint64_t scratch = number(".private_segment_fixed_size");
    uint64_t scalars = scratch > 0 ? number(".sgpr_spill_count") : 0;
    all.push_back({name.isString() ? name.getString().str() : "?",
                   number(".vgpr_count"), number(".vgpr_spill_count") + scalars,
                   scratch});
  }
}

Expected<std::vector<Resources>> readResources(ArrayRef<char> codeObject) {
  using Elf = object::ELFFile<object::ELF64LE>;
  std::vector<Resources> all;
  Expected<Elf> elf =
      Elf::create(StringRef(codeObject.data(), codeObject.size()));
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (const Elf::Elf_Note &note : elf->notes(section, error))
      if (note.getName() == "AMDGPU" &&
          note.getType() == ELF::NT_AMDGPU_METADATA)
        readMetadata(note.getDescAsStringRef(section.sh_addralign), all);
    if (error)
      return std::move(error);
  }
  return all;
}

std::string kernelAdvice(const KernelPlan &plan) {
  std::string text = "its plan is '" + printKernelPlan(plan) + "': ";
  if (plan.form == KernelForm::Simple)
    return text + "it calls a tile; take smaller M0 and N0";
  if (plan.stages > 2 && !plan.direct)
    return text + "take 'stages=2', or 'reads=direct'";
  return text + "take fewer 'tiles' or more 'waves'";
}

std::string tileAdvice(const WavePlan &plan) {
  return "its plan is '" + printWavePlan(plan) + "': take " +
         (plan.ahead ? "'ahead=0', or " : "") +
         "a smaller 'block' or 'fragment'";
}

/// What to do about the kernel; empty if none of `keys` says.
std::string adviceFor(StringRef kernel, ArrayRef<TileKey> keys,
                      StringRef prefix, StringRef overrides) {
  for (const TileKey &key : keys) {
    if (kernel == kernelName(key, prefix)) {
      if (Expected<KernelPlan> plan = planKernel(key, overrides))
        return kernelAdvice(*plan);
      else
        consumeError(plan.takeError());
    }
    if (kernel == printTileKey(key, prefix) + "_wave") {
      if (Expected<WavePlan> plan = planWave(key, overrides))
        return tileAdvice(*plan);
      else
        consumeError(plan.takeError());
    }
  }
  return {};
}

} // namespace

Expected<std::vector<std::string>> spillWarnings(ArrayRef<char> codeObject,
                                                 ArrayRef<TileKey> keys,
                                                 StringRef prefix,
                                                 StringRef overrides) {
  Expected<std::vector<Resources>> all = readResources(codeObject);
  if (!all)
    return all.takeError();
  std::vector<std::string> warnings;
  for (const Resources &r : *all) {
    if (r.spills == 0)
      continue;
    std::string text = formatv("{0} spills: {1} registers are not enough, {2} "
                               "are kept in memory, {3} bytes per lane",
                               r.kernel, r.registers, r.spills, r.scratchBytes);
    std::string advice = adviceFor(r.kernel, keys, prefix, overrides);
    warnings.push_back(advice.empty() ? text : text + "; " + advice);
  }
  return warnings;
}

} // namespace tilewright
