// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Devices/TargetCpu.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

TargetCpu parse(const std::string& text) {
  llvm::Expected<TargetCpu> target = parseTargetCpu(text);
  EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
  return target ? *target : TargetCpu();
}

std::string errorOf(const std::string& text) {
  llvm::Expected<TargetCpu> target = parseTargetCpu(text);
  EXPECT_FALSE(bool(target)) << text << " was accepted";
  return target ? "" : llvm::toString(target.takeError());
}

// "sve_i8mm fp16fml base": all but generic, without the architecture.
std::string isasOf(const TargetCpu& target) {
  EXPECT_EQ(target.isas.back(), TW_ISA_GENERIC);
  std::string text;
  for (tw_isa_t isa : target.isas)
    if (isa != TW_ISA_GENERIC)
      text += (text.empty() ? "" : " ") +
              std::string(info(isa).name.substr(info(isa).arch.size() + 1));
  return text;
}

TEST(TargetCpuTest, ARowHasWhatItImplies) {
  for (const IsaInfo& isa : isas()) {
    TargetCpu target = parse(std::string(isa.name));
    EXPECT_EQ(target.name, isa.name);
    EXPECT_EQ(target.arch, architectureOf(isa));
    EXPECT_EQ(target.cpu, isa.isGpu() ? isa.name.substr(7) : "");
    EXPECT_EQ(target.codeFeatures, isa.llvmFeatures());
    EXPECT_EQ(target.features.size(), isa.features.size());
    for (const IsaInfo& other : isas()) {
      // A GPU runs its own code only, not even that for any CPU.
      bool sameArch =
          other.arch == isa.arch || (other.arch == "GENERIC" && !isa.isGpu());
      EXPECT_EQ(target.has(other.isa), sameArch && isa.implies(other))
          << isa.name << ", " << other.name;
    }
  }
}

TEST(TargetCpuTest, CpusHaveTheInstructionSetsOfTheirFeatures) {
  const std::pair<const char*, const char*> cpus[] = {
      {"arm_64:cortex-a53", "base"},
      {"arm_64:neoverse-n1", "dotprod fullfp16 base"},
      {"arm_64:apple-m1", "dotprod fp16fml fullfp16 base"},
      {"arm_64:neoverse-v1",
       "sve_i8mm sve_bf16 sve i8mm bf16 dotprod fp16fml fullfp16 base"},
      {"arm_64:a64fx", "sve fullfp16 base"},
      {"arm_64:neoverse-n2",
       "sve2 sve_i8mm sve_bf16 sve i8mm bf16 dotprod fp16fml fullfp16 base"},
      {"arm_64:apple-m4", "sme2 sme i8mm bf16 dotprod fp16fml fullfp16 base"},
      {"x86_64:znver4", "avx512_bf16 avx512_vnni avx512_base avx2_fma"},
      {"x86_64:alderlake", "avx_vnni avx2_fma"},
      {"x86_64:sapphirerapids",
       "avx512_fp16 avx512_bf16 avx512_vnni avx512_base avx_vnni avx2_fma"},
      {"x86_64:diamondrapids",
       "avx10_2 avx512_fp16 avx512_bf16 avx512_vnni "
       "avx512_base avx_vnni_int8 avx_vnni avx2_fma"},
      {"x86_64:core2", ""},
  };
  for (auto [name, expected] : cpus) {
    TargetCpu target = parse(name);
    EXPECT_EQ(isasOf(target), expected) << name;
    EXPECT_EQ(target.name, name);
    EXPECT_EQ(target.codeFeatures, "");
    EXPECT_EQ(target.cpu, std::string(name).substr(7));
  }
}

TEST(TargetCpuTest, PartsAddUpInAnyOrder) {
  // Side by side on Arm: neither implies the other.
  EXPECT_EQ(isasOf(parse("arm_64:i8mm+fp16fml")),
            "i8mm dotprod fp16fml fullfp16 base");
  EXPECT_EQ(isasOf(parse("arm_64:fp16fml,i8mm")),
            "i8mm dotprod fp16fml fullfp16 base");
  EXPECT_EQ(isasOf(parse("arm_64:sve_i8mm")),
            "sve_i8mm sve i8mm dotprod fullfp16 base");
  EXPECT_EQ(isasOf(parse("arm_64:neoverse-v1+nosve")),
            "i8mm bf16 dotprod fp16fml fullfp16 base");
  EXPECT_EQ(parse("arm_64:neoverse-v1+nosve").codeFeatures, "-sve");
  EXPECT_EQ(isasOf(parse("arm_64:cortex-a76+i8mm")),
            "i8mm dotprod fullfp16 base");
  // What is not of the table counts with what it implies.
  EXPECT_EQ(isasOf(parse("arm_64:v8.4a")), "dotprod base");
  EXPECT_EQ(isasOf(parse("arm_64")), "base");
  EXPECT_EQ(isasOf(parse("x86_64:avx512_vnni")),
            "avx512_vnni avx512_base avx2_fma");
  EXPECT_EQ(isasOf(parse("x86_64")), "");
}

// A program has to ask for it, which a core's name does not say.
TEST(TargetCpuTest, AmxCountsWhereItIsNamed) {
  EXPECT_EQ(isasOf(parse("x86_64:graniterapids")),
            isasOf(parse("x86_64:sapphirerapids")));
  EXPECT_EQ(isasOf(parse("x86_64:sapphirerapids+amx_int8")),
            "amx_int8 " + isasOf(parse("x86_64:sapphirerapids")));
  EXPECT_EQ(isasOf(parse("x86_64:sapphirerapids+amx-int8,amx-bf16")),
            "amx_bf16 amx_int8 " + isasOf(parse("x86_64:sapphirerapids")));
  EXPECT_EQ(isasOf(parse("x86_64:sapphirerapids+amx-tile")),
            isasOf(parse("x86_64:sapphirerapids")));
}

TEST(TargetCpuTest, SaysHowLongVectorsAre) {
  TargetCpu target = parse("arm_64:sme+sve2+vl512,svl256");
  EXPECT_EQ(target.reliedBits[TW_SCALING_SVE], 512);
  EXPECT_EQ(target.reliedBits[TW_SCALING_SME], 256);
  EXPECT_EQ(target.codeFeatures, parse("arm_64:sme+sve2").codeFeatures);
  EXPECT_EQ(target.cpuData[TW_CPU_WORD_VECTOR_LENGTHS], 512 | 256 << 16);
  // Likely ones, that nothing relies on.
  target = parse("arm_64:neoverse-v1");
  EXPECT_EQ(target.reliedBits[TW_SCALING_SVE], 0);
  EXPECT_EQ(target.cpuData[TW_CPU_WORD_VECTOR_LENGTHS], 256u);
  EXPECT_EQ(parse("arm_64:neoverse-v2").cpuData[TW_CPU_WORD_VECTOR_LENGTHS],
            128u);
  EXPECT_EQ(parse("arm_64:apple-m4").cpuData[TW_CPU_WORD_VECTOR_LENGTHS],
            512u << 16);
  for (const char* length : {"vl", "vl0", "vl192", "vl4096", "vlx", "svl64"})
    EXPECT_EQ(errorOf("arm_64:sve+" + std::string(length)),
              "target 'arm_64:sve+" + std::string(length) + "': '" + length +
                  "' is no length of vectors; expected a power of 2 from 128 "
                  "to 2048 bits");
  EXPECT_EQ(errorOf("arm_64:i8mm+vl256"),
            "target 'arm_64:i8mm+vl256': says how long vectors are of a CPU "
            "without SVE");
  EXPECT_EQ(errorOf("arm_64:sve+svl256"),
            "target 'arm_64:sve+svl256': says how long vectors are of a CPU "
            "without SME");
}

// How long vectors are at least is a feature of LLVM's, and a level.
TEST(TargetCpuTest, RiscvLevels) {
  EXPECT_EQ(isasOf(parse("riscv_64:v")), "v");
  EXPECT_EQ(isasOf(parse("riscv_64:v+zvfh")), "zvfh zvfhmin v");
  EXPECT_EQ(isasOf(parse("riscv_64:v+zvl256b")), "zvl256b v");
  EXPECT_EQ(isasOf(parse("riscv_64:zvl512b")), "zvl512b zvl256b v");
  EXPECT_EQ(isasOf(parse("riscv_64:zvfh+zvl256b")),
            "zvfh_zvl256b zvl256b zvfh zvfhmin v");
  EXPECT_EQ(isasOf(parse("riscv_64:sifive-p670")), "v");
  EXPECT_EQ(isasOf(parse("riscv_64:spacemit-x60")),
            isasOf(parse("riscv_64:zvfh_zvl256b")));
  EXPECT_EQ(isasOf(parse("riscv_64:sifive-x280")),
            isasOf(parse("riscv_64:zvfh_zvl512b")));
  EXPECT_EQ(isasOf(parse("riscv_64:tt-ascalon-d8")),
            isasOf(parse("riscv_64:zvfbfwma_zvl256b")));
  EXPECT_EQ(isasOf(parse("riscv_64:sifive-x280+nozvl256b")),
            isasOf(parse("riscv_64:zvfh")));
}

// Nothing checks for more than the longest of a level: no code relies on it.
TEST(TargetCpuTest, LongerVectorsThanOfAnyLevel) {
  TargetCpu x390 = parse("riscv_64:sifive-x390");
  EXPECT_EQ(x390.best().vectorBits, 512);
  EXPECT_EQ(x390.codeFeatures, "-zvl1024b");
  EXPECT_EQ(errorOf("riscv_64:v+zvl1024b"),
            "target 'riscv_64:v+zvl1024b': no code relies on vectors as long "
            "as 'zvl1024b' says; expected at most 512 bits, code for which "
            "runs on longer ones, too");
  EXPECT_EQ(errorOf("riscv_64:v+vl256"),
            "target 'riscv_64:v+vl256': 'vl256' is neither a CPU, a feature "
            "nor an instruction set of riscv_64; did you mean 'zvl256b'?");
  EXPECT_THAT(errorOf("riscv_64:v+zvl384b"), HasSubstr("'zvl384b' is neither"));
}

TEST(TargetCpuTest, FeatureBitsGiveANameThatSaysTheSame) {
  for (const IsaInfo& isa : isas())
    for (const IsaInfo& other : isas()) {
      if (isa.arch != other.arch || isa.isGpu()) continue;
      uint64_t bits[TW_CPU_DATA_WORDS] = {};
      for (const IsaInfo* one : {&isa, &other})
        for (const CpuFeatureInfo* feature : one->features)
          bits[feature->word] |= uint64_t{1} << feature->bit;
      TargetCpu target = targetCpuOf(architectureOf(isa), bits);
      EXPECT_TRUE(target.has(isa.isa) && target.has(other.isa));
      TargetCpu again = parse(target.name);
      EXPECT_EQ(again.isas, target.isas) << target.name;
      EXPECT_EQ(again.arch, target.arch);
      if (isa.implies(other)) EXPECT_EQ(target.name, isa.name);
    }
}

TEST(TargetCpuTest, ErrorsNameThePartAndWhatIsNear) {
  EXPECT_THAT(errorOf("z80"),
              HasSubstr("unknown target 'z80'; expected host, x86_64_amx_"));
  EXPECT_THAT(errorOf("z80"), HasSubstr("arm_64:<cpu or features>"));
  EXPECT_THAT(errorOf("z80:sve"), HasSubstr("unknown target 'z80:sve'"));
  EXPECT_EQ(errorOf("arm_64:neoverse-n7"),
            "target 'arm_64:neoverse-n7': 'neoverse-n7' is neither a CPU, a "
            "feature nor an instruction set of arm_64; did you mean "
            "'neoverse-n1'?");
  EXPECT_THAT(errorOf("arm_64:avx2"), HasSubstr("'avx2' is neither"));
  EXPECT_THAT(errorOf("x86_64:sve"), HasSubstr("'sve' is neither"));
  EXPECT_THAT(errorOf("arm_64:"), HasSubstr("expected a CPU or features"));
  EXPECT_THAT(errorOf("arm_64:sve++i8mm"), HasSubstr("'' is neither"));
  EXPECT_THAT(errorOf("arm_64:apple-m1+apple-m2"),
              HasSubstr("names two CPUs, 'apple-m1' and 'apple-m2'"));
}

TEST(TargetCpuTest, TriplesFollowTheArchitecture) {
  for (auto arch : {llvm::Triple::x86_64, llvm::Triple::aarch64}) {
    EXPECT_EQ(defaultTriple(arch).getArch(), arch);
    llvm::Expected<llvm::Triple> other =
        targetTriple(arch, "powerpc64le-linux-gnu");
    ASSERT_FALSE(bool(other));
    EXPECT_THAT(llvm::toString(other.takeError()),
                HasSubstr("is not of the instruction set's architecture"));
  }
  // From each host to the other.
  const llvm::Triple x86("x86_64-pc-linux-gnu"),
      arm("aarch64-unknown-linux-gnu"), mac("arm64-apple-darwin23.0.0");
  EXPECT_EQ(defaultTriple(llvm::Triple::aarch64, x86).str(), arm.str());
  EXPECT_EQ(defaultTriple(llvm::Triple::aarch64, arm).str(), arm.str());
  EXPECT_EQ(defaultTriple(llvm::Triple::UnknownArch, arm).str(), arm.str());
  EXPECT_EQ(defaultTriple(llvm::Triple::x86_64, arm).str(),
            "x86_64-unknown-linux-gnu");
  EXPECT_EQ(defaultTriple(llvm::Triple::x86_64, mac).str(),
            "x86_64-apple-darwin23.0.0");
  EXPECT_EQ(llvm::cantFail(
                targetTriple(llvm::Triple::aarch64, "aarch64-apple-macosx14"))
                .str(),
            "aarch64-apple-macosx14");
}

TEST(CoreName, IsThatOfTheTableElseLlvms) {
  auto nameOf = [](const char* target) {
    return coreName(llvm::cantFail(parseTargetCpu(target)));
  };
  EXPECT_EQ(nameOf("x86_64:znver4"), "znver4");
  // Equally quick cores have one name.
  EXPECT_EQ(nameOf("x86_64:cascadelake"), "skylake-avx512");
  EXPECT_EQ(nameOf("x86_64:haswell"), "haswell");
  EXPECT_EQ(nameOf("x86_64:avx2"), "");
  EXPECT_EQ(nameOf("x86_64_avx2_fma"), "");
  EXPECT_NE(hostCoreName(), "");
}

}  // namespace
}  // namespace tilewright
