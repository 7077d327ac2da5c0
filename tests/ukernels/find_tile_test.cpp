// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include <string>

#include "tests/ukernels/rows.h"

namespace tilewright::testing {
namespace {

bool contains(const char* text, const std::string& part) {
  return std::string(text).find(part) != std::string::npos;
}

// The best row of the same types, sizes and rounding that `data` can run, or
// null: the rule of tw_find_tile, said again.
const KeyedRow* bestRow(const std::vector<KeyedRow>& rows, const TileKey& key,
                        const CpuData& data) {
  const KeyedRow* best = nullptr;
  for (const KeyedRow& row : rows) {
    TileKey other = fixedKey(row.key);
    other.isa = key.isa;
    if (!(other == fixedKey(key)) || !tw_isa_available(row.key.isa, data.words))
      continue;
    if (!best || row.key.isa < best->key.isa) best = &row;
  }
  return best;
}

TEST(FindTileTest, FindsEveryRowOnACpuOfExactlyItsIsa) {
  const auto rows = keyedRows();
#if defined(__x86_64__)
  ASSERT_FALSE(rows.empty());
#endif
  for (const KeyedRow& row : rows) {
    const CpuData data = CpuData::of(row.key.isa);
    const KeyedRow* best = bestRow(rows, row.key, data);
    ASSERT_NE(best, nullptr);
    const tw_mmt4d_params_t params = findParams(fixedKey(row.key), data.words);
    tw_tile_info_t found;
    ASSERT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK) << found.reason;
    EXPECT_EQ(found.name, best->name);
    EXPECT_EQ(found.origin, TW_TILE_ORIGIN_HAND_WRITTEN);
    EXPECT_EQ(found.isa, best->key.isa);
    EXPECT_NE(found.fn, nullptr);
    EXPECT_TRUE(contains(found.reason, tw_isa_name(best->key.isa)));
  }
}

// Each feature switched off by itself: the row goes, and with it whatever else
// needs the feature; a row that does not need it takes over.
TEST(FindTileTest, SelectsByEveryFeatureOfEveryRow) {
  const auto rows = keyedRows();
  int lost = 0, replaced = 0;
  for (const KeyedRow& row : rows)
    for (const CpuFeatureInfo* feature : info(row.key.isa).features) {
      CpuData data = CpuData::all();
      data.remove(*feature);
      const KeyedRow* best = bestRow(rows, row.key, data);
      const tw_mmt4d_params_t params =
          findParams(fixedKey(row.key), data.words);
      tw_tile_info_t found;
      const tw_status_t status = tw_find_tile(&params, &found);
      SCOPED_TRACE(row.name + " without " + std::string(feature->llvmName));
      EXPECT_NE(found.name, row.name);
      if (best) {
        ++replaced;
        EXPECT_EQ(status, TW_STATUS_OK);
        EXPECT_EQ(found.name, best->name);
      } else {
        ++lost;
        EXPECT_EQ(status, TW_STATUS_UNSUPPORTED);
        EXPECT_EQ(found.fn, nullptr);
        EXPECT_EQ(found.origin, TW_TILE_ORIGIN_NONE);
        EXPECT_STREQ(found.name, "");
      }
    }
  if (rows.empty()) GTEST_SKIP() << "no hand-written tiles here";
  EXPECT_GT(lost, 0);
  EXPECT_GT(replaced, 0);
}

TEST(FindTileTest, NullCpuDataStandsForThisCpu) {
  uint64_t detected[TW_CPU_DATA_WORDS];
  tw_cpu_detect(detected);
  for (const KeyedRow& row : keyedRows()) {
    tw_mmt4d_params_t params = findParams(fixedKey(row.key), nullptr);
    tw_tile_info_t here, there;
    const tw_status_t status = tw_find_tile(&params, &here);
    params.cpu_data = detected;
    EXPECT_EQ(tw_find_tile(&params, &there), status);
    EXPECT_EQ(here.fn, there.fn) << row.name;
  }
}

TEST(FindTileTest, AMissingTileIsNamed) {
  const TileKey key =
      parseTileKey("tw_mmt4d_tile_s8s8s32_7x48x4_generic").key.value();
  const CpuData data = CpuData::all();
  const tw_mmt4d_params_t params = findParams(key, data.words);
  tw_tile_info_t found;
  EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_UNSUPPORTED);
  EXPECT_TRUE(contains(found.reason, "tw_mmt4d_tile_s8s8s32_7x48x4"))
      << found.reason;
}

TEST(FindTileTest, AMissingRoundingIsNamed) {
  const TileKey key =
      parseTileKey("tw_mmt4d_tile_f16f16f16_3x5x1_steprnd_generic").key.value();
  const tw_mmt4d_params_t params = findParams(key, nullptr);
  tw_tile_info_t found;
  EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_UNSUPPORTED);
  EXPECT_TRUE(contains(found.reason, "f16f16f16_3x5x1_steprnd"))
      << found.reason;
}

TEST(FindTileTest, ATileThatTheCpuCannotRunSaysWhatItNeeds) {
  for (const KeyedRow& row : keyedRows()) {
    const CpuData none;
    const tw_mmt4d_params_t params = findParams(fixedKey(row.key), none.words);
    tw_tile_info_t found;
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_UNSUPPORTED);
    EXPECT_TRUE(contains(found.reason, "which cpu_data lacks")) << found.reason;
  }
}

// The longest names fit the reason, terminator and all.
TEST(FindTileTest, ReasonsFit) {
  const TileKey key = parseTileKey(
                          "tw_mmt4d_tile_f8e4m3fnuzf8e5m2fnuzf32_1024x1024x64_"
                          "generic")
                          .key.value();
  for (uint32_t fallback : {0u, 0u + TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK}) {
    tw_mmt4d_params_t params = findParams(key, nullptr);
    params.flags |= fallback;
    tw_tile_info_t found;
    tw_find_tile(&params, &found);
    const std::string reason = found.reason;
    EXPECT_LT(reason.size(), sizeof found.reason);
    EXPECT_EQ(reason.back(), '.') << reason;
  }
}

TEST(FindTileTest, TheFallbackIsUsedOnlyWhereAllowedAndNeeded) {
  const CpuData none;
  for (const TypeTripleInfo& types : typeTriples()) {
    TileKey key{types.value, 6, 10, 4, Rounding::kOnce, TW_ISA_GENERIC};
    tw_mmt4d_params_t params = findParams(key, none.words);
    tw_tile_info_t found;
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_UNSUPPORTED);
    params.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK);
    EXPECT_EQ(found.origin, TW_TILE_ORIGIN_GENERIC);
    EXPECT_STREQ(found.name, "generic");
    EXPECT_NE(found.fn, nullptr);
  }
  const CpuData all = CpuData::all();
  for (const KeyedRow& row : keyedRows()) {
    tw_mmt4d_params_t params = findParams(fixedKey(row.key), all.words);
    params.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    tw_tile_info_t found;
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK);
    EXPECT_EQ(found.origin, TW_TILE_ORIGIN_HAND_WRITTEN) << row.name;
  }
}

struct BadParams {
  const char* what;
  void (*spoil)(tw_mmt4d_params_t*);
  const char* reason;  // a part of it
};

TEST(FindTileTest, RefusesWhatNoKeyHas) {
  const BadParams cases[] = {
      {"types 0", [](tw_mmt4d_params_t* p) { p->flags = 0; }, "type_triples"},
      {"types 0xFF", [](tw_mmt4d_params_t* p) { p->flags |= 0xFF; },
       "type_triples"},
      {"flag 0x800", [](tw_mmt4d_params_t* p) { p->flags |= 0x800; }, "flag"},
      {"flag 0x80000000", [](tw_mmt4d_params_t* p) { p->flags |= 0x80000000u; },
       "flag"},
      {"M0 0", [](tw_mmt4d_params_t* p) { p->M0 = 0; }, "M0"},
      {"M0 1025", [](tw_mmt4d_params_t* p) { p->M0 = 1025; }, "1..1024"},
      {"N0 -1", [](tw_mmt4d_params_t* p) { p->N0 = -1; }, "N0"},
      {"N0 1025", [](tw_mmt4d_params_t* p) { p->N0 = 1025; }, "1..1024"},
      {"K0 0", [](tw_mmt4d_params_t* p) { p->K0 = 0; }, "K0"},
      {"K0 65", [](tw_mmt4d_params_t* p) { p->K0 = 65; }, "1..64"},
      {"odd s4 panel",
       [](tw_mmt4d_params_t* p) {
         p->flags = TW_TYPES_S8S4S32;
         p->N0 = 3;
         p->K0 = 1;
       },
       "whole bytes"},
      {"f6 panel of 6 bits",
       [](tw_mmt4d_params_t* p) {
         p->flags = TW_TYPES_F6E2M3FNF6E2M3FNF32;
         p->M0 = 2;
         p->N0 = 4;
         p->K0 = 1;
       },
       "whole bytes"},
  };
  for (const BadParams& bad : cases) {
    tw_mmt4d_params_t params = {};
    params.M0 = params.N0 = 8;
    params.K0 = 1;
    params.flags = TW_TYPES_F32F32F32 | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    tw_tile_info_t found;
    ASSERT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK) << found.reason;
    bad.spoil(&params);
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_INVALID_ARGUMENT)
        << bad.what;
    EXPECT_TRUE(contains(found.reason, bad.reason))
        << bad.what << ": " << found.reason;
    EXPECT_EQ(found.fn, nullptr);
  }
}

TEST(FindTileTest, RefusesNull) {
  tw_mmt4d_params_t params = {};
  tw_tile_info_t found;
  EXPECT_EQ(tw_find_tile(nullptr, &found), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(found.reason, "null"));
  EXPECT_EQ(tw_find_tile(&params, nullptr), TW_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tilewright::testing
