// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that read the lhs where it lies, beside those of the same sizes that
// read a panel: the same products in the same order, so the same bits.

#include "ukernels/in_place.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/ukernels/rows.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

// Small integers of the type, each in its own bytes.
GuardedBuffer drawElements(tw_element_type_t type, int64_t bytes,
                           Random& random) {
  GuardedBuffer buffer(static_cast<size_t>(bytes));
  if (type == TW_ELEMENT_BF16) {
    for (int64_t i = 0; i < bytes / 2; ++i) {
      const float value = static_cast<float>(random.between(-8, 8));
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      buffer.as<uint16_t>()[i] = static_cast<uint16_t>(bits >> 16);
    }
    return buffer;
  }
  for (int64_t i = 0; i < bytes; ++i)
    buffer.as<uint8_t>()[i] = static_cast<uint8_t>(random.next());
  return buffer;
}

void checkTile(const KeyedRow& row, tw_in_place_fn_t fn, int64_t steps,
               int64_t slack, bool accumulate, bool addsSums, Random& random) {
  const TileKey& key = row.key;
  const TypeTripleInfo& types = info(key.types);
  const int64_t stepBytes = key.k0 * info(types.lhs).bits / 8;
  const int64_t stride = steps * stepBytes + slack;
  // The last row ends where its elements do.
  const GuardedBuffer lhs =
      drawElements(types.lhs, stride * key.m0 - slack, random);
  const GuardedBuffer rhs =
      drawElements(types.rhs, steps * key.n0 * stepBytes, random);
  GuardedBuffer panel(static_cast<size_t>(steps * key.m0 * stepBytes));
  for (int64_t k = 0; k < steps; ++k)
    for (int64_t m = 0; m < key.m0; ++m)
      std::memcpy(panel.as<uint8_t>() + (k * key.m0 + m) * stepBytes,
                  lhs.as<uint8_t>() + m * stride + k * stepBytes,
                  static_cast<size_t>(stepBytes));
  GuardedBuffer sums(static_cast<size_t>(key.m0) * 4);
  for (int m = 0; m < key.m0; ++m)
    sums.as<int32_t>()[m] = addsSums ? 1000 * m - 7 : 0;
  GuardedBuffer expected(static_cast<size_t>(key.outTileBytes()));
  GuardedBuffer out(static_cast<size_t>(key.outTileBytes()));
  std::memset(expected.data(), 0, static_cast<size_t>(key.outTileBytes()));
  std::memset(out.data(), 0, static_cast<size_t>(key.outTileBytes()));
  tw_mmt4d_params_t params = {};
  params.K = steps;
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags = key.types | (accumulate ? TW_MMT4D_FLAG_ACCUMULATE : 0u);
  row.fn(expected.data(), panel.data(), rhs.data(), &params);
  if (addsSums)
    for (int i = 0; i < key.m0 * key.n0; ++i)
      expected.as<int32_t>()[i] += sums.as<int32_t>()[i / key.n0];
  fn(out.data(), lhs.data(), stride, rhs.data(), &params,
     addsSums ? sums.as<int32_t>() : nullptr);
  ASSERT_EQ(std::memcmp(out.data(), expected.data(),
                        static_cast<size_t>(key.outTileBytes())),
            0)
      << printTileKey(key) << ", " << steps << " steps, slack " << slack
      << (accumulate ? ", accumulating" : "") << (addsSums ? ", sums" : "");
}

TEST(InPlaceTest, GivesWhatTilesOfPanelsGive) {
  Random random(seedOf("InPlaceTest"));
  tw_cpu_permit_amx(nullptr, 0);  // without it AMX is not detected
  CpuData cpu;
  tw_cpu_detect(cpu.words);
  for (const KeyedRow& row : keyedRows()) {
    if (row.key.rounding == Rounding::kPerStep ||
        !tw_isa_available(row.key.isa, cpu.words))
      continue;
    const tw_in_place_fn_t fn =
        tw_in_place_tile(row.key.isa, row.key.types, row.key.m0, row.key.n0);
    if (!fn) continue;
    const TypeTripleInfo& types = info(row.key.types);
    for (int64_t steps : {1, 2, 3, 7, 64, 65})
      for (int64_t slack : {0, 4, 60, 100})
        for (bool accumulate : {false, true})
          for (bool addsSums : {false, true}) {
            if (addsSums && (types.out != TW_ELEMENT_S32 || row.key.vnni))
              continue;
            checkTile(row, fn, steps, slack, accumulate, addsSums, random);
            if (HasFatalFailure()) return;
          }
  }
}

// Those that matmuls of many columns take, on instruction sets whose multiplies
// broadcast from memory, and by AMX.
TEST(InPlaceTest, IsThereForWideTiles) {
  std::set<std::string> found;
  for (const KeyedRow& row : keyedRows())
    if (row.key.rounding == Rounding::kOnce &&
        tw_in_place_tile(row.key.isa, row.key.types, row.key.m0, row.key.n0))
      found.insert(printTileKey(row.key).substr(14));
#ifdef __x86_64__
  const std::set<std::string> expected = {
      "bf16bf16f32_12x32x2_x86_64_avx512_bf16",
      "bf16bf16f32_16x32x32_vnni_x86_64_amx_bf16",
      "bf16bf16f32_32x32x32_vnni_x86_64_amx_bf16",
      "bf16bf16f32_8x32x2_x86_64_avx512_bf16",
      "s16s16s32_12x32x2_x86_64_avx512_vnni",
      "s16s16s32_8x32x2_x86_64_avx512_vnni",
      "s8s8s32_16x32x64_vnni_x86_64_amx_int8",
      "s8s8s32_32x32x64_vnni_x86_64_amx_int8",
      "s8u8s32_12x32x4_x86_64_avx512_vnni",
      "s8u8s32_16x32x64_vnni_x86_64_amx_int8",
      "s8u8s32_32x32x64_vnni_x86_64_amx_int8",
      "s8u8s32_8x32x4_x86_64_avx512_vnni",
      "u8s8s32_12x32x4_x86_64_avx512_vnni",
      "u8s8s32_16x32x64_vnni_x86_64_amx_int8",
      "u8s8s32_32x32x64_vnni_x86_64_amx_int8",
      "u8s8s32_8x32x4_x86_64_avx512_vnni",
      "u8u8s32_16x32x64_vnni_x86_64_amx_int8",
      "u8u8s32_32x32x64_vnni_x86_64_amx_int8",
  };
#else
  const std::set<std::string> expected;
#endif
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace tilewright::testing
