// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random valid keys, the same ones for the same seed on every machine.

#ifndef TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_
#define TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tilewright/key.h"

namespace tilewright::bench {

// `count` distinct valid keys over all type triples and all ISAs, or those of
// an architecture ("arm_64") or of that name. Of M0 and N0 70 % are at most 32,
// 20 % at most 128, 10 % at most 1024, and where the ISA has scalable sizes
// half of them are, of up to 4 vectors; of K0 70 % are 1, 2, 4 or 8, the others
// at most 64. None if no ISA is called so.
std::vector<TileKey> randomKeys(uint64_t seed, size_t count,
                                std::string_view archOrIsa = "");

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_
