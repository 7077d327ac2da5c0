// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// arm_64 to plans of fixed vectors: NEON's instructions, and its cores.

#include "tilewright/Planning/Target.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

namespace tilewright {
namespace {

// Latencies: Neoverse N1, N2, V1 and V2 agree within a cycle.
using I = Idiom;
using K = IdiomKind;
using O = IdiomOperands;
constexpr Idiom kIdioms[] = {
    // clang-format off
    // kind, name, features, operands, group, operations, latency, least lanes
    // smmla, ummla, usmmla: 2x2 blocks, 8 bytes per row.
    I{K::MatrixBytes,    "smmla",  {"i8mm", ""},     O::Bytes,    8, 1, 3, 4}.with(&I::rows, 2).with(&I::ordersSigns, true),
    // sdot, udot: bytes, 4 per lane; of mixed signs usdot, sudot.
    I{K::DotBytesLane,   "sdot",   {"dotprod", ""},  O::Bytes,    4, 1, 3, 4}.with(&I::signs, Signs::Same)
        .with(&I::anySigns, llvm::StringLiteral("i8mm")),
    // bfmmla: 2x2 blocks, 4 bf16 per row.
    I{K::MatrixBF16,     "bfmmla", {"bf16", ""},     O::BF16,     4, 1, 5, 4}.with(&I::rows, 2).with(&I::flushesDenormals, true),
    // bfdot: bf16, 2 per lane.
    I{K::DotBF16Lane,    "bfdot",  {"bf16", ""},     O::BF16,     2, 1, 4, 4}.with(&I::flushesDenormals, true).with(&I::lanesInPairs, true),
    // bfmlalb, bfmlalt: bf16, even and odd lanes.
    I{K::WidenBF16,      "bfmlal", {"bf16", ""},     O::BF16,     1, 1, 4, 4}.with(&I::halves, Halves::EvenOdd),
    // smull, smull2, sadalp: bytes of like sign, 2 per lane.
    I{K::PairBytes,      "sadalp", {"neon", ""},     O::Bytes,    2, 2, 4, 4}.with(&I::halves, Halves::LowHigh)
        .with(&I::signs, Signs::OnlySame).with(&I::shufflesLanes, true),
    // smlal, smlal2: s16, low and high lanes.
    I{K::WidenWords,     "smlal",  {"neon", ""},     O::Words,    1, 1, 4, 4}.with(&I::halves, Halves::LowHigh),
    // fmla of f16.
    I{K::FmaHalf,        "fmah",   {"fullfp16", ""}, O::F16,      1, 1, 4, 8}.with(&I::roundsToHalf, true),
    // fmlal, fmlal2: f16, low and high lanes.
    I{K::WidenHalf,      "fmlal",  {"fp16fml", ""},  O::F16,      1, 1, 4, 4}.with(&I::halves, Halves::LowHigh),
    I{K::Fma,            "fma",    {"neon", ""},     O::Floats,   1, 1, 4},
    I{K::MultiplyAddS32, "mla",    {"neon", ""},     O::Integers, 1, 1, 4},
    kGenericIdiom,
    // clang-format on
};

// Two pipes of 128 bits, as N1 and N2 have them. A load that broadcasts takes a
// multiplier's slot, too.
constexpr CoreModel kNeoverse = {
    "a Neoverse of two pipes", "", 32, 5, 0.4, 0, 1, 0};

class ArmTarget : public TargetOfOneModel {
public:
  ArmTarget() : TargetOfOneModel(kNeoverse) {}

  Machine machine(const IsaInfo &isa) const override {
    Machine m;
    m.namesLanes = true;
    m.zipsNibbles = true;
    m.multipliesS32 = true;
    m.convertsHalf = true;
    if (isa.has("bf16")) // bfcvtn
      m.toBF16 = Machine::ToBF16::Exact;
    m.typesBF16 = true;
    m.halfOps = m.bf16Ops = 1;
    m.chains = 16;
    m.dispatchIsNarrow = true;
    m.dispatchIsWider = isa.has("bf16") || isa.has("i8mm");
    // A sum is forwarded to the next one.
    m.plentyOfLatency = 1.3;
    m.registerClass = "w";
    return m;
  }
  llvm::ArrayRef<Idiom> idioms() const override { return kIdioms; }
  LoopMachine loopMachine(HasFeature) const override {
    LoopMachine m; // without any feature
    m.fuses = m.convertsHalf = true;
    return m;
  }
  CodeGeneration codeGeneration() const override {
    CodeGeneration g;
    g.takesShortPasses = true;
    g.keepsPlannedOrder = true;
    return g;
  }
  /// "-march=...+dotprod+fp16"
  std::string
  compilerFlags(llvm::ArrayRef<std::string> features) const override {
    std::string flags = "-march=...";
    for (const std::string &feature : features) {
      auto extension = llvm::AArch64::targetFeatureToExtension("+" + feature);
      flags += "+" + (extension ? extension->UserVisibleName.str() : feature);
    }
    return flags;
  }
};

} // namespace

const Target &armTarget() {
  static const ArmTarget target;
  return target;
}

} // namespace tilewright
