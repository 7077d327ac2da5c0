// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole matmuls beside other libraries: all take turns in one process, on one
// thread, and what is compared is the times of a turn.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "bench/peers/way.h"
#include "bench/support/options.h"
#include "bench/support/report.h"
#include "measure/peaks.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

struct Shape {
  int64_t M, N, K;
};

struct Settings {
  std::vector<std::string> shapes, types;
  std::string mkl, oneDnn, openBlas, openBlasPrefix, blis;
  int64_t turns = 20, mostTurns = 200, mostSeconds = 60;
  Json json;
};

bool parseShape(const std::string& text, Shape* shape) {
  char end;
  long long m, n, k;
  if (std::sscanf(text.c_str(), "%lldx%lldx%lld%c", &m, &n, &k, &end) != 3)
    return false;
  *shape = {m, n, k};
  return std::min({m, n, k}) >= 1 && std::max({m, n, k}) <= 1 << 20;
}

// A median of `values` and an interval that holds the median of what they are
// samples of with 95 %: between order statistics, by the normal approximation
// of the binomial distribution.
struct Median {
  double median, low, high;
};
Median medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = double(values.size());
  const double reach = 0.98 * std::sqrt(count);
  const auto at = [&](double index) {
    return values[size_t(std::clamp(index, 0.0, count - 1))];
  };
  return {at(count / 2), at(std::floor(count / 2 - reach)),
          at(std::ceil(count / 2 + reach))};
}

const char* aheadName(Ahead ahead) {
  switch (ahead) {
    case Ahead::kNothing:
      return "nothing";
    case Ahead::kRhs:
      return "rhs";
    case Ahead::kBoth:
      break;
  }
  return "both";
}

// What a peer would have done as well, or less: packed operands of ours stand
// beside peers' packed rhs.
bool isPeerOf(const Way& peer, const Way& own) {
  return peer.library != own.library &&
         (peer.ahead == Ahead::kNothing) == (own.ahead == Ahead::kNothing);
}

class Comparison {
 public:
  Comparison(const Settings& settings, const TypeTripleInfo& types, Shape shape)
      : settings_(settings), matrices_(types, shape.M, shape.N, shape.K) {}

  // An error or "".
  std::string prepare() {
    std::string error = addOwnWays(matrices_, ways_);
    if (!error.empty()) return "tilewright: " + error;
    const auto add = [&](const char* name, const std::string& path,
                         const std::string& said) {
      if (!path.empty() && !said.empty() && error.empty())
        error = std::string(name) + ": " + path + ": " + said;
    };
    const Settings& s = settings_;
    if (!s.mkl.empty())
      add("onemkl", s.mkl, addMklWays(s.mkl, matrices_, ways_));
    if (!s.oneDnn.empty())
      add("onednn", s.oneDnn, addOneDnnWays(s.oneDnn, matrices_, ways_));
    if (!s.openBlas.empty())
      add("openblas", s.openBlas,
          addBlasWays("openblas", s.openBlas, s.openBlasPrefix, matrices_,
                      ways_));
    if (!s.blis.empty())
      add("blis", s.blis, addBlasWays("blis", s.blis, "", matrices_, ways_));
    return error.empty() ? check() : error;
  }

  // Turns until the interval of each comparison is narrower than 2 %, or there
  // were enough, or they took long enough.
  void run() {
    const tw_tile_sizes_t sizes = tileSizes();
    TileKey key;
    key.types = matrices_.types.value;
    key.m0 = sizes.M0;
    key.n0 = sizes.N0;
    key.k0 = sizes.K0;
    PeakTimer peaks(peaksOf(key, PeakScope::kCpu), 1e-3);
    std::vector<Sliced> sliced;
    for (const Way& way : ways_)
      sliced.emplace_back(
          [&way](int64_t calls) {
            for (int64_t call = 0; call < calls; ++call) way.run();
          },
          1e-3, threadNow);
    times_.assign(ways_.size(), {});
    const double wall = now(), thread = threadNow();
    for (int64_t turn = 0; turn < settings_.mostTurns; ++turn) {
      if (turn >= settings_.turns &&
          (isSettled() || now() - wall > double(settings_.mostSeconds)))
        break;
      peaks.slice();
      for (size_t i = 0; i < ways_.size(); ++i)
        times_[i].push_back(sliced[i].slice());
    }
    busy_ = 1 - (threadNow() - thread) / (now() - wall);
    const auto peak = peaks.fastest();
    peak_ = peak ? peak->operationsPerSecond : 0;
  }

  void print() const {
    for (size_t i = 0; i < ways_.size(); ++i) {
      std::printf("%-12s %5lldx%lldx%lld  %-11s %-26s %9.2f", types().c_str(),
                  (long long)matrices_.M, (long long)matrices_.N,
                  (long long)matrices_.K, ways_[i].library.c_str(),
                  ways_[i].name.c_str(), gops(i));
      if (peak_ > 0) std::printf("  %5.1f %%", percent(i));
      if (const auto best = bestPeer(i)) {
        const Median ratio = speedOver(i, *best);
        std::printf("  %.3f [%.3f %.3f] of %s", ratio.median, ratio.low,
                    ratio.high, ways_[*best].library.c_str());
      }
      std::printf("\n");
    }
    if (busy_ > 0.05)
      std::printf("  something else ran for %.0f %% of the time\n",
                  100 * busy_);
    std::fflush(stdout);
  }

  std::string json() const {
    std::string rows;
    char text[512];
    for (size_t i = 0; i < ways_.size(); ++i) {
      std::snprintf(
          text, sizeof text,
          "{\"types\": \"%s\", \"M\": %lld, \"N\": %lld, \"K\": %lld, "
          "\"library\": \"%s\", \"way\": \"%s\", \"packed_ahead\": "
          "\"%s\", \"gops\": %.4g, \"peak_percent\": %.4g, "
          "\"turns\": %zu, \"others_ran\": %.3f",
          types().c_str(), (long long)matrices_.M, (long long)matrices_.N,
          (long long)matrices_.K, ways_[i].library.c_str(),
          ways_[i].name.c_str(), aheadName(ways_[i].ahead), gops(i), percent(i),
          times_[i].size(), busy_);
      rows += (rows.empty() ? "" : ",\n  ") + std::string(text);
      if (const auto best = bestPeer(i)) {
        const Median ratio = speedOver(i, *best);
        std::snprintf(text, sizeof text,
                      ", \"best_peer\": \"%s\", \"speed_over_it\": %.4f, "
                      "\"low\": %.4f, \"high\": %.4f",
                      ways_[*best].library.c_str(), ratio.median, ratio.low,
                      ratio.high);
        rows += text;
      }
      rows += "}";
    }
    return rows;
  }

 private:
  std::string types() const { return std::string(matrices_.types.name); }

  tw_tile_sizes_t tileSizes() const {
    tw_tile_form_t form = {{1, 1, 1}, 0};
    tw_query_tile_form(matrices_.types.value, matrices_.M, matrices_.N, nullptr,
                       &form);
    return form.sizes;
  }

  // Every way of ours must give the same elements, which are small integers. A
  // peer that gives others is left out: s8 x s8 by vpmaddubsw saturates.
  std::string check() {
    const auto bytes = size_t(matrices_.outBytes());
    std::vector<uint8_t> expected;
    std::vector<Way> right;
    for (Way& way : ways_) {
      std::memset(matrices_.c.get(), 0xCD, bytes);
      way.run();
      if (expected.empty()) expected.assign(way.result, way.result + bytes);
      if (std::memcmp(expected.data(), way.result, bytes) == 0) {
        right.push_back(std::move(way));
        continue;
      }
      const std::string error =
          way.library + "'s " + way.name + " gives another result";
      if (way.library == "tilewright") return error;
      std::fprintf(stderr, "peers_bench: %s, and is not compared\n",
                   error.c_str());
    }
    ways_ = std::move(right);
    return "";
  }

  double gops(size_t way) const {
    return 1e-9 * matrices_.operations() /
           *std::min_element(times_[way].begin(), times_[way].end());
  }
  double percent(size_t way) const {
    return peak_ > 0 ? 100e9 * gops(way) / peak_ : 0;
  }

  // The fastest way of another library that is to be compared with one of ours.
  std::optional<size_t> bestPeer(size_t own) const {
    std::optional<size_t> best;
    if (ways_[own].library != "tilewright") return best;
    for (size_t i = 0; i < ways_.size(); ++i)
      if (isPeerOf(ways_[i], ways_[own]) &&
          (!best ||
           medianOf(times_[i]).median < medianOf(times_[*best]).median))
        best = i;
    return best;
  }

  Median speedOver(size_t own, size_t peer) const {
    std::vector<double> ratios;
    for (size_t turn = 0; turn < times_[own].size(); ++turn)
      ratios.push_back(times_[peer][turn] / times_[own][turn]);
    return medianOf(ratios);
  }

  bool isSettled() const {
    for (size_t i = 0; i < ways_.size(); ++i)
      if (const auto best = bestPeer(i)) {
        const Median ratio = speedOver(i, *best);
        if (ratio.high - ratio.low > 0.02 * ratio.median) return false;
      }
    return true;
  }

  const Settings& settings_;
  Matrices matrices_;
  std::vector<Way> ways_;
  std::vector<std::vector<double>> times_;  // seconds of a call, by turn
  double peak_ = 0, busy_ = 0;
};

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "peers_bench";
  line.usage =
      "Times tw_matmul, with a prepacked rhs and without, and tw_mmt4d beside "
      "other libraries,\none thread each, in turns: Gop/s of the least time, "
      "its share of the issue peak, and the\nspeed over the fastest peer that "
      "has as much packed before the call: the median of\nturns and its 95 % "
      "interval. `./dev bench --peers` installs the libraries and says where "
      "they are.";
  line.options = {
      {"shapes", "MxNxK,...", "default 64x64x64,256x256x256,1024x1024x1024",
       setNames(&settings.shapes)},
      {"types", "TYPES,...", "default f32f32f32,bf16bf16f32,s8s8s32",
       setNames(&settings.types)},
      {"mkl", "FILE", "libmkl_rt.so", setString(&settings.mkl)},
      {"onednn", "FILE", "libdnnl.so of version 3",
       setString(&settings.oneDnn)},
      {"openblas", "FILE", "a library with cblas_sgemm",
       setString(&settings.openBlas)},
      {"openblas-prefix", "TEXT", "what its functions begin with",
       setString(&settings.openBlasPrefix)},
      {"blis", "FILE", "a library with cblas_sgemm", setString(&settings.blis)},
      {"turns", "N", "at least, default 20", setInteger(&settings.turns, 3)},
      {"most-turns", "N", "until intervals are narrower than 2 %, default 200",
       setInteger(&settings.mostTurns, 3)},
      {"most-seconds", "N", "of a shape, after --turns of them; default 60",
       setInteger(&settings.mostSeconds, 1)},
      settings.json.option(),
  };
  return line;
}

int run(int argc, char** argv) {
  // Before a library is opened: its threads would be more than one.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                           "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"})
    setenv(name, "1", 1);
  setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
  tw_cpu_permit_amx(nullptr, 0);  // peers ask for it themselves
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  if (settings.shapes.empty())
    settings.shapes = {"64x64x64", "256x256x256", "1024x1024x1024"};
  if (settings.types.empty())
    settings.types = {"f32f32f32", "bf16bf16f32", "s8s8s32"};
  std::vector<Shape> shapes;
  for (const std::string& text : settings.shapes) {
    Shape shape;
    if (!parseShape(text, &shape))
      return line.refuse("--shapes needs MxNxK, as 128x384x384, not '" + text +
                         "'");
    const double most =
        12.0 * (double(shape.M) * shape.N + double(shape.M) * shape.K +
                double(shape.N) * shape.K);
    std::string error = checkMemory(most);
    if (!error.empty()) return line.refuse("--shapes=" + text + " " + error);
    shapes.push_back(shape);
  }
  std::string rows;
  for (const std::string& name : settings.types) {
    const TypeTripleInfo* types = findTypeTriple(name);
    if (!types || info(types->lhs).bits < 8 || info(types->rhs).bits < 8)
      return line.refuse("--types needs type triples of whole bytes, not '" +
                         name + "'");
    for (Shape shape : shapes) {
      Comparison comparison(settings, *types, shape);
      if (std::string error = comparison.prepare(); !error.empty()) {
        std::fprintf(stderr, "peers_bench: %s\n", error.c_str());
        return 1;
      }
      comparison.run();
      if (!settings.json.toStandardOutput()) comparison.print();
      rows += (rows.empty() ? "" : ",\n  ") + comparison.json();
    }
  }
  const std::string text = "{\"commit\": \"" + std::string(commit()) +
                           "\", \"isas\": \"" + availableIsas() +
                           "\", \"rows\": [\n  " + rows + "\n]}\n";
  return finish(line.program, settings.json, text, 0);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
