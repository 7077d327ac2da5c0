// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs workgroup kernels (tw_mmt4d_kernel_...) under the wave emulator, and
// checks what they compute and touch.

#ifndef TESTS_AMDGPU_EMULATED_KERNEL_H_
#define TESTS_AMDGPU_EMULATED_KERNEL_H_

#include <string>
#include <vector>

#include "tests/tiles/operands.h"
#include "tilewright/Emulator/Emulator.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::testing {

// One launch.
struct KernelCase {
  int64_t M, N, K;
  DataKind data;
  bool accumulate;
  // Elements between rows beyond N * N0; negative: no OUT_ROW_STRIDE.
  int64_t rowPadding;
  unsigned schedule;
  uint64_t seed;
};

std::string describe(const KernelCase& c);

// Cases that between them have every K of {0, 1, 2, 3, `depth`}, both forms of
// out, accumulate on and off, the schedules, and M and N that are no multiples
// of the workgroup's tiles.
std::vector<KernelCase> kernelCasesFor(const TileKey& key,
                                       const tw_mmt4d_launch_t& launch,
                                       int64_t depth, uint64_t seed);

// Launches `kernel` once. Empty if everything is right: the values, and no byte
// touched that the contract does not give it.
std::string checkKernel(emulator::Emulator& emulator, const std::string& kernel,
                        const TileKey& key, const tw_mmt4d_launch_t& launch,
                        const KernelCase& c);

}  // namespace tilewright::testing

#endif  // TESTS_AMDGPU_EMULATED_KERNEL_H_
