// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// arm_64 to plans of fixed vectors: NEON's instructions, and its cores.

#include "tilewright/Planning/Target.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

namespace tilewright {
namespace {

using I = Idiom;
using K = IdiomKind;
constexpr Idiom kIdioms[] = {
    // clang-format off
    // kind, name, instructions, least lanes
    I{K::MatrixBytes,    "smmla",  {TW_INSTRUCTION_SMMLA},    4}.with(&I::ordersSigns, true),
    I{K::DotBytesLane,   "sdot",   {TW_INSTRUCTION_SDOT},     4}.with(&I::signs, Signs::Same).with(&I::anySigns, TW_INSTRUCTION_USDOT),
    I{K::MatrixBF16,     "bfmmla", {TW_INSTRUCTION_BFMMLA},   4},
    I{K::DotBF16Lane,    "bfdot",  {TW_INSTRUCTION_BFDOT},    4}.with(&I::lanesInPairs, true),
    I{K::WidenBF16,      "bfmlal", {TW_INSTRUCTION_BFMLAL},   4}.with(&I::halves, Halves::EvenOdd),
    I{K::WidenBytes,     "smlalh", {TW_INSTRUCTION_SMLAL_S8}, 8}.with(&I::halves, Halves::LowHigh).with(&I::signs, Signs::OnlySame)
        .with(&I::shufflesLanes, true),
    I{K::MultiplyAddS16, "mlah",   {TW_INSTRUCTION_MLA_S16},  8}.with(&I::signs, Signs::OnlyMixed),
    I{K::PairBytes,      "sadalp", {TW_INSTRUCTION_SADALP},   4}.with(&I::halves, Halves::LowHigh).with(&I::signs, Signs::OnlySame)
        .with(&I::shufflesLanes, true).with(&I::addsApart, true),
    I{K::WidenWords,     "smlal",  {TW_INSTRUCTION_SMLAL},    4}.with(&I::halves, Halves::LowHigh),
    I{K::FmaHalf,        "fmah",   {TW_INSTRUCTION_FMLA_F16}, 8},
    I{K::WidenHalf,      "fmlal",  {TW_INSTRUCTION_FMLAL},    4}.with(&I::halves, Halves::LowHigh),
    I{K::Fma,            "fma",    {TW_INSTRUCTION_FMLA, TW_INSTRUCTION_FMLA_F64}},
    I{K::MultiplyAddS32, "mla",    {TW_INSTRUCTION_MLA}},
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

  CoreModel core(llvm::StringLiteral cpu) const override {
    CoreModel model = kNeoverse;
    // By their models of llvm-mca (docs/adr/0075).
    if (cpu == "cortex-a55") {
      model.schedule = Schedule::Late;
      model.loadsOneByOne = true;
    } else if (cpu == "cortex-a53" || cpu == "cortex-a510") {
      model.schedule = Schedule::Full;
      model.loadsPassFloats = cpu == "cortex-a510";
    }
    return model;
  }
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
    // 9 on A64FX, which has nothing that came after SVE: as many sets as it
    // gains by and others do not lose by.
    if (!isa.has("dotprod") && !isa.has("fp16fml") && !isa.has("bf16"))
      m.byteSums = 5;
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
    g.lateSchedule = "cortex-a55";
    g.fullSchedule = "cortex-a510";
    static constexpr llvm::StringLiteral kIdle[] = {
        "A57 FP Anti-dependency breaker",
        "AArch64 Compress Jump Tables",
        "AArch64 Local Dynamic TLS Access Clean-up",
        "AArch64 Promote Constant",
        "AArch64 Redundant Conditional Branch Elimination",
        "AArch64 Redundant Copy Elimination",
        "AArch64 SIMD instructions optimization pass",
        "AArch64 Stack Tagging PreRA",
        "AArch64 Store Pair Suppression",
        "AArch64 sls hardening pass",
        "AArch64 speculation hardening pass",
        "Falkor HW Prefetch Fix Late Phase",
        "Workaround A53 erratum 835769 pass",
    };
    g.idlePasses = kIdle;
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
