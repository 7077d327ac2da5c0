// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A long list of keys of one ISA, dealt out to several tests that run side by
// side: parameters of a GoogleTest suite.

#ifndef TESTS_TILES_SHARDS_H_
#define TESTS_TILES_SHARDS_H_

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tilewright/key.h"

namespace tilewright::testing {

struct Shard {
  tw_isa_t isa;
  int number;  // takes the keys number, number + count, ...
};

inline std::ostream& operator<<(std::ostream& out, const Shard& shard) {
  return out << info(shard.isa).name << " shard " << shard.number;
}

// `count` shards of each ISA that `wanted` takes.
template <typename Wanted>
std::vector<Shard> shardsOf(int count, Wanted wanted) {
  std::vector<Shard> shards;
  for (const IsaInfo& isa : isas())
    for (int i = 0; i < count && wanted(isa); ++i)
      shards.push_back({isa.isa, i});
  return shards;
}

inline std::string shardName(const ::testing::TestParamInfo<Shard>& test) {
  return std::string(info(test.param.isa).name) + "_" +
         std::to_string(test.param.number);
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_SHARDS_H_
