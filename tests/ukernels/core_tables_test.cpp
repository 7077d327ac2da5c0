// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cores.def, core_rates.def and instructions.def hold together.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tilewright/types.h"
#include "ukernels/core.h"
#include "ukernels/multiply.h"

namespace tilewright::testing {
namespace {

struct Part {
  const char* core;
  uint64_t implementer, part;
};
const Part kParts[] = {
#define TW_CORE_PART(ENUM, implementer, part) {#ENUM, implementer, part},
#include "tilewright/cores.def"
};

struct Models {
  const char* core;
  tw_core_vendor_t vendor;
  uint32_t family, first, last;
  tw_core_kind_t kind;
};
const Models kModels[] = {
#define TW_CORE_MODELS(ENUM, VENDOR, family, first, last, KIND) \
  {#ENUM, TW_CORE_VENDOR_##VENDOR, family, first, last, TW_CORE_KIND_##KIND},
#include "tilewright/cores.def"
};

struct Core {
  const char *arch, *name, *llvmCpu;
};
const Core kCores[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) {#ARCH, #ENUM, llvm_cpu},
#include "tilewright/cores.def"
};

struct Rate {
  const char *core, *instruction;
  tw_instruction_t multiply;
  double perCycle;
};
const Rate kRates[] = {
#define TW_CORE_RATE(CORE, INSTRUCTION, per_cycle) \
  {#CORE, #INSTRUCTION, TW_INSTRUCTION_##INSTRUCTION, per_cycle},
#include "tilewright/core_rates.def"
};

TEST(CoreTablesTest, EveryPartNamesItsCoreAndNoOther) {
  std::map<std::string, std::string> names;
  for (const Core& core : kCores) {
    EXPECT_TRUE(names.emplace(core.name, core.llvmCpu).second) << core.name;
    uint64_t data[TW_CPU_DATA_WORDS] = {};
    ASSERT_EQ(tw_set_core(core.llvmCpu, data), 1)
        << core.llvmCpu << " has no TW_CORE_PART or TW_CORE_MODELS";
    EXPECT_STREQ(tw_core_name(data), core.llvmCpu);
  }
  for (const Part& part : kParts) {
    EXPECT_LE(part.implementer, 0xFFu);
    EXPECT_LE(part.part, 0xFFFu);
    uint64_t data[TW_CPU_DATA_WORDS] = {};
    data[TW_CPU_WORD_CORE] = part.implementer << 24 | part.part << 4;
    EXPECT_EQ(tw_core_name(data), names.at(part.core));
  }
}

TEST(CoreTablesTest, EveryModelNamesItsCoreAndNoOther) {
  std::map<std::string, std::string> names;
  for (const Core& core : kCores) names.emplace(core.name, core.llvmCpu);
  std::set<uint64_t> seen;
  for (const Models& models : kModels) {
    ASSERT_LE(models.first, models.last) << models.core;
    ASSERT_LE(models.last, 0xFFu) << models.core;
    for (uint32_t model = models.first; model <= models.last; ++model) {
      uint64_t data[TW_CPU_DATA_WORDS] = {};
      data[TW_CPU_WORD_CORE] =
          TW_CORE_WORD_X86_64(models.vendor, models.family, model, models.kind);
      EXPECT_EQ(tw_core_name(data), names.at(models.core)) << model;
      EXPECT_TRUE(seen.insert(data[TW_CPU_WORD_CORE]).second)
          << models.core << " has a model of another core, " << model;
    }
  }
  // Of a chip with two kinds of cores it has to be known which one it is.
  uint64_t data[TW_CPU_DATA_WORDS] = {};
  data[TW_CPU_WORD_CORE] =
      TW_CORE_WORD_X86_64(TW_CORE_VENDOR_INTEL, 6, 0x97, TW_CORE_KIND_ALL);
  EXPECT_EQ(tw_core_name(data), nullptr);
  // And one that has not is not of either.
  data[TW_CPU_WORD_CORE] = TW_CORE_WORD_X86_64(TW_CORE_VENDOR_AMD, 0x19, 0x12,
                                               TW_CORE_KIND_PERFORMANCE);
  EXPECT_EQ(tw_core_name(data), nullptr);
}

TEST(CoreTablesTest, OtherNamesAreThoseOfACore) {
  uint64_t data[TW_CPU_DATA_WORDS] = {};
  ASSERT_EQ(tw_set_core("cascadelake", data), 1);
  EXPECT_STREQ(tw_core_name(data), "skylake-avx512");
}

TEST(CoreTablesTest, CachesAreTheCpusElseTheCoresElseUsual) {
  uint64_t data[TW_CPU_DATA_WORDS] = {};
  auto sizes = [&] {
    const tw_caches_t caches = tw_caches_of(data);
    return std::pair(caches.l1 >> 10, caches.l2 >> 10);
  };
  using Sizes = std::pair<tw_index_t, tw_index_t>;
  EXPECT_EQ(sizes(), Sizes(32, 1024));
  ASSERT_EQ(tw_set_core("emeraldrapids", data), 1);
  EXPECT_EQ(sizes(), Sizes(48, 2048));
  data[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(64, 3072);
  EXPECT_EQ(sizes(), Sizes(64, 3072));
  data[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(64, 0);
  EXPECT_EQ(sizes(), Sizes(64, 1024));
}

TEST(CoreTablesTest, UnknownCoresAreNone) {
  uint64_t data[TW_CPU_DATA_WORDS] = {};
  EXPECT_EQ(tw_core_name(data), nullptr);
  EXPECT_EQ(tw_core_rate(data, TW_INSTRUCTION_FMLA), 0);
  EXPECT_EQ(tw_set_core("pentium", data), 0);
  EXPECT_EQ(data[TW_CPU_WORD_CORE], 0u);
  data[TW_CPU_WORD_CORE] = 0xFF00FFF0;
  EXPECT_EQ(tw_core_name(data), nullptr);
  EXPECT_EQ(tw_core_rate(data, TW_INSTRUCTION_FMLA), 0);
}

TEST(CoreTablesTest, RatesAreOncePerInstructionAndRelativeToTheFirst) {
  std::map<std::string, double> first;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Rate& rate : kRates) {
    EXPECT_GT(rate.perCycle, 0) << rate.core << " " << rate.instruction;
    EXPECT_LE(rate.perCycle, 8) << rate.core << " " << rate.instruction;
    EXPECT_TRUE(seen.emplace(rate.core, rate.instruction).second)
        << rate.core << " has two rows for " << rate.instruction;
    if (first.emplace(rate.core, rate.perCycle).second) {
      EXPECT_TRUE(rate.multiply == TW_INSTRUCTION_FMLA ||
                  rate.multiply == TW_INSTRUCTION_FMA_YMM)
          << rate.core << " begins with " << rate.instruction;
    }
  }
  for (const Core& core : kCores) {
    uint64_t data[TW_CPU_DATA_WORDS] = {};
    tw_set_core(core.llvmCpu, data);
    for (const Rate& rate : kRates) {
      if (std::string(rate.core) != core.name) continue;
      EXPECT_DOUBLE_EQ(tw_core_rate(data, rate.multiply),
                       rate.perCycle / first[core.name])
          << core.name << " " << rate.instruction;
    }
    EXPECT_EQ(tw_core_rate(data, TW_INSTRUCTION_NONE), 0);
    // Without a row: as quick as the first, if anything is known of the core.
    for (int i = 1; i < TW_INSTRUCTION_COUNT; ++i) {
      const auto instruction = static_cast<tw_instruction_t>(i);
      if (std::none_of(std::begin(kRates), std::end(kRates), [&](Rate rate) {
            return std::string(rate.core) == core.name &&
                   rate.multiply == instruction;
          })) {
        EXPECT_EQ(tw_core_rate(data, instruction),
                  double(first.count(core.name)))
            << core.name << " " << tw_instruction_row(instruction)->mnemonic;
      }
    }
  }
}

struct Step {
  const char* name;
  int vectorBits;
  tw_instruction_t instruction;
  double multiplies;
};

TEST(CoreTablesTest, InstructionsOfAStep) {
  const Step steps[] = {
      {"tw_mmt4d_tile_f32f32f32_8x12x1_arm_64_base", 128, TW_INSTRUCTION_FMLA,
       24},
      {"tw_mmt4d_tile_f64f64f64_8x8x1_arm_64_base", 128,
       TW_INSTRUCTION_FMLA_F64, 32},
      {"tw_mmt4d_tile_f16f16f32_8x8x1_arm_64_fullfp16", 128,
       TW_INSTRUCTION_FMLA, 16},
      {"tw_mmt4d_tile_f16f16f32_8x8x1_arm_64_fp16fml", 128,
       TW_INSTRUCTION_FMLAL, 16},
      {"tw_mmt4d_tile_bf16bf16f32_8x8x2_arm_64_bf16", 128, TW_INSTRUCTION_BFDOT,
       16},
      {"tw_mmt4d_tile_bf16bf16f32_8x8x4_arm_64_bf16", 128,
       TW_INSTRUCTION_BFMMLA, 16},
      {"tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base", 128, TW_INSTRUCTION_SMLAL,
       32},
      {"tw_mmt4d_tile_s8s4s32_8x8x4_arm_64_dotprod", 128, TW_INSTRUCTION_SDOT,
       16},
      {"tw_mmt4d_tile_u8s8s32_8x8x8_arm_64_i8mm", 128, TW_INSTRUCTION_SMMLA,
       16},
      {"tw_mmt4d_tile_s8s8s32_1x8x8_arm_64_i8mm", 128, TW_INSTRUCTION_SMMLA, 4},
      {"tw_mmt4d_tile_s16s8s32_8x8x1_arm_64_i8mm", 128, TW_INSTRUCTION_SMLAL,
       16},
      {"tw_mmt4d_tile_s32s32s32_4x4x1_arm_64_base", 128, TW_INSTRUCTION_MLA, 4},
      // Fixed sizes on an SVE ISA are NEON's.
      {"tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_sve", 128, TW_INSTRUCTION_FMLA,
       16},
      {"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve", 512,
       TW_INSTRUCTION_FMLA_SVE, 24},
      {"tw_mmt4d_tile_s8s8s32_8x2vlx8_arm_64_sve_i8mm", 256,
       TW_INSTRUCTION_SMMLA_SVE, 16},
      {"tw_mmt4d_tile_s16s16s32_8x1vlx4_arm_64_sve", 256,
       TW_INSTRUCTION_SDOT_S16_SVE, 16},
      {"tw_mmt4d_tile_s16s8s32_8x2vlx2_arm_64_sve2", 256,
       TW_INSTRUCTION_SMLAL_SVE, 32},
      {"tw_mmt4d_tile_f32f32f32_2vlx8x1_arm_64_sve", 256,
       TW_INSTRUCTION_FMLA_SVE, 16},
      {"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme", 512,
       TW_INSTRUCTION_FMOPA_SME, 4},
      {"tw_mmt4d_tile_s8s8s32_1vlx4vlx8_arm_64_sme", 128,
       TW_INSTRUCTION_SMOPA_SME, 8},
      {"tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni", 512,
       TW_INSTRUCTION_DPBUSD_ZMM, 24},
      {"tw_mmt4d_tile_s8s8s32_12x32x8_x86_64_avx512_vnni", 512,
       TW_INSTRUCTION_DPBUSD_ZMM, 48},
      {"tw_mmt4d_tile_s8s8s32_6x16x2_x86_64_avx2_fma", 256,
       TW_INSTRUCTION_MADDWD_YMM, 12},
      {"tw_mmt4d_tile_u8s8s32_6x16x4_x86_64_avx_vnni", 256,
       TW_INSTRUCTION_DPBUSD_YMM, 12},
      {"tw_mmt4d_tile_s16s16s32_8x32x2_x86_64_avx512_base", 512,
       TW_INSTRUCTION_MADDWD_ZMM, 16},
      {"tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16", 512,
       TW_INSTRUCTION_DPBF16_ZMM, 24},
      {"tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_base", 512,
       TW_INSTRUCTION_FMA_ZMM, 48},
      {"tw_mmt4d_tile_f64f64f64_6x8x1_x86_64_avx2_fma", 256,
       TW_INSTRUCTION_FMA_F64_YMM, 12},
      {"tw_mmt4d_tile_f32f32f32_4x4x1_generic", 128, TW_INSTRUCTION_NONE, 4},
  };
  for (const Step& expected : steps) {
    tw_tile_key_t key;
    ASSERT_TRUE(tw_parse_tile_name(expected.name, &key)) << expected.name;
    const tw_step_t step = tw_step_of(&key, expected.vectorBits);
    EXPECT_EQ(step.instruction, expected.instruction)
        << expected.name << " multiplies with "
        << (tw_instruction_row(step.instruction)->mnemonic
                ? tw_instruction_row(step.instruction)->mnemonic
                : "nothing");
    EXPECT_EQ(step.multiplies, expected.multiplies) << expected.name;
    EXPECT_GT(step.loads, 0) << expected.name;
  }
}

}  // namespace
}  // namespace tilewright::testing
