// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs in LLVM IR, run by one wave or one workgroup.

#ifndef TESTS_EMULATOR_WAVE_PROGRAM_H_
#define TESTS_EMULATOR_WAVE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/Emulator/Emulator.h"

struct WaveResult {
  std::vector<uint32_t> out;
  std::optional<tilewright::emulator::FaultKind> fault;
  std::vector<unsigned> lanes;
  std::string error;  // of whatever kind
  tilewright::emulator::LaunchStatistics statistics;
};

// Every lane of a wave of `gfx` runs `body`, where %lane is its number, %x =
// in[lane] and %y is to be defined: out[lane] = %y, as i32. Also there: %in and
// %out, pointers to global memory. `declarations` come in front of the
// function.
WaveResult RunWave(const std::string& gfx, const std::string& declarations,
                   const std::string& body, const std::vector<uint32_t>& in,
                   unsigned seed = 0);

// A kernel, entry(ptr addrspace(1) %in, ptr addrspace(1) %out), by one
// workgroup of `threads`.
WaveResult RunKernel(const std::string& gfx, const std::string& ir,
                     unsigned threads, const std::vector<uint32_t>& in,
                     size_t out_words,
                     const tilewright::emulator::LaunchOptions& options = {});

// {f(0), f(1), ...}.
std::vector<uint32_t> Each(size_t count,
                           const std::function<uint32_t(uint32_t)>& f);

#endif  // TESTS_EMULATOR_WAVE_PROGRAM_H_
