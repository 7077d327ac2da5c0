// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that a number rests on: which peak a key is measured against, that
// a wrong result is noticed, that operands are laid out as the ABI says.

#include <gtest/gtest.h>

#include <cstring>

#include "bench/peaks/peaks.h"
#include "bench/support/elements.h"
#include "bench/support/operands.h"
#include "bench/support/options.h"
#include "bench/support/random_keys.h"
#include "bench/support/tiles.h"

namespace tilewright::bench {
namespace {

TileKey keyOf(const std::string& name) {
  TileKey key = {};
  std::string error;
  EXPECT_TRUE(parseName(name, &key, &error)) << error;
  return key;
}

std::string peakName(const std::string& types, int k0, const std::string& isa) {
  const Peak* peak = peakOf(keyOf("tw_mmt4d_tile_" + types + "_8x16x" +
                                  std::to_string(k0) + "_" + isa));
  return peak ? peak->name : "none";
}

TEST(Peaks, FollowTypesAndIsa) {
#if defined(__x86_64__)
  EXPECT_EQ(peakName("f32f32f32", 1, "x86_64_avx2_fma"), "fma_f32_256");
  EXPECT_EQ(peakName("f32f32f32", 1, "x86_64_avx512_vnni"), "fma_f32_512");
  EXPECT_EQ(peakName("f16f16f32", 1, "x86_64_avx512_base"), "fma_f32_512");
  EXPECT_EQ(peakName("f64f64f64", 1, "x86_64_avx512_base"), "fma_f64_512");
  EXPECT_EQ(peakName("bf16bf16f32", 2, "x86_64_avx512_bf16"), "vdpbf16ps_512");
  EXPECT_EQ(peakName("bf16bf16f32", 2, "x86_64_avx512_base"), "fma_f32_512");
  EXPECT_EQ(peakName("s8s8s32", 4, "x86_64_avx512_vnni"), "vpdpbusd_512");
  EXPECT_EQ(peakName("s8s8s32", 2, "x86_64_avx512_vnni"), "vpdpwssd_512");
  EXPECT_EQ(peakName("s16s16s32", 2, "x86_64_avx512_base"), "vpmaddwd_512");
  EXPECT_EQ(peakName("s8s8s32", 4, "x86_64_avx_vnni"), "vpdpbusd_256");
  EXPECT_EQ(peakName("s32s32s32", 1, "x86_64_avx2_fma"), "vpmulld_256");
  EXPECT_EQ(peakName("f32f32f32", 1, "generic"), "muladd_f32_128");
#endif
  EXPECT_EQ(peakName("s32s32s32", 1, "generic"), "none");
}

TEST(Peaks, EveryRowOfKeyPeaksNamesAPeak) {
  if (peaks().empty()) GTEST_SKIP() << "peaks exist for x86-64 only";
  for (const IsaInfo& isa : isas()) {
    if (isa.arch != "X86_64" && isa.arch != "GENERIC") continue;
    for (const TypeTripleInfo& types : typeTriples())
      for (int k0 : {1, 2, 4}) {
        TileKey key = {types.value, 8, 16, k0, Rounding::kOnce, isa.isa};
        if (types.name == "s32s32s32" && isa.name == "generic") continue;
        EXPECT_NE(peakOf(key), nullptr) << types.name << " " << isa.name;
      }
  }
}

// Computes s8s8s32_2x3x1 except that it forgets what `flaw` names.
enum class Flaw { kNone, kLastStep, kAccumulate, kOneElement };
template <Flaw flaw>
void tile(void* out, const void* lhs, const void* rhs,
          const tw_mmt4d_params_t* params) {
  auto* a = static_cast<const int8_t*>(lhs);
  auto* b = static_cast<const int8_t*>(rhs);
  auto* c = static_cast<int32_t*>(out);
  bool accumulate =
      params->flags & TW_MMT4D_FLAG_ACCUMULATE && flaw != Flaw::kAccumulate;
  int64_t steps = params->K - (flaw == Flaw::kLastStep ? 1 : 0);
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 3; ++n) {
      int32_t sum = accumulate ? c[m * 3 + n] : 0;
      for (int64_t k = 0; k < steps; ++k) sum += a[k * 2 + m] * b[k * 3 + n];
      if (flaw == Flaw::kOneElement && m == 1 && n == 2) ++sum;
      c[m * 3 + n] = sum;
    }
}

TEST(CheckTile, NoticesAWrongResult) {
  TileKey key = keyOf("tw_mmt4d_tile_s8s8s32_2x3x1_generic");
  EXPECT_EQ(checkTile(key, tile<Flaw::kNone>), "");
  EXPECT_NE(checkTile(key, tile<Flaw::kLastStep>), "");
  EXPECT_NE(checkTile(key, tile<Flaw::kAccumulate>), "");
  std::string error = checkTile(key, tile<Flaw::kOneElement>);
  EXPECT_NE(error.find("out[1][2]"), std::string::npos) << error;
}

TEST(Elements, SubByteTypesAreDense) {
  uint8_t bytes[3];
  encode(TW_ELEMENT_S4, {1, -1, 7, -8}, bytes);
  EXPECT_EQ(bytes[0], 0xF1);
  EXPECT_EQ(bytes[1], 0x87);
  // f6e3m2fn, bias 3: 1 is 0b001100, 2 is 0b010000, -1 is 0b101100.
  encode(TW_ELEMENT_F6E3M2FN, {1, 2, 0, -1}, bytes);
  EXPECT_EQ(bytes[0] | bytes[1] << 8 | bytes[2] << 16,
            0b001100 | 0b010000 << 6 | 0b101100 << 18);
}

TEST(Elements, FloatsRoundTrip) {
  for (tw_element_type_t type :
       {TW_ELEMENT_F64, TW_ELEMENT_F32, TW_ELEMENT_F16, TW_ELEMENT_BF16}) {
    uint8_t bytes[5 * 8];
    encode(type, {-2, -1, 0, 1, 2}, bytes);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(decode(type, bytes, i), i - 2);
  }
}

TEST(Operands, HotFitsL1AndColdExceedsTheLastCache) {
  TileKey key = keyOf("tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base");
  int64_t k = defaultK(key);
  int64_t bytes =
      k * (key.lhsStepBytes() + key.rhsStepBytes()) + key.outTileBytes();
  EXPECT_LE(bytes, firstCacheBytes());
  EXPECT_EQ(Operands(key, k, false, false).sets(), 1);
  EXPECT_GE(Operands(key, k, true, false).sets() * bytes, lastCacheBytes());
}

TEST(RandomKeys, AreValidDistinctAndAPrefixOfLongerLists) {
  std::vector<TileKey> few = randomKeys(3, 50), many = randomKeys(3, 300);
  for (size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(validateTileKey(many[i]), "");
    if (i < few.size()) EXPECT_EQ(few[i], many[i]);
    for (size_t j = 0; j < i; ++j) EXPECT_NE(many[i], many[j]);
  }
  EXPECT_NE(randomKeys(4, 1)[0], few[0]);
}

}  // namespace
}  // namespace tilewright::bench
