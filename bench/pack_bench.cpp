// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times packing and unpacking, memcpy of as many bytes beside it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "bench/support/tiles.h"
#include "measure/elements.h"
#include "measure/operands.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

enum class Direction { kPack, kUnpack };

// What is packed: an operand of a tile, by the role it plays.
struct Case {
  // "lhs" [M][K], "lhs_km", "rhs" [K][N], "rhs_nk", "out"
  const char* role;
  tw_element_type_t type;
  int32_t tileRows, tileCols;
  bool transpose;
  Direction direction;

  bool operator==(const Case& other) const {
    const auto tied = [](const Case& c) {
      return std::tuple(std::string_view(c.role), c.type, c.tileRows,
                        c.tileCols, c.transpose, c.direction);
    };
    return tied(*this) == tied(other);
  }
};

// The tiles of the best x86-64 ISAs, and of avx2 where they differ.
const std::vector<Case> usualCases = {
    {"lhs", TW_ELEMENT_F32, 12, 1, false, Direction::kPack},
    {"lhs", TW_ELEMENT_F32, 8, 1, false, Direction::kPack},
    {"rhs", TW_ELEMENT_F32, 32, 1, true, Direction::kPack},
    {"rhs", TW_ELEMENT_F32, 16, 1, true, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_F32, 32, 1, false, Direction::kPack},
    {"lhs", TW_ELEMENT_F16, 12, 1, false, Direction::kPack},
    {"rhs", TW_ELEMENT_F16, 32, 1, true, Direction::kPack},
    {"lhs", TW_ELEMENT_BF16, 12, 2, false, Direction::kPack},
    {"rhs", TW_ELEMENT_BF16, 32, 2, true, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_BF16, 32, 2, false, Direction::kPack},
    {"lhs", TW_ELEMENT_S8, 12, 4, false, Direction::kPack},
    {"rhs", TW_ELEMENT_S8, 32, 4, true, Direction::kPack},
    {"rhs", TW_ELEMENT_S8, 16, 4, true, Direction::kPack},
    {"rhs", TW_ELEMENT_S8, 16, 2, true, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_S8, 32, 4, false, Direction::kPack},
    // Of 256 bits.
    {"lhs", TW_ELEMENT_F32, 6, 1, false, Direction::kPack},
    {"lhs", TW_ELEMENT_F64, 6, 1, false, Direction::kPack},
    {"lhs", TW_ELEMENT_F16, 6, 1, false, Direction::kPack},
    {"lhs", TW_ELEMENT_BF16, 6, 2, false, Direction::kPack},
    {"lhs", TW_ELEMENT_S8, 6, 2, false, Direction::kPack},
    {"rhs", TW_ELEMENT_F64, 8, 1, true, Direction::kPack},
    {"rhs", TW_ELEMENT_F16, 16, 1, true, Direction::kPack},
    {"rhs", TW_ELEMENT_BF16, 16, 2, true, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_F32, 16, 1, false, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_F16, 16, 1, false, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_BF16, 16, 2, false, Direction::kPack},
    {"rhs_nk", TW_ELEMENT_S8, 16, 2, false, Direction::kPack},
    {"out", TW_ELEMENT_F32, 12, 32, false, Direction::kUnpack},
    {"out", TW_ELEMENT_F32, 6, 16, false, Direction::kUnpack},
    {"out", TW_ELEMENT_BF16, 6, 16, false, Direction::kUnpack},
    {"out", TW_ELEMENT_F32, 8, 8, false, Direction::kUnpack},
    {"out", TW_ELEMENT_BF16, 16, 16, false, Direction::kUnpack},
    {"out", TW_ELEMENT_S32, 16, 16, false, Direction::kUnpack},
    {"out", TW_ELEMENT_F32, 12, 32, false, Direction::kPack},
};

// Those of every hand-written tile of this architecture, either way round.
std::vector<Case> casesOfRows() {
  std::vector<Case> cases;
  for (const Row& row : rows()) {
    const TileKey& key = row.key;
    const TypeTripleInfo& types = info(key.types);
    const int m0 = int(key.m0), n0 = int(key.n0), k0 = int(key.k0);
    for (const Case& c : {
             Case{"lhs", types.lhs, m0, k0, false, Direction::kPack},
             Case{"lhs_km", types.lhs, m0, k0, true, Direction::kPack},
             Case{"rhs", types.rhs, n0, k0, true, Direction::kPack},
             Case{"rhs_nk", types.rhs, n0, k0, false, Direction::kPack},
             Case{"out", types.out, m0, n0, false, Direction::kPack},
             Case{"out", types.out, m0, n0, false, Direction::kUnpack},
         })
      if (std::find(cases.begin(), cases.end(), c) == cases.end())
        cases.push_back(c);
  }
  return cases;
}

std::string nameOf(const Case& c, int64_t rows, int64_t cols) {
  std::string name = c.direction == Direction::kPack ? "pack/" : "unpack/";
  name += c.role;
  name += '/';
  for (const ElementTypeInfo& type : elementTypes())
    if (type.type == c.type) name += type.name;
  return name + '/' + std::to_string(c.tileRows) + 'x' +
         std::to_string(c.tileCols) + '/' + std::to_string(rows) + 'x' +
         std::to_string(cols);
}

// Packs random bytes and unpacks them; an error, or "".
std::string checkRoundTrip(const tw_pack_params_t& params, uint8_t* matrix,
                           int64_t bytes, uint8_t* packed, int64_t packedBytes,
                           uint8_t* copy) {
  Random random(7);
  for (int64_t i = 0; i < bytes; ++i) matrix[i] = uint8_t(random());
  std::memset(copy, 0, bytes);
  tw_status_t status = tw_pack(&params, matrix, packed, packedBytes, nullptr);
  if (status == TW_STATUS_OK)
    status = tw_unpack(&params, packed, packedBytes, copy, nullptr);
  if (status != TW_STATUS_OK) return tw_status_message(status);
  return std::memcmp(matrix, copy, bytes)
             ? "wrong result: unpacking does not give the packed matrix back"
             : "";
}

void timeCase(benchmark::State& state, const Case& c, int64_t rows,
              int64_t cols) {
  tw_pack_params_t params = {};
  params.type = c.type;
  params.flags = c.transpose ? TW_PACK_FLAG_TRANSPOSE : 0;
  params.rows = rows;
  params.cols = cols;
  params.matrix_stride = c.transpose ? rows : cols;
  params.tile_rows = c.tileRows;
  params.tile_cols = c.tileCols;
  int64_t bytes = rows * cols * info(c.type).bits / 8;
  tw_index_t packedBytes = 0;
  tw_status_t status = tw_packed_size(&params, &packedBytes);
  if (status != TW_STATUS_OK) return fail(state, tw_status_message(status));
  AlignedBytes matrix = allocateAligned(bytes);
  AlignedBytes packed = allocateAligned(packedBytes);
  AlignedBytes copy = allocateAligned(bytes);
  std::string wrong = checkRoundTrip(params, matrix.get(), bytes, packed.get(),
                                     packedBytes, copy.get());
  if (!wrong.empty()) return fail(state, wrong);

  Sliced work(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i)
          if (c.direction == Direction::kPack)
            tw_pack(&params, matrix.get(), packed.get(), packedBytes, nullptr);
          else
            tw_unpack(&params, packed.get(), packedBytes, matrix.get(),
                      nullptr);
      },
      300e-6);
  Sliced copying(
      [&](int64_t calls) {
        for (int64_t i = 0; i < calls; ++i) {
          std::memcpy(copy.get(), matrix.get(), bytes);
          benchmark::ClobberMemory();
        }
      },
      300e-6);
  for (auto _ : state) {
    state.SetIterationTime(work.slice());
    copying.slice();
  }
  state.counters["GB/s"] = double(bytes) / work.best() * 1e-9;
  state.counters["memcpy_GB/s"] = double(bytes) / copying.best() * 1e-9;
  state.counters["%memcpy"] = 100 * copying.best() / work.best();
}

int run(int argc, char** argv) {
  std::vector<int64_t> sizes = {128, 1024};
  int64_t slices = 40;
  bool ofRows = false;
  Json json;
  CommandLine line;
  line.program = "pack_bench";
  line.usage =
      "Times tw_pack and tw_unpack on square matrices, alternating with memcpy "
      "of the matrix.\nGB/s counts the matrix once. lhs and rhs_nk are packed "
      "as they lie; rhs is [K][N] in memory,\npacked through TRANSPOSE; lhs_km "
      "[K][M], rhs_nk [N][K]; out is a tile matrix.";
  line.options = {
      {"sizes", "N,N", "rows and columns, default 128,1024",
       setIntegers(&sizes, 1, kMostSteps)},
      {"slices", "N", "slices of each, default 40", setInteger(&slices, 1)},
      {"rows", "",
       "the tiles of every hand-written tile function, packed from matrices "
       "that lie\neither way, instead of the usual ones",
       setSwitch(&ofRows)},
      json.option(),
  };
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  // The matrix, its copy, packed, of eight-byte elements.
  for (int64_t size : sizes) {
    std::string error = checkMemory(3 * 8.0 * size * size);
    if (!error.empty())
      return line.refuse("--sizes=" + std::to_string(size) + " " + error);
  }
  const std::vector<Case> cases = ofRows ? casesOfRows() : usualCases;
  for (int64_t size : sizes)
    for (const Case& c : cases)
      benchmark::RegisterBenchmark(
          nameOf(c, size, size).c_str(),
          [=](benchmark::State& state) { timeCase(state, c, size, size); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond)
          ->Iterations(slices);
  return runBenchmarks(line, json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
