// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x86-64 to plans: its instructions, and its cores by
// bench/static/x86_ports.py.

#include "tilewright/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright {
namespace {

// ---- Instructions

using I = Idiom;
using K = IdiomKind;
constexpr Idiom kIdioms[] = {
    // clang-format off
    // kind, name, instructions, least lanes
    I{K::DotBytesSigned, "dpbssd",  {TW_INSTRUCTION_DPBSSD_YMM, TW_INSTRUCTION_DPBSSD_ZMM}, 4},
    I{K::DotBytes,       "dpbusd",  {TW_INSTRUCTION_DPBUSD_YMM, TW_INSTRUCTION_DPBUSD_ZMM}, 4}.with(&I::signs, Signs::OneOfEach),
    I{K::DotWords,       "dpwssd",  {TW_INSTRUCTION_DPWSSD_YMM, TW_INSTRUCTION_DPWSSD_ZMM}, 4},
    I{K::MaddWords,      "maddwd",  {TW_INSTRUCTION_MADDWD_YMM, TW_INSTRUCTION_MADDWD_ZMM}, 4}.with(&I::addsApart, true).with(&I::addsElsewhere, true),
    // Of 256 bits no rate is listed.
    I{K::DotBF16,        "dpbf16",  {TW_INSTRUCTION_DPBF16_ZMM}, 4}.with(&I::foldsLast, true),
    // Two multiply-adds of f32 for a pair of bf16.
    I{K::FmaBF16,        "fmabf16", {TW_INSTRUCTION_FMA_YMM, TW_INSTRUCTION_FMA_ZMM}}.inParts(2, TW_OPERANDS_BF16)
        .with(&I::wholeGroups, true).with(&I::gainsByPrefetch, false),
    I{K::FmaHalf,        "fmah",    {TW_INSTRUCTION_FMA_F16_ZMM}, 8},
    I{K::Fma,            "fma",     {TW_INSTRUCTION_FMA_YMM, TW_INSTRUCTION_FMA_ZMM, TW_INSTRUCTION_FMA_F64_YMM, TW_INSTRUCTION_FMA_F64_ZMM}},
    kGenericIdiom,
    // clang-format on
};

// ---- Cores

// Measured (bench/), and what plans are made by where no core is asked for. The
// last: f64 1x4 takes 3 % longer on Zen 4 with loads of 16 bytes than of 32,
// whose permutations take 1.7 times as long on Zen 3 and a port of their own on
// Intel's cores.
constexpr CoreModel kZen4 = {"Zen 4", "", 64, 6, 0.4, 1.0 / 3, 0, 0.45, 0.5};

constexpr tw_instruction_t kPlain[] = {TW_INSTRUCTION_FMA_YMM,
                                       TW_INSTRUCTION_FMA_ZMM};

// Intel's have two ports for 512 bits, which multiply, convert and shuffle, and
// broadcasts that are loads; one more for 256 bits. Zen multiplies on two pipes
// of four.
constexpr CoreModel kCores[] = {
    {"skylake-avx512", "X86_64", 128, 4, 1, 0, 0, 0.5, 0.5, kPlain},
    {"icelake-server", "X86_64", 128, 5, 1, 0, 0, 0.5, 0.5, kPlain},
    {"sapphirerapids", "X86_64", 128, 6, 1, 0, 0, 0.5, 0.5, kPlain},
    {"emeraldrapids", "X86_64", 128, 6, 1, 0, 0, 0.5, 0.5, kPlain},
    {"graniterapids", "X86_64", 128, 6, 1, 0, 0, 0.5, 0.5, kPlain},
    {"alderlake", "X86_64", 64, 6, 0.6, 0, 0, 0, 0.5, kPlain},
    {"gracemont", "X86_64", 32, 5, 1, 0, 0, 0, 0.5, kPlain},
    {"znver2", "X86_64", 64, 6, 0.4, 0, 0, 0, 0.5, kPlain},
    {"znver3", "X86_64", 64, 6, 0.4, 0, 0, 0, 0.5, kPlain},
    {"znver4", "X86_64", 64, 6, 0.4, 1.0 / 3, 0, 0.45, 0.12, kPlain},
    {"znver5", "X86_64", 128, 8, 0.4, 0, 0, 0.05, 0.05, kPlain},
};

class X86Target : public Target {
public:
  Machine machine(const IsaInfo &isa) const override {
    Machine m;
    bool avx2 = isa.has("avx2"), avx512 = isa.has("avx512f");
    m.partsNibbles = true;
    m.multipliesS32 = avx2;
    m.hasTernaryLogic = avx512;
    m.repeatsIntegers = avx512;
    m.convertsHalf = isa.has("f16c");
    m.halfOps = m.convertsHalf ? 2 : 9;
    if (isa.has("avx512bf16")) // vcvtneps2bf16
      m.toBF16 = Machine::ToBF16::AsDotProducts;
    m.maskedElementBytes = isa.has("avx512vl") ? 1 : avx2 ? 4 : 0;
    m.prefetches = avx2;
    m.fetchesByStride = avx2;
    m.comparesIdioms = isa.has("fma");
    m.endsByPointer = true;
    m.hasExtra = true;
    m.hasThreeSets = true;
    m.stagesAhead = true;
    m.repeatsPairs = avx2;
    m.repeatsLanes = avx512;
    m.registerClass = avx512 ? "v" : "x";
    return m;
  }
  llvm::ArrayRef<Idiom> idioms() const override { return kIdioms; }
  CoreModel core(llvm::StringLiteral cpu) const override {
    return *llvm::find_if(kCores,
                          [&](const CoreModel &m) { return m.name == cpu; });
  }
  /// Of 512-bit vectors some cores multiply one a cycle, and others two, beside
  /// which little else gets in. To narrower ones they are much alike.
  llvm::ArrayRef<const CoreModel *>
  usualCores(const IsaInfo &isa) const override {
    static constexpr const CoreModel *kUsual[] = {&kZen4, &kCores[0]};
    return llvm::ArrayRef(kUsual).take_front(isa.vectorBits > 256 ? 2 : 1);
  }
  LoopMachine loopMachine(HasFeature has) const override {
    LoopMachine m;
    m.masks = has("avx512bw") && has("avx512vl");
    m.fuses = has("fma");
    m.scalesByPowers = m.masks && has("avx512dq");
    m.convertsHalf = has("f16c");
    return m;
  }
  CodeGeneration codeGeneration() const override {
    CodeGeneration g;
    g.cpu = "x86-64";
    // The one tuning whose scheduling model knows 512-bit dot products and
    // the ports of broadcasts; docs/adr/0005 compares it. It schedules twice,
    // a tenth of the time of code generation, which regular tiles are worth.
    g.tuneCpu = "znver4";
    g.statesVectorWidth = true;
    g.takesShortPasses = true;
    static constexpr llvm::StringLiteral kIdle[] = {
        "Argument Stack Rebase",
        "Local Dynamic TLS Access Clean-up",
        "Pseudo Probe Inserter",
        "X86 Atom pad short functions",
        "X86 Avoid Store Forwarding Blocks",
        "X86 Domain Reassignment Pass",
        "X86 Fixup SetCC",
        "X86 Indirect Branch Tracking",
        "X86 Indirect Thunks",
        "X86 LEA Optimize",
        "X86 Load Value Injection (LVI) Load Hardening",
        "X86 Load Value Injection (LVI) Ret-Hardening",
        "X86 PIC Global Base Reg Initialization",
        "X86 Return Thunks",
        "X86 Speculative Execution Side Effect Suppression",
        "X86 Suppress APX features for relocation",
        "X86 cmov Conversion",
        "X86 insert wait instruction",
        "X86 speculative load hardening",
    };
    g.idlePasses = kIdle;
    return g;
  }
  llvm::ArrayRef<MatrixUnit> matrixUnits() const override {
    static constexpr MatrixUnit units[] = {{"amx-int8", TW_ELEMENT_S8, true},
                                           {"amx-bf16", TW_ELEMENT_BF16, true},
                                           {"amx-fp16", TW_ELEMENT_F16, false}};
    return units;
  }
  bool isOnRequest(llvm::StringRef feature) const override {
    return feature.starts_with("amx-");
  }
};

} // namespace

const Target &x86Target() {
  static const X86Target target;
  return target;
}

} // namespace tilewright
