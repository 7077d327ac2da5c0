// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a CPU's answers mean, with CPUs that are made up: on every host alike,
// and without what the host happens to have.

#include "ukernels/cpu_x86_64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tilewright/key.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

using Names = std::set<std::string>;

enum Leaf { kLeaf1, kLeaf7, kLeaf7Sub1, kLeaf1A, kLeaf24, kLeaves };

// A second copy of the facts, from Intel's Software Developer's Manual, volume
// 2A, CPUID, and volume 1, 14 and 15: an oracle.
constexpr uint64_t kXmm = 0, kYmm = 1 << 1 | 1 << 2,
                   kZmm = kYmm | 1 << 5 | 1 << 6 | 1 << 7,
                   kTiles = 1 << 17 | 1 << 18;
constexpr int kOsxsave = 27;  // of leaf 1's ECX
constexpr int kAvx10 = 19;    // of leaf 7.1's EDX; leaf 24H has its version

struct Bit {
  const char* feature;
  Leaf leaf;
  tw_cpuid_register_t from;
  int bit;
  uint64_t state;  // bits of XCR0
};
constexpr Bit kBits[] = {
    {"sse3", kLeaf1, TW_CPUID_ECX, 0, kXmm},
    {"ssse3", kLeaf1, TW_CPUID_ECX, 9, kXmm},
    {"fma", kLeaf1, TW_CPUID_ECX, 12, kYmm},
    {"sse4.1", kLeaf1, TW_CPUID_ECX, 19, kXmm},
    {"sse4.2", kLeaf1, TW_CPUID_ECX, 20, kXmm},
    {"avx", kLeaf1, TW_CPUID_ECX, 28, kYmm},
    {"f16c", kLeaf1, TW_CPUID_ECX, 29, kYmm},
    {"avx2", kLeaf7, TW_CPUID_EBX, 5, kYmm},
    {"avx512f", kLeaf7, TW_CPUID_EBX, 16, kZmm},
    {"avx512dq", kLeaf7, TW_CPUID_EBX, 17, kZmm},
    {"avx512cd", kLeaf7, TW_CPUID_EBX, 28, kZmm},
    {"avx512bw", kLeaf7, TW_CPUID_EBX, 30, kZmm},
    {"avx512vl", kLeaf7, TW_CPUID_EBX, 31, kZmm},
    {"avx512vnni", kLeaf7, TW_CPUID_ECX, 11, kZmm},
    {"avx512fp16", kLeaf7, TW_CPUID_EDX, 23, kZmm},
    {"avxvnni", kLeaf7Sub1, TW_CPUID_EAX, 4, kYmm},
    {"avx512bf16", kLeaf7Sub1, TW_CPUID_EAX, 5, kZmm},
    {"avxvnniint8", kLeaf7Sub1, TW_CPUID_EDX, 4, kYmm},
    {"avx10.2", kLeaf7Sub1, TW_CPUID_EDX, kAvx10, kZmm},
    {"amx-bf16", kLeaf7, TW_CPUID_EDX, 22, kTiles},
    {"amx-tile", kLeaf7, TW_CPUID_EDX, 24, kTiles},
    {"amx-int8", kLeaf7, TW_CPUID_EDX, 25, kTiles},
};

// Those features of which `has` is true.
template <typename Predicate>
Names featuresThat(Predicate has) {
  Names names;
  for (const Bit& bit : kBits)
    if (has(bit)) names.insert(bit.feature);
  return names;
}

// A CPU that minds being asked for what it does not have: a real one answers
// for a leaf that it lacks with another's bits, and faults on xgetbv.
struct Cpu {
  uint32_t maxLeaf = 0x24, maxSubleaf = 1;
  const char* vendor = "none here at all";
  // Leaf 4 of Intel, leaf 8000001DH of AMD: its subleaves.
  uint32_t cacheLeaf = 0, maxExtendedLeaf = 0x80000000;
  std::vector<std::array<uint32_t, TW_CPUID_REGISTERS>> caches;
  uint32_t leaves[kLeaves][TW_CPUID_REGISTERS] = {};
  uint64_t xcr0 = kZmm | kTiles | 1;
  // Of the components of XCR0 that are to be asked for; what the system says to
  // who asks.
  mutable uint64_t permitted = 1 << 18;
  long refusal = 0;
  mutable int requests = 0;
  mutable bool faulted = false;

  static Cpu withAllBits() {
    Cpu cpu;
    std::memset(cpu.leaves, 0xFF, sizeof cpu.leaves);
    cpu.xcr0 = ~uint64_t{0};
    return cpu;
  }
  // The least that lets features of every kind be seen.
  static Cpu withoutFeatures() {
    Cpu cpu;
    cpu.flip(kLeaf1, TW_CPUID_ECX, kOsxsave);
    cpu.leaves[kLeaf24][TW_CPUID_EBX] = 2;  // of AVX10, where there is that
    return cpu;
  }
  void flip(Leaf leaf, tw_cpuid_register_t from, int bit) {
    leaves[leaf][from] ^= uint32_t{1} << bit;
  }

  void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t* registers) const {
    std::memset(registers, 0xFF, sizeof leaves[0]);
    if (leaf == 0 && subleaf == 0) {
      registers[TW_CPUID_EAX] = maxLeaf;
      std::memcpy(&registers[TW_CPUID_EBX], vendor, 4);
      std::memcpy(&registers[TW_CPUID_EDX], vendor + 4, 4);
      std::memcpy(&registers[TW_CPUID_ECX], vendor + 8, 4);
    } else if (leaf == 0x1A && subleaf == 0 && maxLeaf >= 0x1A) {
      std::memcpy(registers, leaves[kLeaf1A], sizeof leaves[0]);
    } else if (leaf == 0x24 && subleaf == 0 && maxLeaf >= 0x24 &&
               leaves[kLeaf7Sub1][TW_CPUID_EDX] >> kAvx10 & 1) {
      std::memcpy(registers, leaves[kLeaf24], sizeof leaves[0]);
    } else if (leaf == 1 && subleaf == 0 && maxLeaf >= 1) {
      std::memcpy(registers, leaves[kLeaf1], sizeof leaves[0]);
    } else if (leaf == 7 && subleaf == 0 && maxLeaf >= 7) {
      std::memcpy(registers, leaves[kLeaf7], sizeof leaves[0]);
      registers[TW_CPUID_EAX] = maxSubleaf;
    } else if (leaf == 7 && subleaf == 1 && maxLeaf >= 7 && maxSubleaf >= 1) {
      std::memcpy(registers, leaves[kLeaf7Sub1], sizeof leaves[0]);
    } else if (leaf == 0x80000000) {
      registers[TW_CPUID_EAX] = maxExtendedLeaf;
    } else if (leaf == 0x80000001 && maxExtendedLeaf >= leaf) {
      registers[TW_CPUID_ECX] = uint32_t{cacheLeaf == 0x8000001D} << 22;
    } else if (leaf == cacheLeaf && subleaf < caches.size()) {
      std::copy(caches[subleaf].begin(), caches[subleaf].end(), registers);
    } else if (leaf == cacheLeaf && subleaf == caches.size()) {
      registers[TW_CPUID_EAX] = 0;
    } else {
      faulted = true;
    }
  }
  uint64_t readXcr0() const {
    if (!(leaves[kLeaf1][TW_CPUID_ECX] >> kOsxsave & 1)) faulted = true;
    return xcr0;
  }
  uint64_t readPermitted() const {
    if ((xcr0 & kTiles) != kTiles) faulted = true;
    return permitted;
  }
  long request(int number) const {
    ++requests;
    if ((xcr0 & kTiles) != kTiles) faulted = true;
    if (refusal == 0) permitted |= uint64_t{1} << number;
    return refusal;
  }
  tw_x86_64_cpu_t source() const {
    return {[](const void* self, uint32_t leaf, uint32_t subleaf,
               uint32_t* registers) {
              static_cast<const Cpu*>(self)->cpuid(leaf, subleaf, registers);
            },
            [](const void* self) {
              return static_cast<const Cpu*>(self)->readXcr0();
            },
            [](const void* self) {
              return static_cast<const Cpu*>(self)->readPermitted();
            },
            [](const void* self, int number) {
              return static_cast<const Cpu*>(self)->request(number);
            },
            this};
  }

  struct Detected {
    uint64_t words[TW_CPU_DATA_WORDS] = {};
  };
  Detected detect() const {
    Detected detected;
    const tw_x86_64_cpu_t cpu = source();
    tw_x86_64_set_features(&cpu, detected.words);
    EXPECT_FALSE(faulted) << "asked for what this CPU does not have";
    return detected;
  }
  Names features() const {
    const Detected detected = detect();
    Names names;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name)                   \
  if (std::string(#ARCH) == "X86_64" && (detected.words[word] >> bit & 1)) \
    names.insert(#llvm_name);
#include "tilewright/cpu_features.def"
    return names;
  }
};

// Whatever comes later among them stands for nothing here.
TEST(CpuX86Test, EachBitAloneIsItsFeatureOrNone) {
  EXPECT_EQ(Cpu::withoutFeatures().features(), Names{});
  for (int leaf = 0; leaf < kLeaves; ++leaf)
    for (int from = 0; from < TW_CPUID_REGISTERS; ++from)
      for (int bit = 0; bit < 32; ++bit) {
        if (leaf == kLeaf1 && from == TW_CPUID_ECX && bit == kOsxsave) continue;
        Cpu cpu = Cpu::withoutFeatures();
        cpu.flip(Leaf(leaf), tw_cpuid_register_t(from), bit);
        EXPECT_EQ(cpu.features(), featuresThat([&](const Bit& of) {
                    return of.leaf == leaf && int(of.from) == from &&
                           of.bit == bit;
                  }))
            << "leaf " << leaf << ", register " << from << ", bit " << bit;
      }
}

TEST(CpuX86Test, EachBitIsNeeded) {
  EXPECT_EQ(Cpu::withAllBits().features(),
            featuresThat([](const Bit&) { return true; }));
  for (const Bit& bit : kBits) {
    Cpu cpu = Cpu::withAllBits();
    cpu.flip(bit.leaf, bit.from, bit.bit);
    EXPECT_EQ(cpu.features(),
              featuresThat([&](const Bit& of) { return &of != &bit; }))
        << "without " << bit.feature;
  }
}

// Words and bits of cpu_data that are not x86-64's features stay zero.
TEST(CpuX86Test, SetsNothingElse) {
  const Cpu::Detected detected = Cpu::withAllBits().detect();
  uint64_t known[TW_CPU_DATA_WORDS] = {};
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  if (std::string(#ARCH) == "X86_64") known[word] |= uint64_t{1} << bit;
#include "tilewright/cpu_features.def"
  for (int w = 0; w < TW_CPU_DATA_WORDS; ++w)
    EXPECT_EQ(detected.words[w], known[w]) << "word " << w;
}

TEST(CpuX86Test, NoRegistersThatTheSystemDoesNotSave) {
  for (int bit = 0; bit < 64; ++bit) {
    Cpu cpu = Cpu::withAllBits();
    cpu.xcr0 &= ~(uint64_t{1} << bit);
    EXPECT_EQ(cpu.features(), featuresThat([&](const Bit& of) {
                return (cpu.xcr0 & of.state) == of.state;
              }))
        << "without bit " << bit << " of XCR0";
  }
  // What systems save: nothing new, AVX, AVX-512 without and with AMX.
  for (uint64_t xcr0 : {0x1u, 0x3u, 0x7u, 0xE7u, 0x600E7u}) {
    Cpu cpu = Cpu::withAllBits();
    cpu.xcr0 = xcr0;
    EXPECT_EQ(cpu.features(), featuresThat([&](const Bit& of) {
                return (xcr0 & of.state) == of.state;
              }))
        << "XCR0 " << xcr0;
  }
}

// AMX is there when the process may use it, and all else without that.
TEST(CpuX86Test, NoAmxThatIsNotPermitted) {
  Cpu cpu = Cpu::withAllBits();
  for (uint64_t permitted :
       {uint64_t{0}, uint64_t{1} << 17, ~(uint64_t{1} << 18)}) {
    cpu.permitted = permitted;
    EXPECT_EQ(cpu.features(),
              featuresThat([](const Bit& of) { return of.state != kTiles; }));
  }
  EXPECT_EQ(cpu.requests, 0) << "detection asks for nothing";
}

struct Permission {
  tw_status_t status;
  std::string whyNot;
  long error;
};
Permission permit(const Cpu& cpu) {
  const char* whyNot = nullptr;
  Permission answer;
  const tw_x86_64_cpu_t source = cpu.source();
  answer.status = tw_x86_64_permit_amx(&source, &whyNot, &answer.error);
  answer.whyNot = whyNot ? whyNot : "";
  EXPECT_FALSE(cpu.faulted) << "asked for what this CPU does not have";
  return answer;
}

TEST(CpuX86Test, AsksForAmxOnceAndThenHasIt) {
  Cpu cpu = Cpu::withAllBits();
  cpu.permitted = 0;
  EXPECT_EQ(cpu.features().count("amx-tile"), 0u);
  EXPECT_EQ(permit(cpu).status, TW_STATUS_OK);
  EXPECT_EQ(cpu.permitted, uint64_t{1} << 18);
  EXPECT_EQ(cpu.features().count("amx-tile"), 1u);
  EXPECT_EQ(permit(cpu).status, TW_STATUS_OK);
  EXPECT_EQ(cpu.requests, 1);
}

TEST(CpuX86Test, SaysWhyAmxIsNotPermitted) {
  Cpu cpu = Cpu::withAllBits();
  cpu.permitted = 0;
  cpu.refusal = 28;
  Permission answer = permit(cpu);
  EXPECT_EQ(answer.status, TW_STATUS_UNSUPPORTED);
  EXPECT_EQ(answer.whyNot,
            "the operating system does not permit it to this process");
  EXPECT_EQ(answer.error, 28);
  EXPECT_EQ(cpu.features().count("amx-tile"), 0u);

  cpu.xcr0 &= ~(uint64_t{1} << 18);
  answer = permit(cpu);
  EXPECT_EQ(answer.status, TW_STATUS_UNSUPPORTED);
  EXPECT_EQ(answer.whyNot, "the operating system does not save its registers");
  EXPECT_EQ(answer.error, 0);

  cpu.flip(kLeaf7, TW_CPUID_EDX, 24);
  answer = permit(cpu);
  EXPECT_EQ(answer.status, TW_STATUS_UNSUPPORTED);
  EXPECT_EQ(answer.whyNot, "the CPU has none");
  EXPECT_EQ(cpu.requests, 1);
}

TEST(CpuX86Test, WithoutOsxsaveThereIsNoXcr0) {
  Cpu cpu = Cpu::withAllBits();
  cpu.flip(kLeaf1, TW_CPUID_ECX, kOsxsave);
  EXPECT_EQ(cpu.features(), (Names{"sse3", "ssse3", "sse4.1", "sse4.2"}));
}

TEST(CpuX86Test, LaterVersionsOfAvx10HaveWhatTheSecondHas) {
  for (uint32_t version : {0u, 1u, 2u, 3u, 31u, 32u, 255u}) {
    Cpu cpu = Cpu::withoutFeatures();
    cpu.flip(kLeaf7Sub1, TW_CPUID_EDX, kAvx10);
    cpu.leaves[kLeaf24][TW_CPUID_EBX] = 0xFFFFFF00u | version;
    EXPECT_EQ(cpu.features(), version >= 2 ? Names{"avx10.2"} : Names{})
        << "version " << version;
  }
}

TEST(CpuX86Test, LeavesThatTheCpuLacksAreNotAsked) {
  for (uint32_t maxLeaf : {0u, 1u, 2u, 6u, 7u, 0xDu, 0x24u, ~0u}) {
    Cpu cpu = Cpu::withAllBits();
    cpu.maxLeaf = maxLeaf;
    EXPECT_EQ(cpu.features(), featuresThat([&](const Bit& of) {
                return maxLeaf >= (of.leaf == kLeaf1  ? 1u
                                   : of.bit == kAvx10 ? 0x24u
                                                      : 7u);
              }))
        << "at most leaf " << maxLeaf;
  }
  Cpu cpu = Cpu::withAllBits();
  cpu.maxSubleaf = 0;
  EXPECT_EQ(cpu.features(),
            featuresThat([](const Bit& of) { return of.leaf != kLeaf7Sub1; }));
  cpu.maxSubleaf = 2;
  EXPECT_EQ(cpu.features(), featuresThat([](const Bit&) { return true; }));
}

// What Linux prints of real ones in /proc/cpuinfo, as leaf 1 has it.
TEST(CpuX86Test, KnowsItsCore) {
  struct Case {
    const char* vendor;
    uint32_t version;  // EAX of leaf 1
    bool isHybrid;
    uint32_t kind;  // EAX of leaf 0x1A
    const char* core;
  };
  const Case cases[] = {
      {"GenuineIntel", 0x00050654, false, 0, "skylake-avx512"},
      {"GenuineIntel", 0x00050657, false, 0, "skylake-avx512"},
      {"GenuineIntel", 0x000606A6, false, 0, "icelake-server"},
      {"GenuineIntel", 0x000806F8, false, 0, "sapphirerapids"},
      {"GenuineIntel", 0x000C06F2, false, 0, "emeraldrapids"},
      {"GenuineIntel", 0x000A06D1, false, 0, "graniterapids"},
      {"GenuineIntel", 0x00090672, true, 0x40000001, "alderlake"},
      {"GenuineIntel", 0x00090672, true, 0x20000001, "gracemont"},
      {"GenuineIntel", 0x000B06E0, false, 0, "gracemont"},
      {"AuthenticAMD", 0x00830F10, false, 0, "znver2"},
      {"AuthenticAMD", 0x00A00F11, false, 0, "znver3"},
      {"AuthenticAMD", 0x00A10F11, false, 0, "znver4"},
      {"AuthenticAMD", 0x00B00F21, false, 0, "znver5"},
      // Haswell; Zen 1; a hypervisor that hides what kind; others' numbers.
      {"GenuineIntel", 0x000306F2, false, 0, nullptr},
      {"AuthenticAMD", 0x00800F12, false, 0, nullptr},
      {"GenuineIntel", 0x00090672, false, 0, nullptr},
      {"GenuineIntel", 0x00090672, true, 0, nullptr},
      {"HygonGenuine", 0x00A10F11, false, 0, nullptr},
      {"GenuineIntel", 0x00A10F11, false, 0, nullptr},
      {"AuthenticAMD", 0x000806F8, false, 0, nullptr},
  };
  for (const Case& each : cases) {
    Cpu cpu;
    cpu.maxLeaf = each.isHybrid ? 0x1A : 7;
    cpu.vendor = each.vendor;
    cpu.cacheLeaf = 4;
    cpu.leaves[kLeaf1][TW_CPUID_EAX] = each.version;
    cpu.leaves[kLeaf7][TW_CPUID_EDX] = uint32_t{each.isHybrid} << 15;
    cpu.leaves[kLeaf1A][TW_CPUID_EAX] = each.kind;
    const char* name = tw_core_name(cpu.detect().words);
    EXPECT_STREQ(name, each.core) << each.vendor << std::hex << each.version;
  }
  // What leaf 7 says of cores is nothing without leaf 0x1A.
  Cpu cpu;
  cpu.vendor = "GenuineIntel";
  cpu.cacheLeaf = 4;
  cpu.leaves[kLeaf7][TW_CPUID_EDX] = 1u << 15;
  EXPECT_EQ(tw_core_name(cpu.detect().words), nullptr);
}

// A hypervisor's number, or a later CPU's, does not hide what else cpuid says.
TEST(CpuX86Test, CallsOtherModelsByTheCoreThatTheyAreLike) {
  constexpr uint32_t kAmx = 1u << 24, kAvx10Bit = 1u << kAvx10;
  struct Case {
    const char* vendor;
    uint32_t version, leaf7, leaf7Sub1;
    const char* core;
  };
  const Case cases[] = {
      {"GenuineIntel", 0x000A0671, kAmx, kAvx10Bit, "graniterapids"},
      {"GenuineIntel", 0x000A0671, kAmx, 0, "sapphirerapids"},
      // One that is listed is what it says; Rocket Lake has the same number.
      {"GenuineIntel", 0x000C06F2, kAmx, kAvx10Bit, "emeraldrapids"},
      {"GenuineIntel", 0x000A0671, 0, 0, nullptr},
      {"GenuineIntel", 0x000A0671, 0, kAvx10Bit, nullptr},
      {"GenuineIntel", 0x00A10F11, kAmx, kAvx10Bit, nullptr},
      {"AuthenticAMD", 0x000A0671, kAmx, kAvx10Bit, nullptr},
      {"HygonGenuine", 0x000A0671, kAmx, kAvx10Bit, nullptr},
  };
  for (const Case& each : cases) {
    Cpu cpu;
    cpu.maxLeaf = 0x24;
    cpu.vendor = each.vendor;
    cpu.cacheLeaf = 4;
    cpu.leaves[kLeaf1][TW_CPUID_EAX] = each.version;
    cpu.leaves[kLeaf7][TW_CPUID_EDX] = each.leaf7;
    cpu.leaves[kLeaf7Sub1][TW_CPUID_EDX] = each.leaf7Sub1;
    EXPECT_STREQ(tw_core_name(cpu.detect().words), each.core)
        << each.vendor << std::hex << each.version;
  }
}

// EAX: type and level; EBX: ways, partitions and bytes of a line, less one
// each; ECX: sets less one.
std::array<uint32_t, TW_CPUID_REGISTERS> cache(uint32_t type, uint32_t level,
                                               uint32_t ways, uint32_t sets) {
  return {type | level << 5, (ways - 1) << 22 | 63, sets - 1, 0};
}

TEST(CpuX86Test, KnowsItsCaches) {
  const uint32_t kData = 1, kCode = 2, kUnified = 3;
  Cpu cpu;
  cpu.vendor = "GenuineIntel";
  cpu.cacheLeaf = 4;
  cpu.caches = {cache(kData, 1, 12, 64), cache(kCode, 1, 8, 64),
                cache(kUnified, 2, 16, 2048), cache(kUnified, 3, 20, 196608)};
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES],
            uint64_t{TW_CACHES_WORD(48, 2048)});
  cpu.vendor = "AuthenticAMD";
  cpu.cacheLeaf = 0x8000001D;
  cpu.maxExtendedLeaf = 0x80000021;
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES],
            uint64_t{TW_CACHES_WORD(48, 2048)});
  // What is not known, not there, or cannot be is 0.
  cpu.maxExtendedLeaf = 0x80000008;
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES], 0u);
  cpu.maxExtendedLeaf = 0x80000021;
  cpu.cacheLeaf = 0;
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES], 0u);
  cpu.cacheLeaf = 0x8000001D;
  cpu.caches = {cache(kData, 1, 8, 64)};
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES], 0u);
  cpu.caches = {cache(kData, 1, 8, 64), cache(kUnified, 2, 8, 64)};
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES], 0u);
  cpu.vendor = "none here at all";
  EXPECT_EQ(cpu.detect().words[TW_CPU_WORD_CACHES], 0u);
}

// A hypervisor may hide a feature and leave on what builds on it.
TEST(CpuX86Test, HiddenFeaturesHideTheirIsas) {
  const Cpu::Detected everything = Cpu::withAllBits().detect();
  for (const IsaInfo& isa : isas()) {
    if (isa.arch != "X86_64") continue;
    EXPECT_TRUE(tw_isa_has_features(isa.isa, everything.words)) << isa.name;
    for (const Bit& bit : kBits) {
      Cpu cpu = Cpu::withAllBits();
      cpu.flip(bit.leaf, bit.from, bit.bit);
      bool needed = false;
      for (const CpuFeatureInfo* feature : isa.features)
        needed |= feature->llvmName == bit.feature;
      EXPECT_EQ(tw_isa_has_features(isa.isa, cpu.detect().words), !needed)
          << isa.name << " without " << bit.feature;
    }
  }
}

}  // namespace
}  // namespace tilewright::testing
