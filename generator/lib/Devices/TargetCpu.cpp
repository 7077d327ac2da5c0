// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Devices/TargetCpu.h"

#include "tilewright/Devices/RegisterTarget.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Support/Nearest.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace tilewright {
namespace {

StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// "arm_64_sve_i8mm" -> "sve_i8mm".
StringRef nameInArch(const IsaInfo &isa) {
  return ref(isa.name).drop_front(isa.arch.size() + 1);
}

std::vector<const IsaInfo *> isasOf(Triple::ArchType arch) {
  std::vector<const IsaInfo *> result;
  for (const IsaInfo &isa : isas())
    if (architectureOf(isa) == arch)
      result.push_back(&isa);
  return result;
}

/// Sets the features and instruction sets to what `has` says of `target.arch`.
void fill(TargetCpu &target, function_ref<bool(const CpuFeatureInfo &)> has) {
  for (const IsaInfo *isa : isasOf(target.arch))
    for (const CpuFeatureInfo *feature : isa->features)
      if (!is_contained(target.features, feature) && has(*feature))
        target.features.push_back(feature);
  for (const CpuFeatureInfo *feature : target.features)
    target.cpuData[feature->word] |= uint64_t{1} << feature->bit;
  for (const IsaInfo &isa : isas())
    if (isForArchitecture(isa, target.arch) && !isa.isGpu() &&
        all_of(isa.features, [&](const CpuFeatureInfo *feature) {
          return is_contained(target.features, feature);
        }))
      target.isas.push_back(isa.isa);
}

/// What a CPU's name does not say that a process may use, only the feature's
/// own.
bool isOnRequest(const CpuFeatureInfo &feature) {
  return findTarget(ref(feature.arch))->isOnRequest(ref(feature.llvmName));
}

struct CoreVectors {
  StringRef cpu;
  int bits[TW_SCALING_COUNT];
};

/// The lengths of the vectors of target.cpu.
void setVectorLengths(TargetCpu &target) {
  static const CoreVectors known[] = {
#define TW_CORE_VECTORS(ENUM, sve, streaming) {#ENUM, {0, sve, streaming}},
#include "tilewright/cores.def"
  };
  const CoreVectors *core = find_if(known, [&](const CoreVectors &row) {
    std::string name = row.cpu.lower();
    std::replace(name.begin(), name.end(), '_', '-');
    return name == target.cpu;
  });
  uint64_t &lengths = target.cpuData[TW_CPU_WORD_VECTOR_LENGTHS];
  lengths = 0;
  for (const ScalingInfo &scaling : drop_begin(scalings())) {
    int bits = core != std::end(known) ? core->bits[scaling.scaling]
               : target.cpu.empty()    ? scaling.usualBits
                                       : kLeastVectorBits;
    if (int relied = target.reliedBits[scaling.scaling])
      bits = relied;
    if (target.has(ref(scaling.llvmFeature)))
      lengths |= uint64_t(bits) << 16 * (scaling.scaling - 1);
  }
}

std::string asLlvmFeatures(ArrayRef<const CpuFeatureInfo *> features) {
  std::string text;
  for (const CpuFeatureInfo *feature : features)
    text += (text.empty() ? "+" : ",+") + std::string(feature->llvmName);
  return text;
}

/// Reads "<arch>:<part>+...".
class Parser {
public:
  Parser(StringRef text) : text(text) {}

  Expected<TargetCpu> run() {
    auto [arch, parts] = text.split(':');
    for (const ArchitectureInfo &known : architectures())
      if (known.kind != ArchitectureInfo::Kind::ANY && ref(known.name) == arch)
        architecture = &known;
    if (!architecture)
      return createStringError(unknownArch());
    target.arch = architectureOf(*architecture);
    if (architecture->kind == ArchitectureInfo::Kind::GPU)
      return gpu(parts);
    target.name = text.str();
    registerTarget(target.arch);
    Triple triple(Triple::getArchTypeName(target.arch), "unknown", "linux");
    std::string why;
    const llvm::Target *backend = TargetRegistry::lookupTarget(triple, why);
    if (!backend)
      return createStringError("target '" + text + "': " + why);
    known.reset(backend->createMCSubtargetInfo(triple, "", ""));

    if (text.contains(':') && parts.empty())
      return createStringError("target '" + text +
                               "': expected a CPU or features after the colon");
    SmallVector<StringRef> all;
    parts.split(all, '+');
    for (StringRef some : all) {
      SmallVector<StringRef> list;
      some.split(list, ',');
      for (StringRef part : list)
        if (Error error = text.contains(':') ? addPart(part) : Error::success())
          return std::move(error);
    }

    // A core that is not known has no preferences.
    tw_set_core(target.cpu.c_str(), target.cpuData.data());
    forgetLongerVectors(*backend, triple);
    target.codeFeatures = join(modifiers, ",");
    std::unique_ptr<MCSubtargetInfo> subtarget(backend->createMCSubtargetInfo(
        triple, target.cpu, target.codeFeatures));
    std::unique_ptr<MCSubtargetInfo> named(
        backend->createMCSubtargetInfo(triple, "", target.codeFeatures));
    fill(target, [&](const CpuFeatureInfo &feature) {
      const MCSubtargetInfo &from = isOnRequest(feature) ? *named : *subtarget;
      return from.checkFeatures("+" + std::string(feature.llvmName));
    });
    for (const ScalingInfo &scaling : scalings())
      if (target.reliedBits[scaling.scaling] &&
          !target.has(ref(scaling.llvmFeature)))
        return createStringError(
            "target '" + text +
            "': says how long vectors are of a CPU without " +
            ref(scaling.llvmFeature).upper());
    setVectorLengths(target);
    return std::move(target);
  }

private:
  Error addPart(StringRef part) {
    if (known->isCPUStringValid(part)) {
      if (!target.cpu.empty())
        return createStringError("target '" + text + "': names two CPUs, '" +
                                 target.cpu + "' and '" + part + "'");
      target.cpu = part.str();
      return Error::success();
    }
    for (const IsaInfo *isa : isasOf(target.arch))
      if (part == nameInArch(*isa)) {
        for (const CpuFeatureInfo *feature : isa->features)
          modifiers.push_back("+" + std::string(feature->llvmName));
        return Error::success();
      }
    StringRef without = part, length = part;
    for (const ScalingInfo &scaling : drop_begin(scalings()))
      if (scaling.arch == architecture->enumName &&
          length.consume_front(ref(scaling.prefix)))
        return setLength(part, length, target.reliedBits[scaling.scaling]);
    if (is_contained(findTarget(architecture->enumName)->longerVectors(), part))
      return createStringError(
          "target '" + text + "': no code relies on vectors as long as '" +
          part + "' says; expected at most " +
          Twine(isasOf(target.arch).front()->vectorBits) +
          " bits, code for which runs on longer ones, too");
    if (isFeature(part))
      modifiers.push_back("+" + part.str());
    else if (without.consume_front("no") && isFeature(without))
      modifiers.push_back("-" + without.str());
    else
      return unknownPart(part);
    return Error::success();
  }

  /// No code relies on longer vectors of a CPU than an instruction set has.
  void forgetLongerVectors(const llvm::Target &backend, const Triple &triple) {
    std::unique_ptr<MCSubtargetInfo> cpu(
        backend.createMCSubtargetInfo(triple, target.cpu, ""));
    for (StringRef feature :
         findTarget(architecture->enumName)->longerVectors())
      if (cpu->checkFeatures("+" + feature.str()))
        modifiers.push_back("-" + feature.str());
  }

  Error setLength(StringRef part, StringRef length, int &bits) const {
    if (length.getAsInteger(10, bits) || bits < kLeastVectorBits ||
        bits > kMaxVectorBits || !isPowerOf2_32(uint32_t(bits)))
      return createStringError(
          "target '" + text + "': '" + part +
          "' is no length of vectors; expected a power of 2 from " +
          Twine(kLeastVectorBits) + " to " + Twine(kMaxVectorBits) + " bits");
    return Error::success();
  }

  Error unknownPart(StringRef part) const {
    std::string arch(text.split(':').first);
    return createStringError("target '" + text + "': '" + part +
                             "' is neither a CPU, a feature nor "
                             "an instruction set of " +
                             arch + nearest(part));
  }

  /// A GPU's code is for exactly one target, which is a row of the table.
  Expected<TargetCpu> gpu(StringRef name) const {
    std::string known;
    for (const IsaInfo *isa : isasOf(target.arch)) {
      if (nameInArch(*isa) == name)
        return targetCpuOf(*isa);
      known += (known.empty() ? "" : ", ") + nameInArch(*isa).str();
    }
    return createStringError("unknown target '%s': no GPU '%s'; expected "
                             "%s: and one of %s",
                             text.str().c_str(), name.str().c_str(),
                             architecture->name.data(), known.c_str());
  }

  bool isFeature(StringRef part) const {
    return any_of(
        known->getAllProcessorFeatures(),
        [&](const SubtargetFeatureKV &feature) { return part == feature.Key; });
  }

  /// "; did you mean 'neoverse-n1'?", or nothing.
  std::string nearest(StringRef part) const {
    Nearest nearest(part, /*slips=*/2);
    for (const IsaInfo *isa : isasOf(target.arch))
      nearest.look(nameInArch(*isa));
    for (const SubtargetSubTypeKV &cpu : known->getAllProcessorDescriptions())
      nearest.look(cpu.Key);
    for (const SubtargetFeatureKV &feature : known->getAllProcessorFeatures())
      nearest.look(feature.Key);
    return nearest.question();
  }

  std::string unknownArch() const {
    std::string rows, archs;
    for (const IsaInfo &isa : isas())
      rows += ", " + std::string(isa.name);
    for (const ArchitectureInfo &known : architectures())
      if (known.kind != ArchitectureInfo::Kind::ANY)
        archs +=
            ", " + std::string(known.name) +
            (known.kind == ArchitectureInfo::Kind::GPU ? ":<gfx>"
                                                       : ":<cpu or features>");
    return "unknown target '" + text.str() + "'; expected host" + rows + archs;
  }

  StringRef text;
  const ArchitectureInfo *architecture = nullptr;
  TargetCpu target;
  std::unique_ptr<MCSubtargetInfo> known;
  std::vector<std::string> modifiers; ///< "+sve", "-sve", in order
};

} // namespace

Triple::ArchType architectureOf(const ArchitectureInfo &architecture) {
  return Triple(ref(architecture.llvmArch)).getArch();
}

Triple::ArchType architectureOf(const IsaInfo &isa) {
  return architectureOf(*isa.architecture);
}

bool isForArchitecture(const IsaInfo &isa, Triple::ArchType arch) {
  Triple::ArchType own = architectureOf(isa);
  return own == Triple::UnknownArch || own == arch;
}

bool TargetCpu::has(StringRef llvmFeature) const {
  return any_of(features, [&](const CpuFeatureInfo *feature) {
    return ref(feature->llvmName) == llvmFeature;
  });
}

StringRef TargetCpu::archName() const {
  std::vector<const IsaInfo *> own = isasOf(arch);
  return arch == Triple::UnknownArch || own.empty() ? "" : ref(own[0]->arch);
}

bool TargetCpu::has(tw_isa_t isa) const { return is_contained(isas, isa); }

TargetCpu targetCpuOf(const IsaInfo &isa) {
  TargetCpu target;
  target.name = std::string(isa.name);
  target.arch = architectureOf(isa);
  if (isa.isGpu()) {
    target.cpu = nameInArch(isa).str();
    target.isas = {isa.isa};
    return target;
  }
  target.codeFeatures = isa.llvmFeatures();
  fill(target, [&](const CpuFeatureInfo &feature) {
    return isa.has(feature.llvmName);
  });
  setVectorLengths(target);
  return target;
}

/// What the runtime library knows of the core of `target`.
static void setMeasured(TargetCpu &target) {
  target.measured.clear();
  tw_measured_tile_t tile;
  for (size_t i = 0; tw_measured_tile_on(target.cpuData.data(), i, &tile); ++i)
    target.measured.push_back(tile);
}

TargetCpu targetCpuOf(Triple::ArchType arch, const uint64_t *cpuData) {
  TargetCpu target;
  target.arch = arch;
  fill(target, [&](const CpuFeatureInfo &feature) {
    return cpuData[feature.word] >> feature.bit & 1;
  });
  for (int word :
       {TW_CPU_WORD_CORE, TW_CPU_WORD_VECTOR_LENGTHS, TW_CPU_WORD_CACHES})
    target.cpuData[word] = cpuData[word];
  setMeasured(target);
  target.codeFeatures = asLlvmFeatures(target.features);
  std::string parts;
  for (tw_isa_t isa : target.isas)
    if (none_of(target.isas, [&](tw_isa_t other) {
          return other != isa && info(other).implies(info(isa));
        }))
      parts += (parts.empty() ? "" : "+") + nameInArch(info(isa)).str();
  target.name =
      parts.find('+') == std::string::npos
          ? std::string(target.best().name)
          : std::string(target.best().architecture->name) + ":" + parts;
  return target;
}

TargetCpu hostTargetCpu() {
  uint64_t cpu[TW_CPU_DATA_WORDS] = {};
  tw_cpu_detect(cpu);
  Triple::ArchType arch = Triple(sys::getProcessTriple()).getArch();
  TargetCpu target = targetCpuOf(arch, cpu);
  if (findIsa(target.name))
    return target;
  // The core's own name says more, if it says the same.
  StringRef archName = StringRef(target.name).split(':').first;
  Expected<TargetCpu> core =
      parseTargetCpu((archName + ":" + sys::getHostCPUName()).str());
  if (!core) {
    consumeError(core.takeError());
  } else if (core->features == target.features) {
    core->cpuData = target.cpuData;
    return *core;
  }
  return target;
}

std::string coreName(const TargetCpu &target) {
  const char *known = tw_core_name(target.cpuData.data());
  return known ? known : target.cpu;
}

std::string hostCoreName() {
  std::string name = coreName(hostTargetCpu());
  return name.empty() ? sys::getHostCPUName().str() : name;
}

Expected<TargetCpu> parseTargetCpu(StringRef text) {
  if (const IsaInfo *isa = findIsa(std::string_view(text.data(), text.size())))
    return targetCpuOf(*isa);
  Expected<TargetCpu> target = Parser(text).run();
  if (target)
    setMeasured(*target);
  return target;
}

} // namespace tilewright
