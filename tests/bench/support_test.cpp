// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that a number rests on: which peak a key is measured against, that
// a wrong result is noticed, that operands are laid out as the ABI says.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "bench/support/options.h"
#include "bench/support/random_keys.h"
#include "bench/support/tiles.h"
#include "measure/check_tile.h"
#include "measure/elements.h"
#include "measure/loads.h"
#include "measure/operands.h"
#include "measure/peaks.h"
#include "measure/plain_tile.h"
#include "tests/common/guarded_buffer.h"

namespace tilewright::bench {
namespace {

TileKey keyOf(const std::string& name) {
  TileKey key = {};
  std::string error;
  EXPECT_TRUE(parseName(name, &key, &error)) << error;
  return key;
}

// The names of the sequences that `types` may be measured against, on a CPU
// that has everything.
std::string peakNames(const std::string& types, int k0, const std::string& isa,
                      PeakScope scope = PeakScope::kIsa) {
  std::vector<uint64_t> everything(TW_CPU_DATA_WORDS, ~uint64_t{0});
  std::string names;
  for (const Peak* peak : peaksOf(keyOf("tw_mmt4d_tile_" + types + "_8x16x" +
                                        std::to_string(k0) + "_" + isa),
                                  scope, everything.data()))
    names += (names.empty() ? "" : ", ") + std::string(peak->name);
  return names;
}

TEST(Peaks, FollowTypesK0AndIsa) {
#if defined(__x86_64__)
  EXPECT_EQ(peakNames("f32f32f32", 1, "x86_64_avx2_fma"),
            "vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f32f32f32", 1, "x86_64_avx512_vnni"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f16f16f32", 2, "x86_64_avx512_fp16"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  // A product rounded to f16 at each step, and what only looks like it.
  EXPECT_EQ(peakNames("f16f16f16", 1, "steprnd_x86_64_avx512_fp16"),
            "vfmadd231ph zmm, vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f16f16f16", 1, "x86_64_avx512_fp16"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f16f16f16", 2, "steprnd_x86_64_avx512_fp16"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("bf16bf16bf16", 1, "steprnd_x86_64_avx512_fp16"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f64f64f64", 1, "x86_64_avx512_base"),
            "vfmadd231pd zmm, vfmadd231pd ymm, mulpd xmm");
  EXPECT_EQ(peakNames("bf16bf16f32", 2, "x86_64_avx512_bf16"),
            "vdpbf16ps zmm, vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("bf16bf16f32", 1, "x86_64_avx512_bf16"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("bf16bf16f32", 2, "x86_64_avx512_base"),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("f8e5m2f4e2m1fnf32", 2, "x86_64_avx512_bf16"),
            "vdpbf16ps zmm, vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  EXPECT_EQ(peakNames("s8s8s32", 4, "x86_64_avx_vnni"),
            "vpdpbusd ymm, vpdpwssd ymm, vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(peakNames("s8s8s32", 2, "x86_64_avx_vnni"),
            "vpdpwssd ymm, vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(
      peakNames("s8s8s32", 4, "x86_64_avx512_vnni"),
      "vpdpbusd zmm, vpdpwssd zmm, vpmaddwd zmm, vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(peakNames("s8u8s32", 8, "x86_64_avx_vnni_int8"),
            "vpdpbssd ymm, vpdpbusd ymm, vpdpwssd ymm, vpmaddwd ymm, "
            "pmaddwd xmm");
  EXPECT_EQ(peakNames("s8s8s32", 4, "x86_64_avx10_2"),
            "vpdpbssd zmm, vpdpbusd zmm, vpdpwssd zmm, vpmaddwd zmm, "
            "vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(peakNames("s16s16s32", 1, "x86_64_avx2_fma"),
            "vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(peakNames("s16s16s32", 2, "x86_64_avx512_base"),
            "vpmaddwd zmm, vpmaddwd ymm, pmaddwd xmm");
  EXPECT_EQ(peakNames("s32s32s32", 1, "x86_64_avx2_fma"), "vpmulld ymm");
  EXPECT_EQ(peakNames("f32f32f32", 1, "generic"), "mulps xmm");
#endif
  EXPECT_EQ(peakNames("s32s32s32", 1, "generic"), "");
}

TEST(Peaks, OfTheCpuAreThoseThatItHas) {
  if (peaks().empty()) GTEST_SKIP() << "peaks exist for x86-64 only";
  EXPECT_EQ(peakNames("f32f32f32", 1, "generic", PeakScope::kCpu),
            "vfmadd231ps zmm, vfmadd231ps ymm, mulps xmm");
  const std::vector<uint64_t> nothing(TW_CPU_DATA_WORDS, 0);
  const TileKey key = keyOf("tw_mmt4d_tile_f32f32f32_8x8x1_generic");
  EXPECT_EQ(peaksOf(key, PeakScope::kCpu, nothing.data()).size(), 1u);
}

TEST(Peaks, EveryTypeHasOne) {
  if (peaks().empty()) GTEST_SKIP() << "peaks exist for x86-64 only";
  for (const IsaInfo& isa : isas()) {
    if (isa.arch != "X86_64" && isa.arch != "GENERIC") continue;
    for (const TypeTripleInfo& types : typeTriples())
      for (int k0 : {1, 2, 4}) {
        if (types.name == "s32s32s32" && isa.name == "generic") continue;
        EXPECT_NE(peakNames(std::string(types.name), k0, std::string(isa.name)),
                  "")
            << types.name << " " << isa.name;
      }
  }
}

TEST(Peaks, CountAMultiplicationAndAnAdditionPerProduct) {
  if (peaks().empty()) GTEST_SKIP() << "peaks exist for x86-64 only";
  std::map<std::string, int64_t> ofAStep;
  for (const Peak& peak : peaks())
    ofAStep[peak.name] = peak.operationsPerIteration / 48;
  EXPECT_EQ(ofAStep.size(), peaks().size());
  EXPECT_EQ(ofAStep["vfmadd231ps zmm"], 32);
  EXPECT_EQ(ofAStep["vfmadd231ph zmm"], 64);
  EXPECT_EQ(ofAStep["vfmadd231pd ymm"], 8);
  EXPECT_EQ(ofAStep["mulps xmm"], 8);
  EXPECT_EQ(ofAStep["vdpbf16ps zmm"], 64);
  EXPECT_EQ(ofAStep["vpdpbusd zmm"], 128);
  EXPECT_EQ(ofAStep["vpdpbssd zmm"], 128);
  EXPECT_EQ(ofAStep["vpdpwssd ymm"], 32);
  EXPECT_EQ(ofAStep["pmaddwd xmm"], 16);
  EXPECT_EQ(ofAStep["vpmulld ymm"], 16);
}

TEST(Loads, OfAStepAreEachElementOnce) {
  const auto loads = [](const std::string& name) {
    const StepLoads step = stepLoadsOf(keyOf("tw_mmt4d_tile_" + name));
    return std::make_pair(step.vectors, step.broadcasts);
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(loads("f32f32f32_2x16x1_x86_64_avx512_base"), Pair(1, 2));
  EXPECT_EQ(loads("f32f32f32_2x16x1_x86_64_avx2_fma"), Pair(2, 2));
  EXPECT_EQ(loads("f64f64f64_4x8x1_x86_64_avx512_base"), Pair(1, 4));
  // Pairs of the lhs are one broadcast; a vector of narrower elements is less.
  EXPECT_EQ(loads("s16s16s32_4x8x2_x86_64_avx2_fma"), Pair(1, 4));
  EXPECT_EQ(loads("f16f16f32_1x16x1_x86_64_avx512_base"), Pair(1, 1));
  EXPECT_EQ(loads("s8s8s32_1x32x8_x86_64_avx512_vnni"), Pair(4, 2));
}

TEST(Loads, AreTimedInVectorsOfTheInstructionSet) {
  const TileKey key = keyOf("tw_mmt4d_tile_f32f32f32_1x4x1_generic");
  LoadTimer timer(key, 20e-6);
#if defined(__x86_64__)
  timer.slice();
  ASSERT_TRUE(timer.secondsPerStep().has_value());
  EXPECT_GT(*timer.secondsPerStep(), 0);
  EXPECT_LT(*timer.secondsPerStep(), 1e-6);
#else
  EXPECT_FALSE(timer.secondsPerStep().has_value());
#endif
}

std::map<int, int64_t> spun;

// A peak whose iteration takes as long as `Microseconds` say.
template <int Microseconds>
void spin(int64_t iterations, const void*) {
  spun[Microseconds] += iterations;
  const double end = now() + Microseconds * 1e-6 * double(iterations);
  while (now() < end) {
  }
}

TEST(Peaks, TheFastestIsMeasuredAndNotTheFirst) {
  // The second does half the work in a quarter of the time.
  const Peak slow = {"slow", TW_ISA_GENERIC, 64, spin<80>};
  const Peak fast = {"fast", TW_ISA_X86_64_AVX2_FMA, 32, spin<20>};
  PeakTimer timer({&slow, &fast}, 200e-6);
  for (int i = 0; i < 5; ++i) timer.slice();
  EXPECT_EQ(timer.fastest()->peak, &fast);
  EXPECT_NEAR(timer.fastest()->operationsPerSecond, 32 / 20e-6, 32 / 40e-6);
  EXPECT_EQ(timer.fastest(&info(TW_ISA_GENERIC))->peak, &slow);
  EXPECT_FALSE(PeakTimer({}, 200e-6).fastest());
}

TEST(Peaks, WhatIsFarFromTheFastestIsTimedNoLonger) {
  const Peak slow = {"slow", TW_ISA_GENERIC, 64, spin<120>};
  const Peak fast = {"fast", TW_ISA_X86_64_AVX2_FMA, 64, spin<30>};
  const IsaInfo& generic = info(TW_ISA_GENERIC);
  for (const IsaInfo* isa : {static_cast<const IsaInfo*>(nullptr), &generic}) {
    PeakTimer timer({&slow, &fast}, 200e-6, isa);
    spun.clear();
    timer.slice();
    EXPECT_GT(spun[30], 0);
    // Unless it is the fastest of an instruction set that is asked for.
    EXPECT_EQ(spun[120] > 0, isa == &generic);
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

TileKey plainKey = {};

// What tw_plain_tile makes of `plainKey`, as a tile function.
void plainTile(void* out, const void* lhs, const void* rhs,
               const tw_mmt4d_params_t* params) {
  tw_mmt4d_params_t here = *params;
  if (plainKey.rounding == Rounding::kOnce)
    here.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  // Exactly as much scratch as it says it needs, at an inaccessible page.
  testing::GuardedBuffer scratch(size_t(tw_plain_scratch_bytes(
      plainKey.types, params->K, plainKey.m0, plainKey.n0, plainKey.k0)));
  tw_plain_tile(out, lhs, rhs, &here, scratch.data());
}

TEST(PlainTile, IsRightForEveryTypeTriple) {
  for (const TypeTripleInfo& types : typeTriples())
    for (Rounding rounding : {Rounding::kOnce, Rounding::kPerStep}) {
      plainKey = {types.value, 4, 8, 3, rounding, TW_ISA_GENERIC};
      if (!validateTileKey(plainKey).empty()) continue;
      EXPECT_EQ(checkTile(plainKey, plainTile), "") << printTileKey(plainKey);
      EXPECT_EQ(checkReals(plainKey, plainTile), "") << printTileKey(plainKey);
    }
}

// f32f32f32_2x3x1 with products rounded to bf16, which is too coarse for f32
// and shows in no small integer; or that answers NaN.
template <bool nan>
void coarseTile(void* out, const void* lhs, const void* rhs,
                const tw_mmt4d_params_t* params) {
  auto* a = static_cast<const float*>(lhs);
  auto* b = static_cast<const float*>(rhs);
  auto* c = static_cast<float*>(out);
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 3; ++n) {
      float sum = params->flags & TW_MMT4D_FLAG_ACCUMULATE ? c[m * 3 + n] : 0;
      for (int64_t k = 0; k < params->K; ++k) {
        float product = a[k * 2 + m] * b[k * 3 + n];
        uint32_t bits;
        std::memcpy(&bits, &product, 4);
        bits &= 0xFFFF0000u;
        std::memcpy(&product, &bits, 4);
        sum += product;
      }
      c[m * 3 + n] = nan ? std::nanf("") : sum;
    }
}

TEST(CheckReals, NoticesWhatIntegersDoNotShow) {
  const TileKey key = keyOf("tw_mmt4d_tile_f32f32f32_2x3x1_generic");
  EXPECT_EQ(checkTile(key, coarseTile<false>), "");
  EXPECT_NE(checkReals(key, coarseTile<false>).find("out[0][0]"),
            std::string::npos);
  EXPECT_NE(checkReals(key, coarseTile<true>).find("nan"), std::string::npos);
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
