// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times whole matmuls on packed operands, and OpenBLAS beside them where this
// was built with it.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "bench/support/blas.h"
#include "bench/support/options.h"
#include "bench/support/report.h"
#include "measure/elements.h"
#include "measure/operands.h"
#include "measure/peaks.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

struct Settings {
  std::vector<int64_t> sizes = {256, 1024, 2048};
  std::vector<std::string> types;
  int64_t repetitions = 5;
  bool packing = false;
  Json json;
};

// A matmul of size x size x size, packed for the tiles that the library picks.
class Problem {
 public:
  // On failure error() says why.
  Problem(const TypeTripleInfo& types, int64_t size);

  const std::string& error() const { return error_; }
  // The key of the tile that runs.
  const TileKey& key() const { return key_; }
  const tw_tile_info_t& tile() const { return tile_; }
  tw_status_t multiply() { return tw_mmt4d(&params_, nullptr); }
  // Packs both operands, multiplies, unpacks.
  tw_status_t packMultiplyUnpack();
  // Compares some elements of the packed result exactly; "" if they are right.
  std::string check();

 private:
  tw_status_t packOperands();

  std::string error_;
  const TypeTripleInfo& types_;
  int64_t size_;
  TileKey key_ = {};
  tw_tile_info_t tile_ = {};
  tw_mmt4d_params_t params_ = {};
  tw_pack_params_t packLhs_ = {}, packRhs_ = {}, packOut_ = {};
  tw_index_t lhsBytes_ = 0, rhsBytes_ = 0, outBytes_ = 0;
  std::vector<int64_t> lhsValues_, rhsValues_;  // [M][K], [K][N]
  AlignedBytes lhsMatrix_, rhsMatrix_, outMatrix_, lhs_, rhs_, out_;
};

tw_pack_params_t packParams(tw_element_type_t type, int64_t size, int tileRows,
                            int tileCols, bool transpose) {
  tw_pack_params_t params = {};
  params.type = type;
  params.flags = transpose ? TW_PACK_FLAG_TRANSPOSE : 0;
  params.rows = params.cols = params.matrix_stride = size;
  params.tile_rows = tileRows;
  params.tile_cols = tileCols;
  return params;
}

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

Problem::Problem(const TypeTripleInfo& types, int64_t size)
    : types_(types), size_(size) {
  tw_tile_sizes_t sizes;
  tw_status_t status =
      tw_query_tile_sizes(types.value, size, size, nullptr, &sizes);
  if (status != TW_STATUS_OK) {
    error_ = std::string(types.name) + ": " + tw_status_message(status);
    return;
  }
  params_.M = ceilDiv(size, sizes.M0);
  params_.N = ceilDiv(size, sizes.N0);
  params_.K = ceilDiv(size, sizes.K0);
  params_.M0 = sizes.M0;
  params_.N0 = sizes.N0;
  params_.K0 = sizes.K0;
  params_.flags = types.value | TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  params_.lhs_stride0 = params_.K * sizes.M0 * sizes.K0;
  params_.rhs_stride0 = params_.K * sizes.N0 * sizes.K0;
  params_.out_stride0 = params_.N * sizes.M0 * sizes.N0;
  status = tw_find_tile(&params_, &tile_);
  if (status != TW_STATUS_OK) {
    error_ = tile_.reason;
    return;
  }
  key_ = {types.value, sizes.M0,        sizes.N0,
          sizes.K0,    Rounding::kOnce, tile_.isa};
  packLhs_ = packParams(types.lhs, size, sizes.M0, sizes.K0, false);
  packRhs_ = packParams(types.rhs, size, sizes.N0, sizes.K0, true);
  packOut_ = packParams(types.out, size, sizes.M0, sizes.N0, false);
  tw_packed_size(&packLhs_, &lhsBytes_);
  tw_packed_size(&packRhs_, &rhsBytes_);
  tw_packed_size(&packOut_, &outBytes_);
  Random random(size);
  lhsMatrix_ = allocateAligned(size * size * info(types.lhs).bits / 8);
  rhsMatrix_ = allocateAligned(size * size * info(types.rhs).bits / 8);
  outMatrix_ = allocateAligned(size * size * info(types.out).bits / 8);
  lhsValues_ = randomValues(types.lhs, size * size, random);
  rhsValues_ = randomValues(types.rhs, size * size, random);
  encode(types.lhs, lhsValues_, lhsMatrix_.get());
  encode(types.rhs, rhsValues_, rhsMatrix_.get());
  lhs_ = allocateAligned(lhsBytes_);
  rhs_ = allocateAligned(rhsBytes_);
  out_ = allocateAligned(outBytes_);
  std::memset(out_.get(), 0, outBytes_);
  params_.lhs_buffer = lhs_.get();
  params_.rhs_buffer = rhs_.get();
  params_.out_buffer = out_.get();
  status = packOperands();
  if (status != TW_STATUS_OK) error_ = tw_status_message(status);
}

tw_status_t Problem::packOperands() {
  tw_status_t status =
      tw_pack(&packLhs_, lhsMatrix_.get(), lhs_.get(), lhsBytes_, nullptr);
  if (status != TW_STATUS_OK) return status;
  return tw_pack(&packRhs_, rhsMatrix_.get(), rhs_.get(), rhsBytes_, nullptr);
}

tw_status_t Problem::packMultiplyUnpack() {
  tw_status_t status = packOperands();
  if (status == TW_STATUS_OK) status = multiply();
  if (status != TW_STATUS_OK) return status;
  return tw_unpack(&packOut_, out_.get(), outBytes_, outMatrix_.get(), nullptr);
}

std::string Problem::check() {
  tw_status_t status = packMultiplyUnpack();
  if (status != TW_STATUS_OK) return tw_status_message(status);
  Random random(1);
  for (int sample = 0; sample < 100; ++sample) {
    int64_t m = int64_t(random() % size_), n = int64_t(random() % size_);
    uint64_t sum = 0;
    for (int64_t k = 0; k < size_; ++k)
      sum += uint64_t(lhsValues_[m * size_ + k]) *
             uint64_t(rhsValues_[k * size_ + n]);
    double expected = types_.out == TW_ELEMENT_S32 ? double(int32_t(sum))
                                                   : double(int64_t(sum));
    double got = decode(types_.out, outMatrix_.get(), m * size_ + n);
    // Sums of small integers are exact in f32; a 16-bit output rounds them.
    double slack = info(types_.out).bits == 16 ? std::abs(expected) / 128 : 0;
    if (!(std::abs(got - expected) <= slack))
      return "wrong result: out[" + std::to_string(m) + "][" +
             std::to_string(n) + "] is " + std::to_string(got) +
             " instead of " + std::to_string(expected);
  }
  return "";
}

double operations(int64_t size) { return 2.0 * size * size * size; }

void timeProblem(benchmark::State& state, const TypeTripleInfo& types,
                 int64_t size, bool packing) {
  Problem problem(types, size);
  if (!problem.error().empty()) {
    state.SkipWithError(("not run: " + problem.error()).c_str());
    return;
  }
  std::string wrong = problem.check();
  if (!wrong.empty()) return fail(state, wrong);
  PeakTimer peaks(peaksOf(problem.key(), PeakScope::kIsa), 500e-6);
  Sliced work(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i)
          if (packing)
            problem.packMultiplyUnpack();
          else
            problem.multiply();
      },
      2e-3);
  for (auto _ : state) {
    for (int i = 0; i < 4; ++i) peaks.slice();
    state.SetIterationTime(work.slice());
  }
  double rate = operations(size) / work.best();
  state.counters["Gop/s"] = rate * 1e-9;
  if (std::optional<PeakTimer::Rate> peak = peaks.fastest()) {
    state.counters["%peak"] = 100 * rate / peak->operationsPerSecond;
    state.counters["peak_Gop/s"] = peak->operationsPerSecond * 1e-9;
  }
  state.SetLabel(problem.tile().name);
}

void timeBlas(benchmark::State& state, int64_t size) {
  AlignedBytes a = allocateAligned(size * size * 4);
  AlignedBytes b = allocateAligned(size * size * 4);
  AlignedBytes c = allocateAligned(size * size * 4);
  Random random(size);
  for (AlignedBytes* matrix : {&a, &b})
    encode(TW_ELEMENT_F32, randomValues(TW_ELEMENT_F32, size * size, random),
           matrix->get());
  Sliced work(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i)
          blasMultiply(size, a.get(), b.get(), c.get());
      },
      2e-3);
  for (auto _ : state) state.SetIterationTime(work.slice());
  state.counters["Gop/s"] = operations(size) / work.best() * 1e-9;
  state.SetLabel("row-major in and out, one thread");
}

template <typename Function>
void add(const std::string& name, int64_t repetitions, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(repetitions);
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "mmt4d_bench";
  line.usage =
      "Times tw_mmt4d on square matmuls, packed operands, one thread, with the "
      "tiles that\ntw_query_tile_sizes gives here (last column), the issue "
      "peak alternating.";
  line.options = {
      {"sizes", "N,N", "sizes, default 256,1024,2048",
       setIntegers(&settings.sizes, 1, kMostSteps)},
      {"types", "TYPES,TYPES",
       "type triples, default f32f32f32,f16f16f32,bf16bf16f32,s8s8s32",
       setNames(&settings.types)},
      {"packing", "",
       "also time packing both operands, multiplying and unpacking",
       setSwitch(&settings.packing)},
      {"repetitions", "N", "default 5", setInteger(&settings.repetitions, 1)},
      settings.json.option(),
  };
  return line;
}

int run(int argc, char** argv) {
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  if (settings.types.empty())
    settings.types = {"f32f32f32", "f16f16f32", "bf16bf16f32", "s8s8s32"};
  // Three matrices, packed too, and the values of two, of eight bytes each.
  for (int64_t size : settings.sizes) {
    std::string error = checkMemory((2 * 3 + 2) * 8.0 * size * size);
    if (!error.empty())
      return line.refuse("--sizes=" + std::to_string(size) + " " + error);
  }
  for (const std::string& name : settings.types) {
    const TypeTripleInfo* types = findTypeTriple(name);
    if (!types) {
      std::string known;
      for (const TypeTripleInfo& each : typeTriples())
        known += ' ' + std::string(each.name);
      std::fprintf(stderr,
                   "mmt4d_bench: unknown types '%s'; type triples are:%s\n",
                   name.c_str(), known.c_str());
      return 2;
    }
    for (int64_t size : settings.sizes) {
      std::string label = name + '/' + std::to_string(size);
      add("mmt4d/" + label, settings.repetitions, [=](benchmark::State& state) {
        timeProblem(state, *types, size, false);
      });
      if (settings.packing)
        add("pack+mmt4d+unpack/" + label, settings.repetitions,
            [=](benchmark::State& state) {
              timeProblem(state, *types, size, true);
            });
      if (types->value == TW_TYPES_F32F32F32 && blasName())
        add(std::string(blasName()) + '/' + label, settings.repetitions,
            [=](benchmark::State& state) { timeBlas(state, size); });
    }
  }
  if (!blasName())
    std::fprintf(stderr,
                 "mmt4d_bench: built without OpenBLAS (libopenblas-dev); it is "
                 "not timed beside\n");
  return runBenchmarks(line, settings.json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
