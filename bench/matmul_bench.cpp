// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times tw_matmul, with an rhs as it lies and with a prepacked one, beside what
// it replaces: packing, tw_mmt4d and unpacking by hand, and tw_mmt4d on
// operands that are packed already. They take turns in one process, on one
// thread.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "measure/elements.h"
#include "measure/operands.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

struct Settings {
  std::vector<int64_t> sizes = {37, 100, 255, 256, 513, 1000, 1024, 2048};
  std::vector<std::string> types;
  int64_t repetitions = 30;
  Json json;
};

// The same size x size x size by every way. Statuses add up in `status`.
class Problem {
 public:
  Problem(const TypeTripleInfo& types, int64_t size);

  void matmul() { note(tw_matmul(&plain_, nullptr)); }
  void matmulPrepacked() { note(tw_matmul(&prepacked_, nullptr)); }
  void mmt4d() { note(tw_mmt4d(&mmt4d_, nullptr)); }
  void byHand();
  // Runs every way and compares their results; "" if all is well.
  std::string check();

 private:
  void note(tw_status_t status) {
    if (status_ == TW_STATUS_OK) status_ = status;
  }
  AlignedBytes pack(const tw_pack_params_t& params, tw_index_t* bytes);

  const TypeTripleInfo& types_;
  int64_t size_;
  tw_status_t status_ = TW_STATUS_OK;
  tw_pack_params_t packLhs_ = {}, packRhs_ = {}, packOut_ = {};
  tw_index_t lhsBytes_ = 0, rhsBytes_ = 0, outBytes_ = 0;
  AlignedBytes lhs_, rhs_, out_, lhsPacked_, rhsPacked_, outPacked_;
  AlignedBytes prepackedRhs_, workspace_;
  tw_mmt4d_params_t mmt4d_ = {};
  tw_matmul_params_t plain_ = {}, prepacked_ = {};
};

tw_pack_params_t packParams(tw_element_type_t type, int64_t size, int tileRows,
                            int tileCols, bool transpose) {
  return {type,     transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0u,
          size,     size,
          size,     tileRows,
          tileCols, 0};
}

AlignedBytes Problem::pack(const tw_pack_params_t& params, tw_index_t* bytes) {
  note(tw_packed_size(&params, bytes));
  AlignedBytes packed = allocateAligned(*bytes);
  std::memset(packed.get(), 0, *bytes);
  return packed;
}

Problem::Problem(const TypeTripleInfo& types, int64_t size)
    : types_(types), size_(size) {
  const int64_t elements = size * size;
  Random random(size);
  lhs_ = allocateAligned(elements * info(types.lhs).bits / 8);
  rhs_ = allocateAligned(elements * info(types.rhs).bits / 8);
  out_ = allocateAligned(elements * info(types.out).bits / 8);
  encode(types.lhs, randomValues(types.lhs, elements, random), lhs_.get());
  encode(types.rhs, randomValues(types.rhs, elements, random), rhs_.get());

  tw_tile_sizes_t sizes = {1, 1, 1};
  note(tw_query_tile_sizes(types.value, size, size, nullptr, &sizes));
  note(tw_fill_mmt4d_params(types.value, size, size, size, &sizes, &mmt4d_));
  packLhs_ = packParams(types.lhs, size, sizes.M0, sizes.K0, false);
  packRhs_ = packParams(types.rhs, size, sizes.N0, sizes.K0, true);
  packOut_ = packParams(types.out, size, sizes.M0, sizes.N0, false);
  lhsPacked_ = pack(packLhs_, &lhsBytes_);
  rhsPacked_ = pack(packRhs_, &rhsBytes_);
  outPacked_ = pack(packOut_, &outBytes_);
  mmt4d_.lhs_buffer = lhsPacked_.get();
  mmt4d_.rhs_buffer = rhsPacked_.get();
  mmt4d_.out_buffer = outPacked_.get();

  plain_.lhs = lhs_.get();
  plain_.rhs = rhs_.get();
  plain_.out = out_.get();
  plain_.lhs_stride = plain_.rhs_stride = plain_.out_stride = size;
  plain_.M = plain_.N = plain_.K = size;
  plain_.flags = types.value;
  plain_.threads = 1;
  prepacked_ = plain_;
  note(tw_prepacked_size(&plain_, &prepacked_.rhs_bytes));
  prepackedRhs_ = allocateAligned(prepacked_.rhs_bytes);
  note(tw_prepack(&plain_, prepackedRhs_.get(), prepacked_.rhs_bytes, nullptr));
  prepacked_.rhs = prepackedRhs_.get();
  prepacked_.flags = types.value | TW_MATMUL_FLAG_RHS_PREPACKED;
  note(tw_matmul_workspace_size(&plain_, &plain_.workspace_bytes));
  note(tw_matmul_workspace_size(&prepacked_, &prepacked_.workspace_bytes));
  workspace_ = allocateAligned(
      std::max(plain_.workspace_bytes, prepacked_.workspace_bytes) + 64);
  plain_.workspace = prepacked_.workspace = workspace_.get();
}

void Problem::byHand() {
  note(tw_pack(&packLhs_, lhs_.get(), lhsPacked_.get(), lhsBytes_, nullptr));
  note(tw_pack(&packRhs_, rhs_.get(), rhsPacked_.get(), rhsBytes_, nullptr));
  mmt4d();
  note(tw_unpack(&packOut_, outPacked_.get(), outBytes_, out_.get(), nullptr));
}

std::string Problem::check() {
  const size_t bytes = size_ * size_ * info(types_.out).bits / 8;
  byHand();
  if (status_ != TW_STATUS_OK) return tw_status_message(status_);
  // Sums of small integers are exact in every order.
  const std::vector<uint8_t> expected(out_.get(), out_.get() + bytes);
  for (auto way : {&Problem::matmul, &Problem::matmulPrepacked}) {
    std::memset(out_.get(), 0xCD, bytes);
    (this->*way)();
    if (status_ != TW_STATUS_OK) return tw_status_message(status_);
    if (std::memcmp(expected.data(), out_.get(), bytes) != 0)
      return "wrong result: tw_matmul differs from tw_mmt4d";
  }
  return "";
}

void timeProblem(benchmark::State& state, const TypeTripleInfo& types,
                 int64_t size, bool prepacked) {
  Problem problem(types, size);
  const std::string wrong = problem.check();
  if (!wrong.empty()) return fail(state, wrong);
  const auto sliced = [&](void (Problem::*way)()) {
    return Sliced(
        [&problem, way](int64_t calls) {
          for (int64_t i = 0; i < calls; ++i) (problem.*way)();
        },
        1e-3, threadNow);
  };
  Sliced matmul =
      sliced(prepacked ? &Problem::matmulPrepacked : &Problem::matmul);
  Sliced byHand = sliced(&Problem::byHand), mmt4d = sliced(&Problem::mmt4d);
  // A turn is short beside the changes of a machine's speed, so what is
  // compared is the turn's times.
  std::vector<double> timesByHand, timesMmt4d;
  for (auto _ : state) {
    const double other = byHand.slice(), packed = mmt4d.slice();
    const double own = matmul.slice();
    timesByHand.push_back(other / own);
    timesMmt4d.push_back(packed / own);
    state.SetIterationTime(own);
  }
  state.counters["Gop/s"] = 2e-9 * size * size * size / matmul.best();
  state.counters["x_by_hand"] = quantile(timesByHand, 0.5);
  state.counters["x_mmt4d"] = quantile(timesMmt4d, 0.5);
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "matmul_bench";
  line.usage =
      "Times tw_matmul on square matrices, one thread: x_by_hand is how many "
      "times as fast\nas packing, tw_mmt4d and unpacking, x_mmt4d as tw_mmt4d "
      "on packed operands, medians\nof turns; Gop/s that of the least time. By "
      "the thread's own clock.";
  line.options = {
      {"sizes", "N,N", "sizes, default 37,100,255,256,513,1000,1024,2048",
       setIntegers(&settings.sizes, 1, kMostSteps)},
      {"types", "TYPES,TYPES",
       "type triples, default f32f32f32,bf16bf16f32,s8s8s32",
       setNames(&settings.types)},
      {"repetitions", "N", "default 30", setInteger(&settings.repetitions, 1)},
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
    settings.types = {"f32f32f32", "bf16bf16f32", "s8s8s32"};
  for (int64_t size : settings.sizes) {
    std::string error = checkMemory(9 * 8.0 * size * size);
    if (!error.empty())
      return line.refuse("--sizes=" + std::to_string(size) + " " + error);
  }
  for (const std::string& name : settings.types) {
    const TypeTripleInfo* types = findTypeTriple(name);
    if (!types || info(types->lhs).bits < 8 || info(types->rhs).bits < 8)
      return line.refuse("--types needs type triples of whole bytes, not '" +
                         name + "'");
    for (int64_t size : settings.sizes)
      for (bool prepacked : {false, true}) {
        const std::string label = (prepacked ? "prepacked/" : "matmul/") +
                                  name + '/' + std::to_string(size);
        benchmark::RegisterBenchmark(label.c_str(),
                                     [=](benchmark::State& state) {
                                       timeProblem(state, *types, size,
                                                   prepacked);
                                     })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(settings.repetitions);
      }
  }
  return runBenchmarks(line, settings.json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
