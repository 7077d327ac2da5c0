// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

// Every feature of the table, with what Linux calls it in /proc/cpuinfo.
struct Feature {
  int word, bit;
  std::string llvmName, linuxName;
};

std::string linuxNameOf(std::string llvmName) {
  if (llvmName == "sse3") return "pni";
  if (llvmName == "avxvnni") return "avx_vnni";
  if (llvmName == "avxvnniint8") return "avx_vnni_int8";
  if (llvmName == "avx10.2") return "avx10_2";
  if (llvmName == "avx512vnni") return "avx512_vnni";
  if (llvmName == "avx512bf16") return "avx512_bf16";
  if (llvmName == "avx512fp16") return "avx512_fp16";
  std::replace(llvmName.begin(), llvmName.end(), '-', '_');
  std::replace(llvmName.begin(), llvmName.end(), '.', '_');
  return llvmName;
}

std::vector<Feature> x86Features() {
  std::vector<Feature> result;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  if (std::string(#ARCH) == "X86_64")                    \
    result.push_back({word, bit, #llvm_name, linuxNameOf(#llvm_name)});
#include "tilewright/cpu_features.def"
  return result;
}

TEST(CpuTest, AgreesWithTheKernel) {
#if !defined(__x86_64__) || !defined(__linux__)
  GTEST_SKIP() << "needs /proc/cpuinfo of x86-64 Linux";
#endif
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> known;
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.compare(0, 5, "flags") != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    known.insert(std::istream_iterator<std::string>(words), {});
    break;
  }
  ASSERT_FALSE(known.empty()) << "no flags in /proc/cpuinfo";
  const bool isPermitted = tw_cpu_permit_amx(nullptr, 0) == TW_STATUS_OK;
  uint64_t data[TW_CPU_DATA_WORDS];
  tw_cpu_detect(data);
  for (const Feature& feature : x86Features()) {
    const bool isAmx = feature.llvmName.compare(0, 4, "amx-") == 0;
    EXPECT_EQ(data[feature.word] >> feature.bit & 1,
              known.count(feature.linuxName) && (!isAmx || isPermitted))
        << feature.llvmName;
  }
}

TEST(CpuTest, SaysWhetherAmxIsPermitted) {
  char text[TW_EXPLANATION_SIZE];
  const tw_status_t status = tw_cpu_permit_amx(text, sizeof text);
  uint64_t data[TW_CPU_DATA_WORDS];
  tw_cpu_detect(data);
  const std::string sentence = text;
  if (status == TW_STATUS_OK) {
    EXPECT_EQ(sentence, "This process may use AMX.");
  } else {
    EXPECT_EQ(status, TW_STATUS_UNSUPPORTED);
    EXPECT_EQ(sentence.compare(0, 30, "This process may not use AMX: "), 0)
        << sentence;
    EXPECT_EQ(sentence.back(), '.');
  }
#ifdef __x86_64__
  EXPECT_EQ(data[TW_CPU_WORD_X86_64_AMXTILE] >> TW_CPU_BIT_X86_64_AMXTILE & 1,
            status == TW_STATUS_OK);
#endif
  char tiny[8];
  EXPECT_EQ(tw_cpu_permit_amx(tiny, sizeof tiny), status);
  EXPECT_STREQ(tiny, "This pr");
}

TEST(CpuTest, OverwritesEveryWordAndIgnoresNull) {
  uint64_t first[TW_CPU_DATA_WORDS], second[TW_CPU_DATA_WORDS];
  std::fill(std::begin(first), std::end(first), ~uint64_t{0});
  std::fill(std::begin(second), std::end(second), 0);
  tw_cpu_detect(first);
  tw_cpu_detect(second);
  EXPECT_TRUE(std::equal(std::begin(first), std::end(first), second));
  tw_cpu_detect(nullptr);
}

bool isOurs(const IsaInfo& isa) {
#if defined(__x86_64__)
  if (isa.arch == "X86_64") return true;
#elif defined(__aarch64__)
  if (isa.arch == "ARM_64") return true;
#elif defined(__riscv)
  if (isa.arch == "RISCV_64") return true;
#endif
  return isa.arch == "GENERIC";
}

TEST(CpuTest, AnIsaIsAvailableWithAllItsFeaturesAndNoneLess) {
  for (const IsaInfo& isa : isas()) {
    uint64_t data[TW_CPU_DATA_WORDS] = {};
    for (const CpuFeatureInfo* feature : isa.features)
      data[feature->word] |= uint64_t{1} << feature->bit;
    if (!isOurs(isa)) {
      EXPECT_EQ(tw_isa_available(isa.isa, data), 0) << isa.name;
      continue;
    }
    EXPECT_EQ(tw_isa_available(isa.isa, data), 1) << isa.name;
    for (const CpuFeatureInfo* feature : isa.features) {
      data[feature->word] ^= uint64_t{1} << feature->bit;
      EXPECT_EQ(tw_isa_available(isa.isa, data), 0)
          << isa.name << " without " << feature->llvmName;
      data[feature->word] ^= uint64_t{1} << feature->bit;
    }
  }
}

TEST(CpuTest, IsasOutsideTheTableAreNone) {
  const uint64_t all[TW_CPU_DATA_WORDS] = {~uint64_t{0}, ~uint64_t{0}};
  EXPECT_EQ(tw_isa_available(TW_ISA_COUNT, all), 0);
  EXPECT_EQ(tw_isa_available(static_cast<tw_isa_t>(-1), all), 0);
  EXPECT_EQ(tw_isa_available(TW_ISA_GENERIC, nullptr), 0);
  EXPECT_EQ(tw_isa_name(TW_ISA_COUNT), nullptr);
  EXPECT_EQ(tw_isa_name(static_cast<tw_isa_t>(-1)), nullptr);
}

TEST(CpuTest, NamesAreTheTables) {
  for (const IsaInfo& isa : isas()) EXPECT_EQ(tw_isa_name(isa.isa), isa.name);
}

}  // namespace
}  // namespace tilewright
