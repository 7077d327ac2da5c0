// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of compiled_conv.py's model, on one thread, in slices that
// alternate with those of what bounds it. MODEL is the function, IN_BYTES and
// OUT_BYTES are those of its tensors, TYPES is its type triple, OPERATIONS its
// multiplications and additions. Prints the bound in ms, the time in ms and the
// one divided by the other: the issue peak of the types with OPERATIONS, a
// memcpy of half of all bytes, which reads and writes as many, without.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "measure/peaks.h"
#include "model.h"

namespace {

using tilewright::bench::Sliced;

constexpr int kRounds = 200;
constexpr double kSliceSeconds = 2e-3;

// Small integers are exact in every type of one byte; 0x3f80 and its like are
// numbers near 1 of f32 and bf16.
char* filled(size_t bytes, size_t element) {
  auto* memory = static_cast<char*>(aligned_alloc(64, (bytes + 127) / 64 * 64));
  for (size_t i = 0; i < bytes; ++i)
    memory[i] = element == 1                 ? static_cast<char>(i % 7)
                : i % element == element - 1 ? 0x3f
                                             : static_cast<char>(i % 128);
  return memory;
}

}  // namespace

int main() {
  char* in = filled(IN_BYTES, ELEMENT_BYTES);
  char* out = filled(OUT_BYTES, 4);
  const int64_t workspace_bytes = WORKSPACE_BYTES();
  char* workspace = filled(static_cast<size_t>(workspace_bytes), 1);
  Sliced model(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i)
          if (WITH_WORKSPACE(reinterpret_cast<IN_ELEMENT*>(in),
                             reinterpret_cast<OUT_ELEMENT*>(out), workspace,
                             workspace_bytes)) {
            std::fprintf(stderr, "the model failed\n");
            std::exit(1);
          }
      },
      kSliceSeconds);

  constexpr size_t bytes = (IN_BYTES + OUT_BYTES) / 2;
  char *from = filled(bytes, 1), *to = filled(bytes, 1);
  tilewright::TileKey key;
  key.types = TYPES;
  std::vector<Sliced> bounds;
  double operations = OPERATIONS;
  std::vector<double> calls;  // of each bound, in as much time as the model
  if (operations > 0) {
    for (const tilewright::bench::Peak* peak :
         tilewright::bench::peaksOf(key, tilewright::bench::PeakScope::kCpu)) {
      bounds.push_back(slicedPeak(*peak, kSliceSeconds));
      calls.push_back(operations / double(peak->operationsPerIteration));
    }
  } else {
    bounds.emplace_back(
        [&](int64_t n) {
          for (int64_t i = 0; i < n; ++i) {
            std::memcpy(to, from, bytes);
            asm volatile("" : : "r"(to) : "memory");
          }
        },
        kSliceSeconds);
    calls.push_back(1);
  }
  for (int round = 0; round < kRounds; ++round) {
    model.slice();
    for (Sliced& bound : bounds) bound.slice();
  }
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < bounds.size(); ++i)
    least = std::min(least, bounds[i].best() * calls[i]);
  std::printf("%.4f %.4f %.3f\n", 1e3 * least, 1e3 * model.best(),
              least / model.best());
  return 0;
}
