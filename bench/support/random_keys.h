// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random valid keys, the same ones for the same seed on every machine.

#ifndef TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_
#define TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_

#include <cstdint>
#include <vector>

#include "tilewright/key.h"

namespace tilewright::bench {

// `count` distinct valid keys over all type triples and ISAs. Of M0 and N0 70 %
// are at most 32, 20 % at most 128, 10 % at most 1024; of K0 70 % are 1, 2, 4
// or 8, the others at most 64.
std::vector<TileKey> randomKeys(uint64_t seed, size_t count);

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_RANDOM_KEYS_H_
