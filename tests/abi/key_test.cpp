// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key grammar: round trips, and every way in which a name can be malformed.

#include "tilewright/key.h"

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <set>

namespace tilewright {
namespace {

TEST(Key, PrintsTheName) {
  TileKey key{TW_TYPES_S8S8S32,         16, 16, 4, Rounding::kOnce,
              TW_ISA_X86_64_AVX512_VNNI};
  EXPECT_EQ(printTileKey(key),
            "tw_mmt4d_tile_s8s8s32_16x16x4_x86_64_avx512_vnni");
  EXPECT_EQ(printTileKey(key, "iree_uk"),
            "iree_uk_mmt4d_tile_s8s8s32_16x16x4_x86_64_avx512_vnni");
  key.types = TW_TYPES_F16F16F16;
  key.rounding = Rounding::kPerStep;
  key.isa = TW_ISA_GENERIC;
  EXPECT_EQ(printTileKey(key),
            "tw_mmt4d_tile_f16f16f16_16x16x4_steprnd_generic");
}

TEST(Key, RoundTripsEveryTripleAndIsa) {
  std::mt19937 random(20251120);
  auto below = [&](int max) { return 1 + static_cast<int>(random() % max); };
  int valid = 0;
  std::set<std::string> names;
  for (const TypeTripleInfo& types : typeTriples()) {
    for (const IsaInfo& isa : isas()) {
      for (int i = 0; i < 200; ++i) {
        TileKey key{types.value,
                    below(kMaxM0),
                    below(kMaxN0),
                    below(kMaxK0),
                    random() % 2 ? Rounding::kOnce : Rounding::kPerStep,
                    isa.isa};
        if (isa.scaling != TW_SCALING_NONE) {
          key.m0Scalable = random() % 2;
          key.n0Scalable = random() % 2;
          if (key.m0Scalable) key.m0 = below(kMaxScale);
          if (key.n0Scalable) key.n0 = below(kMaxScale);
        }
        if (!validateTileKey(key).empty()) continue;
        ++valid;
        for (std::string_view prefix : {"tw", "iree_uk"}) {
          std::string name = printTileKey(key, prefix);
          ParsedTileKey parsed = parseTileKey(name, prefix);
          ASSERT_TRUE(parsed.key) << parsed.error;
          EXPECT_EQ(*parsed.key, key) << name;
          EXPECT_EQ(printTileKey(*parsed.key, prefix), name);
        }
        names.insert(printTileKey(key));
      }
    }
  }
  EXPECT_GT(valid, 10000);
  EXPECT_GT(names.size(), 10000u);
}

TEST(Key, ScalableSizes) {
  const ParsedTileKey parsed =
      parseTileKey("tw_mmt4d_tile_s8s8s32_1vlx2vlx4_arm_64_sme");
  ASSERT_TRUE(parsed.key) << parsed.error;
  EXPECT_TRUE(parsed.key->isScalable());
  const TileKey fixed = parsed.key->atVectorBits(512);
  EXPECT_EQ(printTileKey(fixed), "tw_mmt4d_tile_s8s8s32_16x32x4_arm_64_sme");
  EXPECT_EQ(fixed.lhsStepBytes(), 64);
  // The accumulator's elements count.
  EXPECT_EQ(parseTileKey("tw_mmt4d_tile_f64f64f64_3x2vlx1_arm_64_sve")
                .key->atVectorBits(256)
                .n0,
            8);
  EXPECT_NE(*parsed.key, fixed);
}

TEST(Key, TripleNamesAreUnambiguous) {
  // Longest match first is never needed as long as no two triples print alike.
  std::set<std::string_view> names;
  for (const TypeTripleInfo& types : typeTriples())
    EXPECT_TRUE(names.insert(types.name).second) << types.name;
}

struct Malformed {
  const char* name;
  const char* says;  // the error contains the name and this

  friend void PrintTo(const Malformed& m, std::ostream* os) {
    *os << '"' << m.name << '"';
  }
};

class MalformedName : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedName, IsRefusedWithTheReason) {
  ParsedTileKey parsed = parseTileKey(GetParam().name);
  ASSERT_FALSE(parsed.key) << "accepted as " << printTileKey(*parsed.key);
  EXPECT_NE(parsed.error.find(GetParam().name), std::string::npos)
      << parsed.error;
  EXPECT_NE(parsed.error.find(GetParam().says), std::string::npos)
      << parsed.error;
}

INSTANTIATE_TEST_SUITE_P(
    Table, MalformedName,
    testing::Values(
        Malformed{"", "does not start with 'tw_mmt4d_tile_'"},
        Malformed{"memcpy", "does not start with 'tw_mmt4d_tile_'"},
        Malformed{"iree_uk_mmt4d_tile_f32f32f32_8x8x1_generic",
                  "does not start with 'tw_mmt4d_tile_'"},
        Malformed{"tw_mmt4d_tile", "does not start with"},
        Malformed{"tw_mmt4d_tile_", "unknown element types ''"},
        Malformed{"tw_mmt4d_tile_f32f32f32", "sizes"},
        Malformed{"tw_mmt4d_tile_f32f32_8x8x1_generic",
                  "unknown element types 'f32f32'; expected one of f32f32f32"},
        Malformed{"tw_mmt4d_tile_f32f32f64_8x8x1_generic",
                  "unknown element types 'f32f32f64'"},
        Malformed{"tw_mmt4d_tile_F32F32F32_8x8x1_generic",
                  "unknown element types"},
        Malformed{"tw_mmt4d_tile_f32f32f32__generic", "in M0: expected a"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8_generic",
                  "in M0: expected 'x' after '8'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8_generic",
                  "in N0: expected 'x' after '8'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x_generic",
                  "in K0: expected a decimal number"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1", "in K0: expected '_'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1x1_generic",
                  "in K0: expected '_' after '1'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_08x8x1_generic",
                  "'08' has a leading zero"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x00x1_generic",
                  "'00' has a leading zero"},
        Malformed{"tw_mmt4d_tile_f32f32f32_-8x8x1_generic",
                  "in M0: expected a decimal number"},
        Malformed{"tw_mmt4d_tile_f32f32f32_+8x8x1_generic",
                  "in M0: expected a decimal number"},
        Malformed{"tw_mmt4d_tile_f32f32f32_ 8x8x1_generic",
                  "in M0: expected a decimal number"},
        Malformed{"tw_mmt4d_tile_f32f32f32_0x8x1_generic",
                  "M0 is 0, but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x1025x1_generic",
                  "N0 is 1025, but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x65_generic",
                  "K0 is 65, but must be in 1..64"},
        // 8 and 1, were they counted modulo 2^8, 2^16, 2^32 or 2^64.
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x257_generic",
                  "but must be in 1..64"},
        Malformed{"tw_mmt4d_tile_f32f32f32_65544x8x1_generic",
                  "but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_4294967304x8x1_generic",
                  "but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x4294967304x1_generic",
                  "but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x4294967297_generic",
                  "but must be in 1..64"},
        Malformed{"tw_mmt4d_tile_f32f32f32_18446744073709551624x8x1_generic",
                  "but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x18446744073709551624x1_generic",
                  "but must be in 1..1024"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x18446744073709551617_generic",
                  "but must be in 1..64"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x18446744073709551617vlx1_"
                  "arm_64_sve",
                  "but must be in 1vl..16vl"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x4vlx1_generic",
                  "N0 is '4vl', but the vectors of generic have a fixed"},
        Malformed{"tw_mmt4d_tile_f32f32f32_1vlx8x1_arm_64_i8mm",
                  "M0 is '1vl', but the vectors of arm_64_i8mm have a fixed"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x17vlx1_arm_64_sve",
                  "N0 is '17vl', but must be in 1vl..16vl"},
        Malformed{"tw_mmt4d_tile_f32f32f32_0vlx8x1_arm_64_sve",
                  "M0 is '0vl', but must be in 1vl..16vl"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x2vlx1vl_arm_64_sve",
                  "in K0: '1vl' is a scalable size, which only M0 and N0"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x2v1x1_arm_64_sve",
                  "in N0: expected 'x' after '2'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x2vlvlx1_arm_64_sve",
                  "in N0: expected 'x' after '2vl'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8xvlx1_arm_64_sve",
                  "in N0: expected a decimal number"},
        Malformed{"tw_mmt4d_tile_f64f64f64_02vlx8x1_arm_64_sve",
                  "in M0: '02' has a leading zero"},
        Malformed{"tw_mmt4d_tile_s8s4s32_8x3x1_generic",
                  "N0*K0 must be a multiple of 2"},
        Malformed{"tw_mmt4d_tile_s4s8s32_3x8x1_generic",
                  "M0*K0 must be a multiple of 2"},
        Malformed{"tw_mmt4d_tile_f6e2m3fnf6e3m2fnf32_4x6x1_generic",
                  "N0*K0 must be a multiple of 4"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1_", "instruction set ''"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1_x86_64",
                  "instruction set 'x86_64'"},
        Malformed{
            "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx1024",
            "expected [steprnd_], [mx_] or [vnni_] and one of x86_64_amx_bf16"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1_generic_",
                  "instruction set 'generic_'"},
        Malformed{"tw_mmt4d_tile_f32f32f32_8x8x1_steprnd_generic",
                  "narrower than the accumulator"},
        Malformed{"tw_mmt4d_tile_f16f16f16_8x8x1_steprnd",
                  "instruction set 'steprnd'"},
        Malformed{"tw_mmt4d_tile_f16f16f16_8x8x1_steprnd_steprnd_generic",
                  "instruction set 'steprnd_generic'"}));

TEST(Key, EveryStringOneEditAwayParsesToItselfOrNotAtAll) {
  // Accepting a second spelling would give one kernel two names.
  const std::string name = "tw_mmt4d_tile_s8u4s32_12x32x8_x86_64_avx2_fma";
  ASSERT_TRUE(parseTileKey(name).key);
  const std::string alphabet = "0123456789x_ usfbav.-+";
  int tried = 0;
  auto check = [&](const std::string& edited) {
    ++tried;
    ParsedTileKey parsed = parseTileKey(edited);
    if (parsed.key) {
      EXPECT_EQ(printTileKey(*parsed.key), edited);
    } else {
      EXPECT_FALSE(parsed.error.empty());
    }
  };
  for (size_t i = 0; i <= name.size(); ++i) {
    for (char c : alphabet) {
      check(name.substr(0, i) + c + name.substr(i));
      if (i < name.size()) check(name.substr(0, i) + c + name.substr(i + 1));
    }
    if (i < name.size()) check(name.substr(0, i) + name.substr(i + 1));
  }
  EXPECT_GT(tried, 1000);
}

TEST(Key, BlockScales) {
  const std::string name =
      "tw_mmt4d_tile_f8e4m3fnf4e2m1fnf32_32x16x128_mx_amdgpu_gfx950";
  const ParsedTileKey parsed = parseTileKey(name);
  ASSERT_TRUE(parsed.key) << parsed.error;
  EXPECT_TRUE(parsed.key->blockScaled);
  EXPECT_EQ(printTileKey(*parsed.key), name);
  EXPECT_EQ(parsed.key->lhsScaleStepBytes(), 32 * 4);
  EXPECT_EQ(parsed.key->rhsScaleStepBytes(), 16 * 4);
  TileKey plain = *parsed.key;
  plain.blockScaled = false;
  EXPECT_NE(plain, *parsed.key);
  EXPECT_NE(plain < *parsed.key, *parsed.key < plain);
  EXPECT_EQ(plain.lhsScaleStepBytes(), 0);

  const std::pair<const char*, const char*> refused[] = {
      {"f8e4m3fnf4e2m1fnf32_32x16x48_mx_amdgpu_gfx950", "multiple of 32"},
      {"f8e4m3fnuzf8e4m3fnuzf32_32x16x32_mx_amdgpu_gfx942", "f8e4m3fnuz"},
      {"f8e4m3fnf4e2m1fnf32_32x16x32_mx_x86_64_avx2_fma", "is for amdgpu"},
      {"f8e4m3fnf4e2m1fnf32_32x16x320_amdgpu_gfx950", "1..256"},
      {"f8e4m3fnf4e2m1fnf32_32x16x96_x86_64_avx2_fma", "1..64"},
  };
  for (auto [rest, why] : refused) {
    const ParsedTileKey wrong =
        parseTileKey(std::string("tw_mmt4d_tile_") + rest);
    EXPECT_FALSE(wrong.key) << rest;
    EXPECT_NE(wrong.error.find(why), std::string::npos) << wrong.error;
  }
}

TEST(Key, RhsInGroupsAlongK) {
  for (const char* rest : {"s8s8s32_32x32x64_vnni_x86_64_amx_int8",
                           "u8s8s32_1x1024x64_vnni_x86_64_amx_bf16",
                           "s8u8s32_7x3x64_vnni_x86_64_amx_int8",
                           "u8u8s32_16x32x64_vnni_x86_64_amx_int8",
                           "bf16bf16f32_32x32x32_vnni_x86_64_amx_bf16",
                           "bf16bf16bf16_32x32x32_vnni_x86_64_amx_bf16"}) {
    const std::string name = std::string("tw_mmt4d_tile_") + rest;
    const ParsedTileKey parsed = parseTileKey(name);
    ASSERT_TRUE(parsed.key) << parsed.error;
    EXPECT_TRUE(parsed.key->vnni);
    EXPECT_EQ(printTileKey(*parsed.key), name);
    TileKey plain = *parsed.key;
    plain.vnni = false;
    EXPECT_NE(plain, *parsed.key);
    EXPECT_NE(plain < *parsed.key, *parsed.key < plain);
    EXPECT_EQ(plain.rhsStepBytes(), parsed.key->rhsStepBytes());
    TileKey rounds = *parsed.key;
    rounds.rounding = Rounding::kPerStep;
    EXPECT_NE(validateTileKey(rounds), "") << name;
  }
  const std::pair<const char*, const char*> refused[] = {
      {"s8s8s32_32x32x4_vnni_x86_64_amx_int8", "K0 must be 64"},
      {"s8s8s32_32x32x32_vnni_x86_64_amx_int8", "K0 must be 64"},
      {"bf16bf16f32_32x32x64_vnni_x86_64_amx_bf16", "K0 must be 32"},
      {"s8s8s32_32x32x64_vnni_x86_64_avx512_vnni",
       "needs amx-int8, which x86_64_avx512_vnni does not have"},
      {"bf16bf16f32_32x32x32_vnni_x86_64_amx_int8",
       "needs amx-bf16, which x86_64_amx_int8 does not have"},
      {"s8s8s32_32x32x64_vnni_generic", "needs amx-int8"},
      {"s8s4s32_32x32x64_vnni_x86_64_amx_int8", "not s8s4s32"},
      {"s16s16s32_32x32x32_vnni_x86_64_amx_int8", "not s16s16s32"},
      {"f16f16f32_32x32x32_vnni_x86_64_amx_bf16", "not f16f16f32"},
      {"bf16bf16bf16_32x32x32_steprnd_vnni_x86_64_amx_bf16",
       "variants 'vnni' and 'steprnd' exclude each other"},
      {"bf16bf16bf16_32x32x32_vnni_steprnd_x86_64_amx_bf16",
       "unknown variant or instruction set 'steprnd_x86_64_amx_bf16'"},
      {"s8s8s32_32x32x64_mx_vnni_x86_64_amx_int8",
       "variant 'mx' is for amdgpu, not x86_64_amx_int8"},
  };
  for (auto [rest, why] : refused) {
    const ParsedTileKey wrong =
        parseTileKey(std::string("tw_mmt4d_tile_") + rest);
    EXPECT_FALSE(wrong.key) << rest;
    EXPECT_NE(wrong.error.find(why), std::string::npos) << wrong.error;
  }
}

TEST(Key, LooksLikeTileName) {
  EXPECT_TRUE(looksLikeTileName("tw_mmt4d_tile_nonsense"));
  EXPECT_TRUE(looksLikeTileName("iree_uk_mmt4d_tile_x", "iree_uk"));
  EXPECT_FALSE(looksLikeTileName("tw_mmt4d"));
  EXPECT_FALSE(looksLikeTileName("tw_pack"));
  EXPECT_FALSE(looksLikeTileName("tw_mmt4d_tile_x", "iree_uk"));
}

TEST(Key, PanelBytes) {
  TileKey key{TW_TYPES_S8S4S32, 7, 48, 4, Rounding::kOnce, TW_ISA_GENERIC};
  EXPECT_EQ(key.lhsStepBytes(), 28);
  EXPECT_EQ(key.rhsStepBytes(), 96);
  EXPECT_EQ(key.outTileBytes(), 7 * 48 * 4);
  key.types = TW_TYPES_F6E2M3FNF6E3M2FNF32;
  EXPECT_EQ(key.lhsStepBytes(), 21);
  EXPECT_EQ(key.rhsStepBytes(), 144);
}

TEST(IsaTable, LevelsAreOrderedBestFirst) {
  // A level that implies another stands before it.
  const std::vector<IsaInfo>& table = isas();
  for (size_t i = 0; i < table.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (table[i].arch != table[j].arch) continue;
      EXPECT_FALSE(table[i].implies(table[j]))
          << table[i].name << " implies " << table[j].name
          << " and must stand before it";
    }
  }
}

TEST(IsaTable, FeaturesAreKnownAndDistinct) {
  for (const IsaInfo& isa : isas()) {
    std::set<std::string_view> seen;
    for (const CpuFeatureInfo* feature : isa.features) {
      ASSERT_NE(feature, nullptr) << isa.name;
      EXPECT_EQ(feature->arch, isa.arch);
      EXPECT_TRUE(seen.insert(feature->llvmName).second)
          << isa.name << " lists " << feature->llvmName << " twice";
    }
    EXPECT_EQ(&info(isa.isa), &isa);
    EXPECT_EQ(findIsa(isa.name), &isa);
  }
  EXPECT_EQ(findIsa("x86_64_avx2_fma")->llvmFeatures(), "+avx2,+fma,+f16c");
  EXPECT_TRUE(
      findIsa("x86_64_avx512_vnni")->implies(*findIsa("x86_64_avx512_base")));
  EXPECT_FALSE(
      findIsa("x86_64_avx512_base")->implies(*findIsa("x86_64_avx512_vnni")));
}

TEST(IsaTable, AmdgpuTargetsRunTheirOwnCodeOnly) {
  const IsaInfo& gfx942 = *findIsa("amdgpu_gfx942");
  EXPECT_TRUE(gfx942.isGpu());
  EXPECT_TRUE(gfx942.implies(gfx942));
  EXPECT_FALSE(gfx942.implies(*findIsa("amdgpu_gfx90a")));
  EXPECT_FALSE(findIsa("x86_64_avx2_fma")->implies(gfx942));
  EXPECT_FALSE(gfx942.implies(*findIsa("x86_64_avx2_fma")));
}

TEST(TypeTable, AccumulatorsFollowTheContract) {
  for (const TypeTripleInfo& types : typeTriples()) {
    bool isInteger = info(types.lhs).kind != TW_ELEMENT_KIND_FLOAT;
    EXPECT_EQ(isInteger, info(types.rhs).kind != TW_ELEMENT_KIND_FLOAT);
    tw_element_type_t expected =
        isInteger
            ? TW_ELEMENT_S32
            : (types.lhs == TW_ELEMENT_F64 ? TW_ELEMENT_F64 : TW_ELEMENT_F32);
    EXPECT_EQ(types.accumulator, expected) << types.name;
    EXPECT_EQ(&info(types.value), &types);
  }
}

}  // namespace
}  // namespace tilewright
