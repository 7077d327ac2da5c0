// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// riscv_64 to plans: RVV 1.0 on vectors of the least length of the level, 128
// bits where it says none, which any implementation of V has. A multiply-add
// takes an element of the broadcast operand from a scalar register, so that
// nothing is repeated.

#include "tilewright/Planning/Target.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright {
namespace {

using I = Idiom;
using K = IdiomKind;
constexpr Idiom kIdioms[] = {
    // clang-format off
    // kind, name, instructions
    I{K::FmaHalf,        "fmah",        {TW_INSTRUCTION_VFMACC_F16}}, // rounds each K step
    // Multiply-adds that extend both operands; of bytes after vsext.
    I{K::ExtendHalf,     "vfwmacc",     {TW_INSTRUCTION_VFWMACC}},
    I{K::ExtendBF16,     "vfwmaccbf16", {TW_INSTRUCTION_VFWMACCBF16}},
    I{K::ExtendWords,    "vwmacc",      {TW_INSTRUCTION_VWMACC}},
    I{K::Fma,            "fma",         {TW_INSTRUCTION_VFMACC, TW_INSTRUCTION_VFMACC_F64}},
    I{K::MultiplyAddS32, "mla",         {TW_INSTRUCTION_VMACC}}, // of what is narrower after an extension
    kGenericIdiom,
    // clang-format on
};

// Not measured; bench/static/riscv_static.py compares plans by LLVM's models.
// Pipes are as wide as registers. Two of them and four instructions, as
// SiFive's P400 and P600 series and the like have them.
constexpr CoreModel wideCore(int vectorBytes) {
  return {"an RVV core of two pipes", "", 2.0 * vectorBytes, 4, 0.4, 0, 0, 0};
}
// In order, as SiFive's X280 and X390 and SpacemiT's X60: what is no multiply
// keeps the next one waiting, so that groups of registers save time.
constexpr CoreModel narrowCore(int vectorBytes) {
  CoreModel core = {
      "an in-order RVV core", "", 1.0 * vectorBytes, 0.75, 0.4, 0, 0, 0};
  core.stageWait = 10;
  return core;
}
// Of registers of 128, 256 and 512 bits.
constexpr CoreModel kWideCores[] = {wideCore(16), wideCore(32), wideCore(64)},
                    kNarrowCores[] = {narrowCore(16), narrowCore(32),
                                      narrowCore(64)};

class RiscvTarget : public Target {
public:
  Machine machine(const IsaInfo &isa) const override {
    Machine m;
    m.multipliesS32 = true;
    m.registerGroup = 4;
    m.takesScalars = true;
    m.convertsHalf = isa.has("zvfhmin");
    m.halfOps = m.convertsHalf ? 1 : 9;
    m.typesBF16 = true;
    if (isa.has("zvfbfwma")) // vfncvtbf16.f.f.w
      m.toBF16 = Machine::ToBF16::Exact;
    m.maskedElementBytes = 1;
    m.registerClass = "^vr";
    return m;
  }
  llvm::ArrayRef<Idiom> idioms() const override { return kIdioms; }
  CoreModel core(llvm::StringLiteral) const override { return kWideCores[0]; }
  llvm::ArrayRef<const CoreModel *>
  usualCores(const IsaInfo &isa) const override {
    static constexpr const CoreModel *kUsual[][2] = {
        {&kWideCores[0], &kNarrowCores[0]},
        {&kWideCores[1], &kNarrowCores[1]},
        {&kWideCores[2], &kNarrowCores[2]}};
    return kUsual[llvm::Log2_32(isa.vectorBits / 128)];
  }
  /// rv64gc: without M even a multiplication is a call.
  llvm::StringRef baselineFeatures() const override { return "+m,+a,+f,+d,+c"; }
  llvm::StringRef abiName() const override { return "lp64d"; }
  llvm::StringRef vectorBytes() const override { return "csrr $0, vlenb"; }
  llvm::ArrayRef<llvm::StringLiteral> longerVectors() const override {
    static constexpr llvm::StringLiteral kLonger[] = {
        "zvl1024b",  "zvl2048b",  "zvl4096b", "zvl8192b",
        "zvl16384b", "zvl32768b", "zvl65536b"};
    return kLonger;
  }
  LoopMachine loopMachine(HasFeature has) const override {
    LoopMachine m;
    m.masks = m.fuses = has("v");
    m.convertsHalf = has("zvfhmin");
    return m;
  }
  CodeGeneration codeGeneration() const override {
    CodeGeneration g;
    static constexpr llvm::StringLiteral kIdle[] = {
        "Canonicalize Freeze Instructions in Loops",
        "Constant Hoisting",
        "Expand memcmp() to load/stores",
        "Instrument function entry/exit with calls to e.g. mcount() (post "
        "inlining)",
        "Interleaved Access Pass",
        "Loop Data Prefetch",
        "Merge contiguous icmps into a memcmp",
        "Partially inline calls to library functions",
        "RISC-V CodeGenPrepare",
        "RISC-V Dead register definitions",
        "RISC-V Fold Memory Offset",
        "RISC-V Indirect Branch Tracking",
        "RISC-V Landing Pad Setup",
        "RISC-V Late Branch Optimisation Pass",
        "RISC-V Load / Store Optimizer",
        "RISC-V Make Compressible",
        "RISC-V Promote Constants",
        "RISC-V Redundant Copy Elimination",
        "RISC-V Zacas ABI fix",
        "RISC-V Zcmp Push/Pop optimization pass",
        "RISC-V Zcmp move merging pass",
        "RISC-V gather/scatter lowering",
        "RISC-V pre-allocation Zilsd load/store optimization",
        "Replace intrinsics with calls to vector library",
        "Tail Duplication",
        "Type Promotion",
    };
    g.idlePasses = kIdle;
    return g;
  }
  /// "-march=rv64gc_v_zvfh"
  std::string
  compilerFlags(llvm::ArrayRef<std::string> features) const override {
    std::string flags = "-march=rv64gc";
    for (const std::string &feature : features)
      flags += "_" + feature;
    return flags;
  }
};

} // namespace

const Target &riscvTarget() {
  static const RiscvTarget target;
  return target;
}

} // namespace tilewright
