// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times thin matmuls (ukernels/thin.h) on weights that no cache holds, a loop
// that only reads them beside.

#include <benchmark/benchmark.h>

#include <cstring>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "measure/elements.h"
#include "measure/operands.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/thin.h"

namespace tilewright::bench {
namespace {

struct Case {
  tw_type_triple_t types;
  tw_thin_variant_t variant;
  bool transposed;  // the rhs lies as [N][K]
  int64_t M, N, K;
};

// Of this CPU, as tw_matmul has it.
int asksPages() {
  uint64_t cpuData[TW_CPU_DATA_WORDS];
  tw_cpu_data_of_this_cpu(cpuData);
  return tw_core_asks_pages(cpuData);
}

std::string nameOf(const Case& c) {
  return "thin/" + std::string(info(c.types).name) + "/" +
         tw_isa_name(c.variant.isa) + (c.transposed ? "/nk/" : "/kn/") +
         std::to_string(c.M) + "x" + std::to_string(c.N) + "x" +
         std::to_string(c.K);
}

// Reads `bytes`, a multiple of 2048, as fast as plain loads do: in one run, or
// in eight side by side, for which the prefetchers fetch further ahead.
template <int kRuns>
uint64_t readAll(const uint8_t* from, int64_t bytes) {
  typedef uint64_t Vector __attribute__((vector_size(32), aligned(8)));
  const int64_t run = bytes / kRuns, step = 256 / kRuns;
  Vector sums[8] = {};
  for (int64_t i = 0; i < run; i += step)
    for (int r = 0; r < kRuns; ++r)
      for (int j = 0; j < step / 32; ++j)
        sums[(r + j) % 8] ^=
            *reinterpret_cast<const Vector*>(from + r * run + i + j * 32);
  uint64_t all = 0;
  for (const Vector& sum : sums)
    for (int i = 0; i < 4; ++i) all ^= sum[i];
  return all;
}

int64_t weightBytes(const Case& c) {
  return (c.N * c.K * info(info(c.types).rhs).bits / 8 + 2047) / 2048 * 2048;
}

// What is wrong with the result for these values, or "".
std::string checkResult(const Case& c, const std::vector<int64_t>& lhs,
                        const std::vector<int64_t>& rhs, const uint8_t* out) {
  const tw_element_type_t type = info(c.types).out;
  std::vector<uint64_t> sums(c.N);
  for (int64_t m = 0; m < c.M; ++m) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t k = 0; k < c.K; ++k)
      for (int64_t n = 0; n < c.N; ++n)
        sums[n] += uint64_t(lhs[m * c.K + k]) *
                   uint64_t(rhs[c.transposed ? n * c.K + k : k * c.N + n]);
    for (int64_t n = 0; n < c.N; ++n) {
      double expected = type == TW_ELEMENT_S32 ? double(int32_t(sums[n]))
                                               : double(int64_t(sums[n]));
      double got = decode(type, out, m * c.N + n);
      // Values that small stay exact in f32; a narrow out is rounded.
      double slack = info(type).bits < 32 ? std::abs(expected) / 128 : 0;
      if (!(std::abs(got - expected) <= slack))
        return "wrong result: out[" + std::to_string(m) + "][" +
               std::to_string(n) + "] is " + std::to_string(got) +
               " instead of " + std::to_string(expected);
    }
  }
  return "";
}

// `copies` of the weights lie one after the other; each call reads the next.
void timeCase(benchmark::State& state, const Case& c, int64_t copies) {
  const TypeTripleInfo& types = info(c.types);
  const int64_t bytes = weightBytes(c);
  AlignedBytes weights = allocateAligned(bytes * copies);
  AlignedBytes lhs = allocateAligned(c.M * c.K * info(types.lhs).bits / 8 + 64);
  AlignedBytes out = allocateAligned(c.M * c.N * info(types.out).bits / 8);
  Random random(42);
  std::memset(weights.get(), 0, bytes);
  std::vector<int64_t> lhsValues = randomValues(types.lhs, c.M * c.K, random);
  std::vector<int64_t> rhsValues = randomValues(types.rhs, c.N * c.K, random);
  encode(types.lhs, lhsValues, lhs.get());
  encode(types.rhs, rhsValues, weights.get());
  for (int64_t i = 1; i < copies; ++i)
    std::memcpy(weights.get() + i * bytes, weights.get(), bytes);

  tw_thin_t thin = {};
  thin.types = c.types;
  thin.M = c.M;
  thin.N = c.N;
  thin.K = c.K;
  thin.lhs = lhs.get();
  thin.lhs_stride_m = c.K;
  thin.lhs_stride_k = 1;
  thin.rhs = weights.get();
  thin.rhs_stride = c.transposed ? c.K : c.N;
  thin.rhs_transposed = c.transposed;
  thin.asks_pages = asksPages();
  thin.out = out.get();
  thin.out_stride_m = c.N;
  thin.out_stride_n = 1;
  c.variant.fn(&thin, 0, c.N);
  std::string wrong = checkResult(c, lhsValues, rhsValues, out.get());
  if (!wrong.empty()) return fail(state, wrong);

  int64_t next = 0;
  auto weightsOfNextCall = [&] {
    const uint8_t* at = weights.get() + next * bytes;
    next = (next + 1) % copies;
    return at;
  };
  Sliced work(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i) {
          thin.rhs = weightsOfNextCall();
          c.variant.fn(&thin, 0, c.N);
        }
      },
      300e-6);
  auto reader = [&](uint64_t (*read)(const uint8_t*, int64_t)) {
    return Sliced(
        [&, read](int64_t calls) {
          for (int64_t i = 0; i < calls; ++i)
            benchmark::DoNotOptimize(read(weightsOfNextCall(), bytes));
        },
        300e-6);
  };
  Sliced readings[] = {reader(readAll<1>), reader(readAll<8>)};
  for (auto _ : state) {
    state.SetIterationTime(work.slice());
    for (Sliced& reading : readings) reading.slice();
  }
  const double reading = std::min(readings[0].best(), readings[1].best());
  state.counters["GB/s"] = double(bytes) / work.best() * 1e-9;
  state.counters["read_GB/s"] = double(bytes) / reading * 1e-9;
  state.counters["%read"] = 100 * reading / work.best();
}

int run(int argc, char** argv) {
  std::vector<int64_t> rows = {1, 4}, sizes = {4096};
  int64_t slices = 60, rotated = 2 * lastCacheBytes() / (1 << 20) + 1;
  Json json;
  CommandLine line;
  line.program = "thin_bench";
  line.usage =
      "Times thin matmuls with K = N and weights that lie unpacked, as [K][N] "
      "(kn) or [N][K] (nk),\non each instruction set that this CPU has;\n"
      "between slices two loops that only read the weights, in one run and in "
      "eight\nside by side: read_GB/s is the better one.\nEach call takes the "
      "next of several copies of the weights. GB/s counts the weights once;\n"
      "all figures are from least times.";
  line.options = {
      {"rows", "M,M", "rows of the lhs, up to 4, default 1,4",
       setIntegers(&rows, 1, TW_THIN_MOST_ROWS)},
      {"sizes", "N,N", "K and N, default 4096",
       setIntegers(&sizes, 1, kMostSteps)},
      {"rotate-mib", "N",
       "weights to rotate over, default twice the last-level cache",
       setInteger(&rotated, 1)},
      {"slices", "N", "slices of each, default 60", setInteger(&slices, 1)},
      json.option(),
  };
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  size_t count = 0;
  const tw_thin_variant_t* variants = tw_thin_variants(&count);
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  for (int64_t M : rows)
    for (int64_t size : sizes)
      for (tw_type_triple_t types :
           {TW_TYPES_F32F32F32, TW_TYPES_S8S8S32, TW_TYPES_BF16BF16F32,
            TW_TYPES_F16F16F32, TW_TYPES_S8S4S32, TW_TYPES_F8E4M3FNF8E4M3FNF32})
        for (size_t v = 0; v < count; ++v)
          for (bool transposed : {false, true}) {
            if (!tw_isa_available(variants[v].isa, cpu)) continue;
            const Case c = {types, variants[v], transposed, M, size, size};
            const int64_t bytes = weightBytes(c);
            const int64_t copies = ((rotated << 20) + bytes - 1) / bytes;
            // Values are drawn as 64-bit integers.
            std::string error =
                checkMemory(double(bytes) * copies + 8.0 * size * (size + M));
            if (!error.empty())
              return line.refuse("--sizes=" + std::to_string(size) + " with " +
                                 "--rotate-mib=" + std::to_string(rotated) +
                                 " " + error);
            benchmark::RegisterBenchmark(
                nameOf(c).c_str(),
                [=](benchmark::State& state) { timeCase(state, c, copies); })
                ->UseManualTime()
                ->Unit(benchmark::kMicrosecond)
                ->Iterations(slices);
          }
  return runBenchmarks(line, json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
