// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in C: what is read is what was printed, and what is wrong has a place.

#include "tilewright/tile_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/common/seed.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

tw_word_t wordOf(std::string_view text) { return {text.data(), text.size()}; }

struct Read {
  bool ok;
  tw_tile_key_t key;
  tw_name_fault_t fault;
  std::string_view wrong;  // the characters
};

Read read(std::string_view name, tw_word_t prefix = {"tw", 2}) {
  Read r{};
  r.ok = tw_parse_tile_key(wordOf(name), prefix, &r.key, &r.fault) != 0;
  if (!r.ok) {
    EXPECT_LE(r.fault.offset, name.size()) << name;
    EXPECT_LE(r.fault.length, name.size() - r.fault.offset) << name;
    EXPECT_NE(r.fault.kind, TW_NAME_FAULT_NONE) << name;
    r.wrong = name.substr(r.fault.offset, r.fault.length);
  }
  return r;
}

std::string print(const tw_tile_key_t& key, std::string_view prefix = "tw") {
  char text[256];
  const size_t length =
      tw_print_tile_key(&key, wordOf(prefix), text, sizeof text);
  EXPECT_EQ(std::string_view(text).size(), length);
  return text;
}

// Of all triples and instruction sets, with and without every variant; not all
// are valid.
tw_tile_key_t randomKey(Random& random) {
  const TypeTripleInfo& types =
      typeTriples()[random.below(typeTriples().size())];
  tw_tile_key_t key{};
  key.types = static_cast<uint8_t>(types.value);
  key.isa = static_cast<tw_isa_t>(random.below(TW_ISA_COUNT));
  key.m0 = static_cast<int32_t>(random.chance(0.1) ? random.between(0, 1030)
                                                   : random.between(1, 64));
  key.n0 = static_cast<int32_t>(random.chance(0.1) ? random.between(0, 1030)
                                                   : random.between(1, 64));
  key.k0 =
      static_cast<int32_t>(random.chance(0.5) ? int64_t{1} << random.below(9)
                                              : random.between(0, 260));
  if (info(key.isa).scaling != TW_SCALING_NONE || random.chance(0.05)) {
    key.m0_scalable = random.chance(0.2);
    key.n0_scalable = random.chance(0.3);
    if (key.n0_scalable) key.n0 = 1 + key.n0 % 18;
  }
  // Those that a variant is for, more often than by chance.
  if (random.chance(0.2)) {
    key.types = TW_TYPES_F16F16F16;
    key.step_rounding = 1;
  } else if (random.chance(0.2)) {
    key.types = TW_TYPES_F8E4M3FNF4E2M1FNF32;
    key.isa = TW_ISA_AMDGPU_GFX950;
    key.block_scaled = 1;
  } else if (random.chance(0.2)) {
    key.types = TW_TYPES_U8S8S32;
    key.isa = TW_ISA_X86_64_AMX_INT8;
    key.k0 = 64;
    key.vnni = 1;
  }
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  if (random.chance(0.05)) key.field = 1;
#include "tilewright/variants.def"
  return key;
}

std::string mutated(std::string name, Random& random) {
  static const char* const kParts[] = {
      "_",    "x", "vl", "steprnd_", "mx_", "vnni_",        "0",         "1",
      "9999", "8", "s8", "generic",  "tw",  "_mmt4d_tile_", "4294967297"};
  const size_t at = random.below(name.size() + 1);
  switch (random.below(4)) {
    case 0:
      return name.insert(at, kParts[random.below(std::size(kParts))]);
    case 1:
      return name.erase(at, 1 + random.below(5));
    case 2:
      return name.substr(0, at);
    default:
      if (at < name.size())
        name[at] = "0123456789x_vlsfub\0~"[random.below(20)];
      return name;
  }
}

TEST(TileName, RandomKeysAndTextsReadAsTheyPrint) {
  const uint64_t seed = seedOf("TileName");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  int valid = 0, accepted = 0, refused = 0;
  for (int i = 0; i < 60000; ++i) {
    const tw_tile_key_t key = randomKey(random);
    std::string name = print(key);
    tw_name_fault_t fault;
    const bool isValid = tw_check_tile_key(&key, &fault) != 0;
    const Read own = read(name);
    ASSERT_EQ(own.ok, isValid) << name;
    EXPECT_EQ(keyOfC(own.key), keyOfC(key)) << name;
    valid += isValid;
    if (!isValid) {
      EXPECT_EQ(own.fault.kind, fault.kind) << name;
      EXPECT_EQ(own.fault.part, fault.part) << name;
      EXPECT_FALSE(own.wrong.empty()) << name;
    }
    for (int edits = 0; edits < 3; ++edits) {
      name = mutated(name, random);
      const Read r = read(name);
      (r.ok ? accepted : refused) += 1;
      if (r.ok) {
        EXPECT_EQ(print(r.key), name);
        EXPECT_NE(tw_check_tile_key(&r.key, &fault), 0) << name;
      }
      const ParsedTileKey parsed = parseTileKey(name);
      EXPECT_EQ(parsed.key.has_value(), r.ok) << name;
      EXPECT_EQ(parsed.error.empty(), r.ok) << name;
    }
  }
  EXPECT_GT(valid, 15000);
  EXPECT_GT(accepted, 800);
  EXPECT_GT(refused, 60000);
}

TEST(TileName, SaysWhereItIsWrong) {
  const struct {
    const char* name;
    tw_name_fault_kind_t kind;
    tw_name_part_t part;
    const char* wrong;
  } cases[] = {
      {"my_mmt4d_tile_f32f32f32_8x8x1_generic", TW_NAME_FAULT_OTHER_PREFIX,
       TW_NAME_PART_PREFIX, "my_mmt4d_tile_f32f32f32_8x8x1_generic"},
      {"tw_mmt4d_tile_f32f32_8x8x1_generic", TW_NAME_FAULT_UNKNOWN_TYPES,
       TW_NAME_PART_TYPES, "f32f32"},
      {"tw_mmt4d_tile_f32f32f32", TW_NAME_FAULT_NO_SIZES, TW_NAME_PART_M0, ""},
      {"tw_mmt4d_tile_f32f32f32_8xx1_generic", TW_NAME_FAULT_NO_NUMBER,
       TW_NAME_PART_N0, ""},
      {"tw_mmt4d_tile_f32f32f32_8x08x1_generic", TW_NAME_FAULT_LEADING_ZERO,
       TW_NAME_PART_N0, "08"},
      {"tw_mmt4d_tile_f32f32f32_8x8x1x_generic", TW_NAME_FAULT_NO_STOP,
       TW_NAME_PART_K0, "1"},
      {"tw_mmt4d_tile_f32f32f32_8x8x2vl_arm_64_sve", TW_NAME_FAULT_SCALABLE_K0,
       TW_NAME_PART_K0, "2vl"},
      {"tw_mmt4d_tile_f32f32f32_8x8x1_z80", TW_NAME_FAULT_UNKNOWN_ISA,
       TW_NAME_PART_ISA, "z80"},
      {"tw_mmt4d_tile_f32f32f32_8x2000x1_generic", TW_NAME_FAULT_SIZE,
       TW_NAME_PART_N0, "2000"},
      {"tw_mmt4d_tile_f32f32f32_20vlx8x1_arm_64_sve", TW_NAME_FAULT_SCALE,
       TW_NAME_PART_M0, "20vl"},
      {"tw_mmt4d_tile_f32f32f32_2vlx8x1_generic", TW_NAME_FAULT_FIXED_VECTORS,
       TW_NAME_PART_M0, "2vl"},
      {"tw_mmt4d_tile_s8s4s32_8x3x1_generic", TW_NAME_FAULT_PART_OF_A_BYTE,
       TW_NAME_PART_N0, "3"},
      {"tw_mmt4d_tile_f32f32f32_8x8x1_steprnd_generic",
       TW_NAME_FAULT_VARIANT_TYPES, TW_NAME_PART_TYPES, "f32f32f32"},
      {"tw_mmt4d_tile_s8s8s32_8x8x64_vnni_generic", TW_NAME_FAULT_VARIANT_ISA,
       TW_NAME_PART_ISA, "generic"},
      {"tw_mmt4d_tile_s8s8s32_8x8x32_vnni_x86_64_amx_int8",
       TW_NAME_FAULT_VARIANT_K0, TW_NAME_PART_K0, "32"},
      {"tw_mmt4d_tile_bf16bf16bf16_8x8x32_steprnd_vnni_x86_64_amx_bf16",
       TW_NAME_FAULT_EXCLUDED, TW_NAME_PART_VARIANTS, "steprnd_vnni"},
  };
  for (const auto& c : cases) {
    const Read r = read(c.name);
    EXPECT_FALSE(r.ok) << c.name;
    EXPECT_EQ(r.fault.kind, c.kind) << c.name;
    EXPECT_EQ(r.fault.part, c.part) << c.name;
    EXPECT_EQ(r.wrong, c.wrong) << c.name;
  }
}

TEST(TileName, AnyPrefixIsUpToTheOperation) {
  const tw_word_t any = {nullptr, 0};
  const Read r = read("a_b_mmt4d_tile_f32f32f32_8x4x1_generic", any);
  ASSERT_TRUE(r.ok);
  EXPECT_EQ(print(r.key, "a_b"), "a_b_mmt4d_tile_f32f32f32_8x4x1_generic");
  EXPECT_TRUE(read("_mmt4d_tile_f32f32f32_8x4x1_generic", any).ok);
  for (const char* name : {"", "memcpy", "a_mmt4d_tile", "_mmt4d_tile_",
                           "a_mmt4d_tile_b_mmt4d_tile_f32f32f32_8x4x1_generic"})
    EXPECT_FALSE(read(name, any).ok) << name;
  EXPECT_FALSE(read("a_mmt4d_tile_f32f32f32_8x4x1_generic", {"", 0}).ok);
  EXPECT_TRUE(read("_mmt4d_tile_f32f32f32_8x4x1_generic", {"", 0}).ok);
}

TEST(TileName, PrintsWhatHasRoom) {
  const std::string name = "tw_mmt4d_tile_s8s8s32_16x2vlx4_arm_64_sve_i8mm";
  const Read r = read(name);
  ASSERT_TRUE(r.ok);
  for (size_t size = 0; size <= name.size() + 2; ++size) {
    std::string text(name.size() + 4, '#');
    EXPECT_EQ(tw_print_tile_key(&r.key, {"tw", 2}, text.data(), size),
              name.size());
    const size_t whole = std::min(size, name.size() + 1);
    if (whole > 0) {
      EXPECT_EQ(text.substr(0, whole), name.substr(0, whole - 1) + '\0');
    }
    EXPECT_EQ(text.substr(whole), std::string(text.size() - whole, '#'));
  }
  char sizes[16];
  EXPECT_EQ(tw_print_tile_sizes(&r.key, sizes, sizeof sizes), 8u);
  EXPECT_STREQ(sizes, "16x2vlx4");
}

TEST(TileName, EveryVariantHasABit) {
  tw_tile_key_t key{};
  EXPECT_EQ(tw_variants_of(&key), 0u);
  key.step_rounding = key.vnni = 1;
  EXPECT_EQ(tw_variants_of(&key),
            unsigned{TW_VARIANT_STEP_ROUNDING | TW_VARIANT_VNNI});
  key = {};
  key.block_scaled = 1;
  EXPECT_EQ(tw_variants_of(&key), unsigned{TW_VARIANT_BLOCK_SCALED});
  EXPECT_TRUE(keyOfC(key).blockScaled);
  EXPECT_EQ(keyInC(keyOfC(key)).block_scaled, 1);
}

TEST(TileName, KeysOfNoTableAreRefused) {
  tw_name_fault_t fault;
  tw_tile_key_t key = read("tw_mmt4d_tile_f32f32f32_8x4x1_generic").key;
  EXPECT_TRUE(tw_check_tile_key(&key, &fault));
  key.types = 0;
  EXPECT_FALSE(tw_check_tile_key(&key, &fault));
  EXPECT_EQ(fault.kind, TW_NAME_FAULT_UNKNOWN_TYPES);
  key.types = TW_TYPES_F32F32F32;
  key.isa = TW_ISA_COUNT;
  EXPECT_FALSE(tw_check_tile_key(&key, &fault));
  EXPECT_EQ(fault.kind, TW_NAME_FAULT_UNKNOWN_ISA);
}

}  // namespace
}  // namespace tilewright::testing
