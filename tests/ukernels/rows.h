// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written tiles, for tests of what selects among them.

#ifndef TESTS_UKERNELS_ROWS_H_
#define TESTS_UKERNELS_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tiles/hand_written_rows.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {

// A row and what its name says.
struct KeyedRow {
  std::string name;
  TileKey key;
  tw_mmt4d_tile_fn_t fn;
};

inline std::vector<KeyedRow> keyedRows() {
  std::vector<KeyedRow> rows;
  for (const HandWrittenRow& row : handWrittenRows())
    rows.push_back({row.name, parseTileKey(row.name).key.value(), row.fn});
  return rows;
}

// The vectors of the made-up CPUs below, in bits.
inline constexpr int kSveBits = 256, kSmeBits = 512;

// cpu_data of a CPU that has exactly the features of `isa`, of no known core
// and caches.
struct CpuData {
  uint64_t words[TW_CPU_DATA_WORDS] = {};

  static CpuData of(tw_isa_t isa) {
    CpuData data;
    for (const CpuFeatureInfo* feature : info(isa).features)
      data.words[feature->word] |= uint64_t{1} << feature->bit;
    if (info(isa).scaling != TW_SCALING_NONE) data.setLengths();
    return data;
  }
  static CpuData all() {
    CpuData data;
    for (uint64_t& word : data.words) word = ~uint64_t{0};
    data.setLengths();
    data.words[TW_CPU_WORD_CORE] = data.words[TW_CPU_WORD_CACHES] = 0;
    return data;
  }
  void setLengths(uint64_t sveBits = kSveBits, uint64_t smeBits = kSmeBits) {
    words[TW_CPU_WORD_VECTOR_LENGTHS] = sveBits | smeBits << 16;
  }
  void remove(const CpuFeatureInfo& feature) {
    words[feature.word] &= ~(uint64_t{1} << feature.bit);
  }
};

// The sizes of `key` on those CPUs.
inline TileKey fixedKey(const TileKey& key) {
  return key.atVectorBits(info(key.isa).scaling == TW_SCALING_SME ? kSmeBits
                                                                  : kSveBits);
}

// What tw_find_tile reads, for `key`, which has no scalable size.
inline tw_mmt4d_params_t findParams(const TileKey& key,
                                    const uint64_t* cpuData) {
  tw_mmt4d_params_t params = {};
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags = static_cast<uint32_t>(key.types);
  if (key.rounding == Rounding::kOnce)
    params.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  if (key.vnni) params.flags |= TW_MMT4D_FLAG_RHS_VNNI;
  params.cpu_data = cpuData;
  return params;
}

}  // namespace tilewright::testing

#endif  // TESTS_UKERNELS_ROWS_H_
