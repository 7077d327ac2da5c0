// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile a model gets: what the library would answer, on every CPU.

#include <gtest/gtest.h>

#include "tilewright/Compile/CorePreference.h"
#include "tilewright/Devices/ChooseTile.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

struct Core {
  llvm::StringRef arch, cpu;
};
const Core kCores[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) {#ARCH, llvm_cpu},
#include "tilewright/cores.def"
};

std::vector<TargetCpu> targets() {
  std::vector<TargetCpu> result;
  for (const IsaInfo& isa : isas())
    if (!isa.isGpu()) result.push_back(targetCpuOf(isa));
  for (auto [arch, core] : kCores) {
    llvm::Expected<TargetCpu> target =
        parseTargetCpu((arch.lower() + ":" + core).str());
    // A core of the table that LLVM does not know could never be preferred.
    EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
    if (target) result.push_back(std::move(*target));
  }
  return result;
}

// Where there is no row the planner is asked about every instruction set, which
// takes milliseconds: some targets stand for all.
TEST(ChooseTileTest, IsAValidKeyOfTheTarget) {
  for (const char* name : {"generic", "x86_64_avx2_fma", "x86_64_avx512_bf16",
                           "arm_64_base", "arm_64:neoverse-v1"}) {
    TargetCpu target = llvm::cantFail(parseTargetCpu(name));
    for (const TypeTripleInfo& types : typeTriples())
      for (auto [m, n] : {std::pair(-1, -1), {7, 10}}) {
        TileKey key = chooseTile(types, m, n, target);
        SCOPED_TRACE(target.name + ", " + printTileKey(key));
        EXPECT_EQ(validateTileKey(key), "");
        EXPECT_EQ(key.types, types.value);
        EXPECT_TRUE(target.has(key.isa));
        EXPECT_EQ(key.isa == TW_ISA_GENERIC, target.isas.size() == 1);
        EXPECT_FALSE(key.isScalable());
        if (m > 0) EXPECT_LE(key.m0, std::max(m, 16));
        if (n > 0 && n < 16 &&
            validateTileKey(
                {types.value, key.m0, n, key.k0, Rounding::kOnce, key.isa})
                .empty())
          EXPECT_LE(key.n0, n);
      }
  }
}

// For a matmul of unknown size the library, asked on such a CPU, answers the
// same where it knows no length of vectors.
TEST(ChooseTileTest, AgreesWithTheLibrary) {
  int compared = 0;
  for (TargetCpu& target : targets()) {
    target.cpuData[TW_CPU_WORD_VECTOR_LENGTHS] = 0;
    for (const TypeTripleInfo& types : typeTriples()) {
      tw_tile_sizes_t sizes;
      if (tw_query_tile_sizes(types.value, -1, -1, target.cpuData.data(),
                              &sizes) != TW_STATUS_OK)
        continue;  // no row, or of another architecture than the library
      TileKey key = chooseTile(types, -1, -1, target);
      EXPECT_EQ(key.m0, sizes.M0) << target.name << ", " << types.name;
      EXPECT_EQ(key.n0, sizes.N0) << target.name << ", " << types.name;
      EXPECT_EQ(key.k0, sizes.K0) << target.name << ", " << types.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(ChooseTileTest, TakesHandWrittenTilesOfEveryInstructionSet) {
  for (auto [arch, core] : kCores) {
    TargetCpu target =
        llvm::cantFail(parseTargetCpu((arch.lower() + ":" + core).str()));
    for (tw_type_triple_t types :
         {TW_TYPES_F32F32F32, TW_TYPES_S8S8S32, TW_TYPES_F16F16F32,
          TW_TYPES_BF16BF16F32, TW_TYPES_S16S16S32}) {
      if (types == TW_TYPES_BF16BF16F32 && !target.has(TW_ISA_ARM_64_BF16) &&
          !target.has(TW_ISA_X86_64_AVX512_BASE))
        continue;  // NEON and AVX2 have none: they would widen to f32
      TileKey key = chooseTile(info(types), -1, -1, target);
      EXPECT_NE(findHandWrittenTile(key), nullptr)
          << core.str() << ", " << printTileKey(key);
      if (types == TW_TYPES_S8S8S32 && target.has(TW_ISA_ARM_64_DOTPROD))
        EXPECT_NE(key.isa, TW_ISA_ARM_64_BASE) << core.str();
    }
  }
}

// Vectors of the length of NEON's compute no more than NEON does.
TEST(ChooseTileTest, TakesScalableSizesWhereVectorsAreLonger) {
  struct Case {
    const char* target;
    ScalableTiles scalable;
    bool isScalable;
  };
  for (const Case& c : {
           Case{"arm_64_sve", ScalableTiles::Any, true},
           Case{"arm_64:neoverse-v1", ScalableTiles::Any, true},
           Case{"arm_64:neoverse-v2", ScalableTiles::Any, false},
           Case{"arm_64:apple-m4", ScalableTiles::Any, true},
           Case{"arm_64:apple-m1", ScalableTiles::Any, false},
           Case{"arm_64_sve", ScalableTiles::OfKnownLength, false},
           Case{"arm_64:sve+vl256", ScalableTiles::OfKnownLength, true},
           Case{"arm_64:sve+vl128", ScalableTiles::OfKnownLength, false},
           Case{"arm_64:sme+svl512", ScalableTiles::OfKnownLength, true},
           Case{"x86_64:znver5", ScalableTiles::Any, false},
       }) {
    TargetCpu target = llvm::cantFail(parseTargetCpu(c.target));
    TileKey key = chooseTile(info(TW_TYPES_F32F32F32), -1, -1, target,
                             /*anyM=*/false, {c.scalable});
    EXPECT_EQ(key.isScalable(), c.isScalable)
        << c.target << ": " << printTileKey(key);
    EXPECT_NE(findHandWrittenTile(key), nullptr);
    // Of few rows, one panel.
    TileKey few = chooseTile(info(TW_TYPES_F32F32F32), 3, -1, target,
                             /*anyM=*/true, {c.scalable});
    EXPECT_EQ(few.n0, key.n0);
    EXPECT_EQ(few.n0Scalable, key.n0Scalable);
    if (!few.m0Scalable) EXPECT_EQ(few.m0, 3);
  }
}

TEST(CorePreferenceTest, JudgesEveryCoreThatHasTheInstructionSet) {
  TileKey key = *parseTileKey("tw_mmt4d_tile_s8s8s32_8x8x8_arm_64_i8mm").key;
  EXPECT_EQ(multiplyName(key), "smmla");
  size_t judged = 0;
  for (const CoreVerdict& verdict : judgeOnCores(key)) {
    ++judged;
    EXPECT_EQ(verdict.instead, "sdot") << verdict.core;
    bool apple = verdict.core.find("apple") == 0;
    EXPECT_EQ(verdict.gains(), !apple) << verdict.core << " " << verdict.gain;
  }
  EXPECT_GT(judged, 10u);
  auto coresOf = [](llvm::StringRef arch) {
    return size_t(llvm::count_if(
        kCores, [&](const Core& core) { return core.arch == arch; }));
  };
  // All cores have NEON, or AVX2.
  key.isa = TW_ISA_ARM_64_BASE;
  EXPECT_EQ(judgeOnCores(key).size(), coresOf("ARM_64"));
  key.isa = TW_ISA_X86_64_AVX2_FMA;
  EXPECT_EQ(multiplyName(key), "vpmaddwd ymm");
  EXPECT_EQ(judgeOnCores(key).size(), coresOf("X86_64"));
  // C has no table of instructions.
  key.isa = TW_ISA_GENERIC;
  EXPECT_EQ(multiplyName(key), "");
  EXPECT_TRUE(judgeOnCores(key).empty());
}

TEST(CorePreferenceTest, Vdpbf16psGainsNothingOnGoldenCove) {
  TileKey key =
      *parseTileKey("tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16").key;
  size_t golden = 0, zen = 0;
  for (const CoreVerdict& verdict : judgeOnCores(key)) {
    const bool isZen = verdict.core.find("znver") == 0;
    EXPECT_EQ(verdict.gains(), isZen) << verdict.core << " " << verdict.gain;
    if (!isZen) EXPECT_EQ(verdict.instead, "vfmadd231ps zmm") << verdict.core;
    ++(isZen ? zen : golden);
  }
  EXPECT_EQ(golden, 3u);
  EXPECT_EQ(zen, 2u);
}

}  // namespace
}  // namespace tilewright
