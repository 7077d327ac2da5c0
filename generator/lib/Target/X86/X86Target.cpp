// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x86-64 to plans: its instructions, and its cores by
// bench/static/x86_ports.py.

#include "tilewright/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright {
namespace {

// ---- Instructions. Latencies: Zen 4 and Golden Cove agree within a cycle.

using I = Idiom;
using K = IdiomKind;
using O = IdiomOperands;
constexpr Idiom kIdioms[] = {
    // clang-format off
    // kind, name, features, operands, group, operations, latency, least lanes
    // vpdpb{ss,su,uu}d: bytes of any signs, 4 per lane.
    I{K::DotBytesSigned, "dpbssd",  {"avxvnniint8", "avx10.2"}, O::Bytes,  4, 1, 4, 4}.withRates(TW_MULTIPLY_DPBUSD_YMM, TW_MULTIPLY_DPBUSD_ZMM),
    // vpdpbusd: unsigned times signed bytes, 4 per lane.
    I{K::DotBytes,       "dpbusd",  {"avx512vnni", "avxvnni"},  O::Bytes,  4, 1, 4, 4}.with(&I::signs, Signs::OneOfEach)
        .withRates(TW_MULTIPLY_DPBUSD_YMM, TW_MULTIPLY_DPBUSD_ZMM),
    // vpdpwssd: s16, 2 per lane.
    I{K::DotWords,       "dpwssd",  {"avx512vnni", "avxvnni"},  O::Words,  2, 1, 4, 4}.withRates(TW_MULTIPLY_DPWSSD_YMM, TW_MULTIPLY_DPWSSD_ZMM),
    // vpmaddwd and vpaddd: the same.
    I{K::MaddWords,      "maddwd",  {"avx2", ""},               O::Words,  2, 2, 2, 4}.with(&I::addsApart, true)
        .withRates(TW_MULTIPLY_MADDWD_YMM, TW_MULTIPLY_MADDWD_ZMM),
    // vdpbf16ps: bf16, 2 per lane. Of 256 bits no rate is listed.
    I{K::DotBF16,        "dpbf16",  {"avx512bf16", ""},         O::BF16,   2, 1, 6, 4}.with(&I::flushesDenormals, true)
        .withRates(TW_MULTIPLY_DPBF16_ZMM, TW_MULTIPLY_DPBF16_ZMM),
    // Two multiply-adds of f32 for a pair of bf16.
    I{K::FmaBF16,        "fmabf16", {"fma", ""},                O::BF16,   2, 1, 8}.with(&I::parts, 2).with(&I::wholeGroups, true)
        .with(&I::gainsByPrefetch, false),
    I{K::Fma,            "fma",     {"fma", ""},                O::Floats, 1, 1, 4},
    kGenericIdiom,
    // clang-format on
};

// ---- Cores

// Measured (bench/), and what plans are made by where no core is asked for.
constexpr CoreModel kZen4 = {"Zen 4", "", 64, 6, 0.4, 1.0 / 3, 0, 0.45};

// Intel's have two ports for 512 bits, which multiply, convert and shuffle, and
// broadcasts that are loads; one more for 256 bits. Zen multiplies on two pipes
// of four.
constexpr CoreModel kCores[] = {
    {"skylake-avx512", "X86_64", 128, 4, 1, 0, 0, 0.5},
    {"icelake-server", "X86_64", 128, 5, 1, 0, 0, 0.5},
    {"sapphirerapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"emeraldrapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"graniterapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"alderlake", "X86_64", 64, 6, 0.6, 0, 0, 0},
    {"gracemont", "X86_64", 32, 5, 1, 0, 0, 0},
    {"znver2", "X86_64", 64, 6, 0.4, 0, 0, 0},
    {"znver3", "X86_64", 64, 6, 0.4, 0, 0, 0},
    {"znver4", "X86_64", 64, 6, 0.4, 1.0 / 3, 0, 0.45},
    {"znver5", "X86_64", 128, 8, 0.4, 0, 0, 0.05},
};

class X86Target : public Target {
public:
  Machine machine(const IsaInfo &isa) const override {
    Machine m;
    bool avx2 = isa.has("avx2"), avx512 = isa.has("avx512f");
    m.partsNibbles = true;
    m.multipliesS32 = avx2;
    m.hasTernaryLogic = avx512;
    m.convertsHalf = isa.has("f16c");
    m.halfOps = m.convertsHalf ? 2 : 9;
    if (isa.has("avx512bf16")) // vcvtneps2bf16
      m.toBF16 = Machine::ToBF16::AsDotProducts;
    m.maskedElementBytes = isa.has("avx512vl") ? 1 : avx2 ? 4 : 0;
    m.prefetches = avx2;
    m.comparesIdioms = isa.has("fma");
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
