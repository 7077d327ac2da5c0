// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tile functions for AMD GPUs under the wave emulator, and checks what
// they compute and touch.

#ifndef TESTS_AMDGPU_EMULATED_TILE_H_
#define TESTS_AMDGPU_EMULATED_TILE_H_

#include <string>
#include <vector>

#include "tests/tiles/operands.h"
#include "tilewright/Emulator/Emulator.h"
#include "tilewright/key.h"

namespace tilewright::testing {

// One call.
struct WaveCase {
  int64_t K;
  DataKind data;
  bool accumulate;
  // Elements between rows beyond N0; negative: no OUT_ROW_STRIDE.
  int64_t rowPadding;
  // Bytes by which the buffers are off a multiple of 64, in elements.
  int misalignment;
  unsigned schedule;
  uint64_t seed;
};

// Cases that between them have every K of {0, 1, 2, 3 or 7, 64 or what is left
// of the budget}, kind of data, flag, misalignment and schedule; K of 0 with
// ACCUMULATE and without.
// `budget`: multiply-adds for all of them.
std::vector<WaveCase> waveCasesFor(const TileKey& key, uint64_t seed,
                                   int64_t budget);

// Calls `function`, the tile of `key`, once. Empty if everything is right: the
// values, and no byte touched that the contract does not give it.
std::string checkWaveTile(emulator::Emulator& emulator,
                          const std::string& function, const TileKey& key,
                          const WaveCase& c);

std::string describe(const WaveCase& c);

}  // namespace tilewright::testing

#endif  // TESTS_AMDGPU_EMULATED_TILE_H_
