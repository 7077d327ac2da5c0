// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright explain: what would stand for a name, and why.

#include "Commands.h"
#include "ExplainFacts.h"
#include "GenKernels.h"
#include "ToolSupport.h"

#include "tilewright/Compile/CorePreference.h"
#include "tilewright/Compile/ExplainEncoding.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand explainOptions("explain",
                              "Say what would stand for a name, and why");

cl::list<std::string> names(cl::Positional, cl::sub(explainOptions),
                            cl::desc("<name>..."), cl::OneOrMore);
cl::opt<std::string> prefix("prefix", cl::sub(explainOptions),
                            cl::init(std::string(kDefaultPrefix)),
                            cl::value_desc("prefix"),
                            cl::desc("Prefix of the names (default: tw)"));
cl::opt<std::string> plan("plan", cl::sub(explainOptions),
                          cl::value_desc("parts"),
                          cl::desc("Override parts of the plan"));
cl::opt<bool> asJson("json", cl::sub(explainOptions), cl::desc("Print JSON"));
cl::list<std::string>
    targets("target", cl::sub(explainOptions), cl::value_desc("device"),
            cl::desc("Of encodings: a device, as compile's --target has it, or "
                     "none; once for each. Of tiles: the one CPU whose tuned "
                     "bodies to take (default: this CPU)"));
ResolveFlags resolveFlags(explainOptions, Prefer::HandWritten);

const char explainHelp[] = R"(
Examples:
  tilewright explain tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni
  tilewright explain tw_pack_tile_8_rows_12x4_x86_64_avx512_vnni
  tilewright explain --target=x86_64:znver5 --target=amdgpu:gfx942 '#tw.encoding<rhs,
    types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>'
  tilewright explain --prefer=generated --json tw_mmt4d_tile_f32f32f32_7x48x1_generic
)";

struct Explanation {
  TileKey key;
  std::string name;
  const HandWrittenTile *handWritten;
  std::string library; ///< of the row, or why there is none
  bool libraryFound = false;
  /// But of the variant `vnni`, which has none.
  TilePlan plan;
  PlanCost cost;
  const CoreModel *core = nullptr; ///< the plan is for it, the costs are its
  /// Instead of these two on amdgpu.
  WavePlan wavePlan;
  WaveCost waveCost{};
  CacheFacts cached;
  CpuFacts cpu;
  Origin origin;
  ChosenBody body;
  std::string reason;
};

void conclude(Explanation &e, const ResolveOptions &options) {
  e.reason = e.body.why;
  if (e.body.handWritten) {
    e.origin = Origin::HandWritten;
    if (!e.libraryFound)
      e.reason += ", but resolving it would fail: " + e.library;
    return;
  }
  e.origin = e.cached.any() ? Origin::Cached : Origin::Generated;
  e.reason += e.origin == Origin::Cached ? "; generated before"
                                         : "; generated when asked for";
}

Error choosePlan(Explanation &e, const GenerateOptions &options) {
  if (info(e.key.isa).isGpu()) {
    Expected<WavePlan> chosen = planWave(e.key, e.body.plan);
    if (!chosen)
      return chosen.takeError();
    e.wavePlan = *chosen;
    e.waveCost = estimateWaveCost(*chosen, e.key);
    return Error::success();
  }
  if (e.key.vnni && options.plan.empty())
    return Error::success();
  std::string parts = planParts(e.key, options);
  Expected<TilePlan> chosen = planTile(e.key, parts);
  if (!chosen)
    return chosen.takeError();
  if (Error error = plannedCore(e.key, parts).moveInto(e.core))
    return error;
  e.plan = *chosen;
  e.cost = estimateCost(*chosen, e.key, *e.core);
  return Error::success();
}

std::string planText(const Explanation &e) {
  return info(e.key.isa).isGpu() ? printWavePlan(e.wavePlan)
                                 : printTilePlan(e.plan);
}

Expected<Explanation> explain(const TileKey &key, ResolveOptions options) {
  options.generate.plan = plan;
  Explanation e;
  e.key = key;
  e.name = printTileKey(key, prefix);
  e.handWritten = findHandWrittenTile(key);
  if (e.handWritten) {
    Expected<std::string> path =
        handWrittenBitcodePath(key.isa, options.bitcodeDir);
    e.libraryFound = bool(path);
    e.library = path ? *path : toString(path.takeError());
  }
  e.body = chooseBody(key, options);
  options.generate.plan = e.body.plan;
  if (Error error = choosePlan(e, options.generate))
    return createStringError(e.name + ": " + toString(std::move(error)));
  e.cpu = lookAtCpu(info(key.isa));
  e.cached = lookAtCache(key, options);
  conclude(e, options);
  return e;
}

/// The key at the least vector length, where sizes are numbers.
TileKey leastOf(const TileKey &key) {
  return key.atVectorBits(info(key.isa).vectorBits);
}

/// "8", "2vl".
std::string sizeText(int size, bool scalable) {
  return std::to_string(size) + (scalable ? "vl" : "");
}

/// What a scalable size is: at each length that machines have, in numbers.
std::string scalableText(const TileKey &key) {
  const IsaInfo &isa = info(key.isa);
  std::string text =
      formatv("1vl is the number of {0} in one vector of the {1} length; ",
              info(info(key.types).accumulator).name, info(isa.scaling).title);
  for (int bits = 128; bits <= 512; bits *= 2) {
    TileKey at = key.atVectorBits(bits);
    text += formatv("{0}{1}x{2}x{3} at {4} bits", bits == 128 ? "" : ", ",
                    at.m0, at.n0, at.k0, bits);
  }
  return text;
}

/// Multiply-accumulates of one K step.
double macsOf(const TileKey &key) {
  TileKey least = leastOf(key);
  return double(least.m0) * least.n0 * least.k0;
}

/// "smmla; quickest on a, b; gains nothing over sdot on c".
std::string multiplyText(const TileKey &key) {
  std::vector<std::string> quick;
  MapVector<StringRef, std::vector<std::string>> others;
  std::vector<CoreVerdict> verdicts = judgeOnCores(key);
  for (const CoreVerdict &verdict : verdicts)
    (verdict.gains() ? quick : others[verdict.instead]).push_back(verdict.core);
  std::string text = multiplyName(key);
  if (!quick.empty())
    text += "; the quickest on " + join(quick, ", ");
  for (const auto &[instruction, cores] : others)
    text += "; gains nothing over " + instruction.str() + " on " +
            join(cores, ", ");
  return text;
}

json::Array coresAsJson(const TileKey &key) {
  json::Array rows;
  for (const CoreVerdict &verdict : judgeOnCores(key)) {
    json::Object row{{"core", verdict.core}, {"gains", verdict.gains()}};
    if (!verdict.instead.empty()) {
      row["instead"] = verdict.instead;
      row["speed_over_it"] = verdict.gain;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void printCost(const Explanation &e) {
  const PlanCost &cost = e.cost;
  auto line = [](const Twine &text) {
    outs() << formatv("  {0,-13}{1}\n", "", text.str());
  };
  if (info(e.key.isa).isGpu()) {
    const WaveCost &wave = e.waveCost;
    WaveShape shape(e.key, e.wavePlan);
    line(formatv("modelled {0:f1} cycles per K step, {1:f1} multiply-adds per "
                 "cycle; multiplies {2:f1}, loads {3:f1}, conversions {4:f1}, "
                 "waits {5:f1} cycles",
                 wave.cycles(), macsOf(e.key) / wave.cycles(), wave.multiplies,
                 wave.loads, wave.conversions, wave.waits)
             .str());
    line(formatv("{0} register block{1}, about {2} of {3} registers, {4} of "
                 "them accumulators; K0 is computed as {5}",
                 shape.rowBlocks * shape.columnBlocks,
                 shape.rowBlocks * shape.columnBlocks == 1 ? "" : "s",
                 shape.registers, info(e.key.isa).vectorRegisters,
                 shape.accumulatorRegisters, shape.paddedStep)
             .str());
    return;
  }
  line(formatv("estimated {0:f1} cycles per K step, {1:f1} multiply-adds per "
               "cycle; about {2} vector instructions of code",
               cost.cycles, macsOf(e.key) / cost.cycles, cost.size)
           .str());
  line(formatv("{0} register block{1}, {2} of {3} registers, {4} bytes of "
               "stages on the stack",
               cost.blocks, cost.blocks == 1 ? "" : "s",
               registersNeeded(e.plan, e.key), info(e.key.isa).vectorRegisters,
               stageBytes(e.plan, e.key))
           .str());
  line(formatv("a block's K step alone: multiplies {0:f1}, latency {1:f1}, "
               "loads {2:f1}, stores {3:f1}, decoding {4:f1} cycles; {5:f1} "
               "instructions",
               cost.block.multiplies, cost.block.latency, cost.block.loads,
               cost.block.stores, cost.block.decoding, cost.block.instructions)
           .str());
}

json::Value costAsJson(const Explanation &e) {
  const PlanCost &cost = e.cost;
  if (info(e.key.isa).isGpu()) {
    const WaveCost &wave = e.waveCost;
    WaveShape shape(e.key, e.wavePlan);
    return json::Object{{"cycles_per_step", wave.cycles()},
                        {"macs_per_cycle", macsOf(e.key) / wave.cycles()},
                        {"blocks", shape.rowBlocks * shape.columnBlocks},
                        {"registers", shape.registers},
                        {"accumulator_registers", shape.accumulatorRegisters},
                        {"padded_k0", shape.paddedStep},
                        {"step", json::Object{{"multiplies", wave.multiplies},
                                              {"loads", wave.loads},
                                              {"conversions", wave.conversions},
                                              {"waits", wave.waits}}}};
  }
  return json::Object{
      {"cycles_per_step", cost.cycles},
      {"macs_per_cycle", macsOf(e.key) / cost.cycles},
      {"code_vector_instructions", cost.size},
      {"blocks", cost.blocks},
      {"registers", registersNeeded(e.plan, e.key)},
      {"stage_bytes", stageBytes(e.plan, e.key)},
      {"block_step", json::Object{{"multiplies", cost.block.multiplies},
                                  {"latency", cost.block.latency},
                                  {"loads", cost.block.loads},
                                  {"stores", cost.block.stores},
                                  {"decoding", cost.block.decoding},
                                  {"instructions", cost.block.instructions}}}};
}

void printText(const Explanation &e) {
  const TypeTripleInfo &types = info(e.key.types);
  const IsaInfo &isa = info(e.key.isa);
  TileKey least = leastOf(e.key);
  auto line = [](StringRef what, const Twine &text) {
    outs() << formatv("  {0,-13}{1}\n", what, text.str());
  };
  outs() << e.name << '\n';
  line("computes",
       formatv("out[{0}][{1}] (+)= sum over K steps and k0 < {2} of "
               "lhs[{0}][k0] * rhs[{1}][k0]",
               sizeText(e.key.m0, e.key.m0Scalable),
               sizeText(e.key.n0, e.key.n0Scalable), e.key.k0)
           .str());
  if (e.key.isScalable())
    line("sizes", scalableText(e.key));
  line("types", formatv("lhs {0}, rhs {1}, out {2}, accumulated in {3}{4}",
                        info(types.lhs).name, info(types.rhs).name,
                        info(types.out).name, info(types.accumulator).name,
                        types.out == types.accumulator ? ""
                        : e.key.rounding == Rounding::kPerStep
                            ? ", rounded after each K step"
                            : ", rounded once")
                    .str());
  line("K step",
       formatv("{0} bytes of lhs, {1} of rhs; out tile {2} bytes{3}",
               least.lhsStepBytes(), least.rhsStepBytes(), least.outTileBytes(),
               e.key.isScalable() ? ", each at 128 bits" : "")
           .str());
  line("ISA", formatv("{0}: {1} vector registers of {2} bits{3}{4}{5}",
                      isa.name, isa.vectorRegisters, isa.vectorBits,
                      isa.scaling == TW_SCALING_NONE ? "" : " or more",
                      isa.features.empty() ? "" : "; ", isa.llvmFeatures())
                  .str());
  line("this CPU", e.cpu.text());
  line("hand-written",
       !e.handWritten ? "none"
       : e.libraryFound
           ? "family " + e.handWritten->family + ", in " + e.library
           : "family " + e.handWritten->family + "; " + e.library);
  if (!multiplyName(e.key).empty())
    line("multiplies", multiplyText(e.key));
  if (e.key.vnni) {
    line("rhs panel", "groups of 4 bytes along K: [K][K0/G][N0][G]");
    line("plan",
         "none: the body of the hand-written ones with its sizes bound");
  } else {
    line("plan", planText(e));
    if (!info(e.key.isa).isGpu())
      line("costs", formatv("{0} {1}",
                            e.core->arch.empty() ? "as usual, those of"
                                                 : "those of core",
                            e.core->name)
                        .str());
    printCost(e);
  }
  line("cached", e.cached.text());
  line("chosen", originName(e.origin).str() + ": " + e.reason);
}

json::Value asJsonValue(const Explanation &e) {
  const TypeTripleInfo &types = info(e.key.types);
  const IsaInfo &isa = info(e.key.isa);
  TileKey least = leastOf(e.key);
  json::Object result{
      {"name", e.name},
      {"types", std::string(types.name)},
      {"accumulator", std::string(info(types.accumulator).name)},
      {"M0", e.key.m0},
      {"N0", e.key.n0},
      {"K0", e.key.k0},
      {"steprnd", e.key.rounding == Rounding::kPerStep},
      {"isa", std::string(isa.name)},
      {"M0_scalable", e.key.m0Scalable},
      {"N0_scalable", e.key.n0Scalable},
      {"lhs_step_bytes", least.lhsStepBytes()},
      {"rhs_step_bytes", least.rhsStepBytes()},
      {"out_tile_bytes", least.outTileBytes()},
      {"cpu_runs_it", e.cpu.runsIt()},
      {"cpu_lacks", json::Array(e.cpu.missingFeatures)},
      {"hand_written", e.handWritten != nullptr},
      {"vnni", e.key.vnni},
      {"cached_bitcode", e.cached.bitcode},
      {"cached_object", e.cached.object},
      {"origin", originName(e.origin)},
      {"reason", e.reason}};
  if (!e.key.vnni) {
    result["plan"] = planText(e);
    result["cost"] = costAsJson(e);
  }
  if (std::string name = multiplyName(e.key); !name.empty()) {
    result["multiplies"] = name;
    result["cores"] = coresAsJson(e.key);
  }
  if (e.core)
    result["cost_core"] = e.core->name;
  if (e.handWritten) {
    result["family"] = e.handWritten->family;
    result["bitcode_library"] =
        e.libraryFound ? json::Value(e.library) : json::Value(nullptr);
  }
  return result;
}

/// What --target says of the core of tiles.
Expected<std::string> coreOfTiles() {
  if (targets.size() > 1)
    return createStringError("--target names several devices, but tiles are "
                             "explained for one CPU; give it once, or "
                             "encodings alone");
  if (!targets.empty() && targets.front() == "none")
    return std::string();
  return coreOfTarget(targets.empty() ? "" : targets.front());
}

Error runExplain() {
  std::vector<std::string> encodings, kernels, tiles;
  for (const std::string &name : names)
    if (looksLikeEncoding(name))
      encodings.push_back(name);
    else if (looksLikeKernelName(name, prefix))
      kernels.push_back(tileNameOf(name, prefix));
    else
      tiles.push_back(name);
  json::Array all;
  std::vector<std::string> devices(targets.begin(), targets.end());
  for (std::string &device : devices)
    if (device == "host")
      device = hostTargetCpu().name;
  if (devices.empty())
    devices.push_back(hostTargetCpu().name);
  ResolveOptions options;
  if (Error error = resolveFlags.get().moveInto(options))
    return error;
  for (const std::string &encoding : encodings)
    if (Error error = explainEncoding(encoding, devices, prefix, options,
                                      asJson ? &all : nullptr))
      return error;
  if (!kernels.empty()) {
    Expected<std::vector<TileKey>> keys = parseNames(kernels, prefix);
    if (!keys)
      return keys.takeError();
    for (const TileKey &key : *keys)
      if (Error error =
              explainKernel(key, prefix, plan, asJson ? &all : nullptr))
        return error;
  }
  std::vector<FunctionKey> functions;
  if (!tiles.empty())
    if (Error error = parseFunctionNames(tiles, prefix).moveInto(functions))
      return error;
  if (!functions.empty() && options.generate.tuneCpu.empty())
    if (Error error = coreOfTiles().moveInto(options.core))
      return error;
  options.generate.prefix = prefix;
  for (const FunctionKey &key : functions) {
    if (const auto *pack = std::get_if<PackKey>(&key)) {
      if (Error error = explainPack(*pack, options, asJson ? &all : nullptr))
        return error;
      continue;
    }
    Expected<Explanation> e = explain(std::get<TileKey>(key), options);
    if (!e)
      return e.takeError();
    if (asJson)
      all.push_back(asJsonValue(*e));
    else
      printText(*e);
  }
  if (asJson)
    outs() << formatv("{0:2}\n", json::Value(std::move(all)));
  return Error::success();
}

} // namespace

const Command explainCommand = {&explainOptions, explainHelp, runExplain};

} // namespace tilewright
