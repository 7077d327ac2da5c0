// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// arm_64 to plans of fixed vectors: NEON's instructions, and its cores.

#include "tilewright/Planning/Target.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

namespace tilewright {
namespace {

// ---- Instructions. Latencies: Neoverse N1, N2, V1 and V2 agree within a
// cycle.

/// smmla, ummla, usmmla: 2x2 blocks, 8 bytes per row.
constexpr Idiom matrixBytes() {
  Idiom idiom = {IdiomKind::MatrixBytes,
                 "smmla",
                 {"i8mm", ""},
                 IdiomOperands::Bytes,
                 8,
                 1,
                 3,
                 4};
  idiom.rows = 2;
  idiom.ordersSigns = true;
  return idiom;
}

/// sdot, udot: bytes, 4 per lane; of mixed signs usdot, sudot.
constexpr Idiom dotBytes() {
  Idiom idiom = {IdiomKind::DotBytesLane,
                 "sdot",
                 {"dotprod", ""},
                 IdiomOperands::Bytes,
                 4,
                 1,
                 3,
                 4};
  idiom.signs = Signs::Same;
  idiom.anySigns = "i8mm";
  return idiom;
}

/// bfmmla: 2x2 blocks, 4 bf16 per row.
constexpr Idiom matrixBF16() {
  Idiom idiom = {IdiomKind::MatrixBF16,
                 "bfmmla",
                 {"bf16", ""},
                 IdiomOperands::BF16,
                 4,
                 1,
                 5,
                 4};
  idiom.rows = 2;
  idiom.flushesDenormals = true;
  return idiom;
}

/// bfdot: bf16, 2 per lane.
constexpr Idiom dotBF16() {
  Idiom idiom = {IdiomKind::DotBF16Lane,
                 "bfdot",
                 {"bf16", ""},
                 IdiomOperands::BF16,
                 2,
                 1,
                 4,
                 4};
  idiom.flushesDenormals = true;
  idiom.lanesInPairs = true;
  return idiom;
}

/// bfmlalb, bfmlalt: bf16, even and odd lanes.
constexpr Idiom widenBF16() {
  Idiom idiom = {IdiomKind::WidenBF16,
                 "bfmlal",
                 {"bf16", ""},
                 IdiomOperands::BF16,
                 1,
                 1,
                 4,
                 4};
  idiom.halves = Halves::EvenOdd;
  return idiom;
}

/// smull, smull2, sadalp: bytes of like sign, 2 per lane.
constexpr Idiom pairBytes() {
  Idiom idiom = {IdiomKind::PairBytes,
                 "sadalp",
                 {"neon", ""},
                 IdiomOperands::Bytes,
                 2,
                 2,
                 4,
                 4};
  idiom.halves = Halves::LowHigh;
  idiom.signs = Signs::OnlySame;
  idiom.shufflesLanes = true;
  return idiom;
}

/// smlal, smlal2: s16, low and high lanes.
constexpr Idiom widenWords() {
  Idiom idiom = {IdiomKind::WidenWords,
                 "smlal",
                 {"neon", ""},
                 IdiomOperands::Words,
                 1,
                 1,
                 4,
                 4};
  idiom.halves = Halves::LowHigh;
  return idiom;
}

/// fmla of f16.
constexpr Idiom fmaHalf() {
  Idiom idiom = {IdiomKind::FmaHalf,
                 "fmah",
                 {"fullfp16", ""},
                 IdiomOperands::F16,
                 1,
                 1,
                 4,
                 8};
  idiom.roundsToHalf = true;
  return idiom;
}

/// fmlal, fmlal2: f16, low and high lanes.
constexpr Idiom widenHalf() {
  Idiom idiom = {IdiomKind::WidenHalf,
                 "fmlal",
                 {"fp16fml", ""},
                 IdiomOperands::F16,
                 1,
                 1,
                 4,
                 4};
  idiom.halves = Halves::LowHigh;
  return idiom;
}

constexpr Idiom kIdioms[] = {
    matrixBytes(),
    dotBytes(),
    matrixBF16(),
    dotBF16(),
    widenBF16(),
    pairBytes(),
    widenWords(),
    fmaHalf(),
    widenHalf(),
    {IdiomKind::Fma, "fma", {"neon", ""}, IdiomOperands::Floats, 1, 1, 4},
    {IdiomKind::MultiplyAddS32,
     "mla",
     {"neon", ""},
     IdiomOperands::Integers,
     1,
     1,
     4},
    kGenericIdiom};

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
