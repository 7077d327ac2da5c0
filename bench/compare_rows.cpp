// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written beside generated, for every row: the two bodies and the issue
// peak in alternating slices of one process.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "bench/support/tiles.h"
#include "measure/check_tile.h"
#include "measure/loads.h"
#include "measure/operands.h"
#include "measure/peaks.h"
#include "measure/slices.h"

namespace tilewright::bench {
namespace {

struct Settings {
  std::vector<std::string> names;
  int64_t k = 0;
  int64_t slices = 60;
  int64_t retries = 4;
  double sliceMicroseconds = 200;
  double medianBound = 1.03;
  double worstBound = 1.05;
  bool check = false;
  Json json;
};

// Tiles of so few rows may load more than they multiply.
constexpr int kNarrowRows = 4;

struct Comparison {
  std::string name;
  std::string peakName;  // empty: no peak is defined
  std::string note;      // why it was not compared; empty if it was
  bool wrong = false;    // a body gave a wrong result, or none was generated
  double handNs = 0, generatedNs = 0;
  double handPeakShare = 0, generatedPeakShare = 0;
  // Of the tighter of the issue peak and what the load ports allow: of tiles of
  // at most kNarrowRows rows, else 0.
  double handBoundShare = 0, generatedBoundShare = 0;
  double ratio() const { return generatedNs / handNs; }
};

Comparison compare(const Row& row, GeneratedTiles& generated,
                   const Settings& settings) {
  Comparison result;
  result.name = row.name;
  if (!canRun(row.key)) {
    result.note = "this CPU lacks " + std::string(info(row.key.isa).name);
    return result;
  }
  if (row.key.vnni) {
    result.note = "is generated from the hand-written body";
    return result;
  }
  tw_mmt4d_tile_fn_t made = generated.get(row.key, &result.note);
  if (result.note.rfind(row.name + ": ", 0) == 0)
    result.note.erase(0, row.name.size() + 2);
  if (made) result.note = checkTile(row.key, row.fn);
  if (result.note.empty() && made) {
    result.note = checkTile(row.key, made);
    if (!result.note.empty()) result.note = "generated: " + result.note;
  }
  if (!result.note.empty()) {
    result.wrong = true;
    return result;
  }

  const int64_t k = settings.k ? settings.k : defaultK(row.key);
  Operands operands(row.key, k, /*cold=*/false, /*accumulate=*/false);
  double slice = settings.sliceMicroseconds * 1e-6;
  Sliced hand([&](int64_t calls) { operands.run(row.fn, calls); }, slice);
  Sliced other([&](int64_t calls) { operands.run(made, calls); }, slice);
  PeakTimer peaks(peaksOf(row.key, PeakScope::kIsa), slice);
  LoadTimer loads(row.key, slice);
  // The least time only falls with more slices, so measuring a pair that misses
  // the bound for longer removes noise and nothing else.
  for (int64_t round = 0; round <= settings.retries; ++round) {
    for (int64_t i = 0; i < settings.slices; ++i) {
      hand.slice();
      other.slice();
      peaks.slice();
      if (row.key.m0 <= kNarrowRows) loads.slice();
    }
    if (other.best() <= settings.medianBound * hand.best()) break;
  }
  result.handNs = hand.best() * 1e9;
  result.generatedNs = other.best() * 1e9;
  if (std::optional<PeakTimer::Rate> peak = peaks.fastest()) {
    result.peakName = peak->peak->name;
    double atPeak = operands.operationsPerCall() / peak->operationsPerSecond;
    result.handPeakShare = 100 * atPeak / hand.best();
    result.generatedPeakShare = 100 * atPeak / other.best();
    if (std::optional<double> step = loads.secondsPerStep();
        step && row.key.m0 <= kNarrowRows) {
      double bound = std::max(atPeak, *step * double(k));
      result.handBoundShare = 100 * bound / hand.best();
      result.generatedBoundShare = 100 * bound / other.best();
    }
  }
  return result;
}

void printLine(const Comparison& line) {
  if (!line.note.empty()) {
    std::printf("%s: %s\n", line.name.c_str(), line.note.c_str());
    return;
  }
  std::printf("%-60s %9.1f %9.1f %6.3f", line.name.c_str(), line.handNs,
              line.generatedNs, line.ratio());
  if (!line.peakName.empty())
    std::printf(" %6.1f %6.1f  %s", line.handPeakShare, line.generatedPeakShare,
                line.peakName.c_str());
  if (line.handBoundShare > 0)
    std::printf("; of issue and loads %.1f %.1f", line.handBoundShare,
                line.generatedBoundShare);
  std::printf("\n");
  std::fflush(stdout);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

void writeJson(std::ostream& out, const std::vector<Comparison>& lines,
               double median, double worst, bool ok) {
  out << "{\n  \"context\": {\"tilewright_commit\": " << quoted(commit())
      << ", \"tilewright_isas\": " << quoted(availableIsas())
      << "},\n  \"median_ratio\": " << median << ", \"worst_ratio\": " << worst
      << ", \"ok\": " << (ok ? "true" : "false") << ",\n  \"rows\": [";
  const char* separator = "\n";
  for (const Comparison& line : lines) {
    out << separator << "    {\"name\": " << quoted(line.name);
    if (line.note.empty()) {
      out << ", \"hand_ns\": " << line.handNs
          << ", \"generated_ns\": " << line.generatedNs
          << ", \"ratio\": " << line.ratio()
          << ", \"peak\": " << quoted(line.peakName)
          << ", \"hand_peak_percent\": " << line.handPeakShare
          << ", \"generated_peak_percent\": " << line.generatedPeakShare;
      if (line.handBoundShare > 0)
        out << ", \"hand_bound_percent\": " << line.handBoundShare
            << ", \"generated_bound_percent\": " << line.generatedBoundShare;
    } else {
      out << ", \"wrong\": " << (line.wrong ? "true" : "false")
          << ", \"note\": " << quoted(line.note);
    }
    out << '}';
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "compare_rows";
  line.usage =
      "Times the hand-written and the generated body of every row, L1-hot, in "
      "alternating\nslices, and prints ns per call of the best slice of each, "
      "generated / hand-written,\nand the shares of the issue peak (%).";
  line.positionalHelp = "only these rows";
  line.options = {
      {"check", "", "exit with 1 if a bound is missed",
       setSwitch(&settings.check)},
      {"median", "RATIO", "bound of the median ratio, default 1.03",
       setPositive(&settings.medianBound, kMostThings)},
      {"worst", "RATIO", "bound of the worst ratio, default 1.05",
       setPositive(&settings.worstBound, kMostThings)},
      {"k", "N", "K steps per call; default: what fills 3/4 of L1, at least 16",
       setInteger(&settings.k, 1, kMostSteps)},
      {"slices", "N", "slices of each body per round, default 60",
       setInteger(&settings.slices, 1)},
      {"retries", "N",
       "more rounds for a row above the median bound, default 4",
       setInteger(&settings.retries, 0)},
      {"slice-us", "MICROSECONDS", "length of a slice, default 200",
       setPositive(&settings.sliceMicroseconds, kMostThings)},
      settings.json.option(),
  };
  line.options.back().help =
      "write JSON to FILE; without a value, to standard output instead of the "
      "table";
  return line;
}

// Rows to compare; false with a message on standard error if a name is wrong.
bool selectRows(const std::vector<std::string>& names,
                std::vector<Row>& selected) {
  if (names.empty()) selected = rows();
  bool ok = true;
  for (const std::string& name : names) {
    TileKey key;
    std::string error;
    const Row* row = parseName(name, &key, &error) ? findRow(key) : nullptr;
    if (error.empty() && !row)
      error =
          name +
          ": no hand-written tile has this name; tile_bench --list prints them";
    if (!error.empty())
      std::fprintf(stderr, "compare_rows: %s\n", error.c_str());
    ok &= error.empty();
    if (row) selected.push_back(*row);
  }
  return ok;
}

int run(int argc, char** argv) {
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  std::vector<Row> selected;
  if (!selectRows(line.positional, selected)) return 2;
  for (const Row& row : selected) {
    std::string error = checkMemory(operandBytes(row.key, settings.k, false));
    if (!error.empty())
      return line.refuse(row.name + " with --k=" + std::to_string(settings.k) +
                         " " + error);
  }
  if (!GeneratedTiles::available()) {
    std::fprintf(stderr,
                 "compare_rows: this was built without the generator "
                 "(TW_BUILD_GENERATOR=OFF): there is nothing to compare\n");
    return 2;
  }
  bool toStdout = settings.json.toStandardOutput();
  if (!toStdout)
    std::printf("%-60s %9s %9s %6s %6s %6s\n", "row", "hand ns", "gen ns",
                "ratio", "hand%", "gen%");
  GeneratedTiles generated;
  std::vector<Comparison> lines;
  std::vector<double> ratios;
  bool wrong = false;
  for (const Row& row : selected) {
    lines.push_back(compare(row, generated, settings));
    if (!toStdout) printLine(lines.back());
    wrong |= lines.back().wrong;
    if (lines.back().note.empty()) ratios.push_back(lines.back().ratio());
  }
  std::sort(ratios.begin(), ratios.end());
  double median = ratios.empty() ? 0 : ratios[ratios.size() / 2];
  double worst = ratios.empty() ? 0 : ratios.back();
  bool ok = !wrong && !ratios.empty() && median <= settings.medianBound &&
            worst <= settings.worstBound;
  if (!toStdout)
    std::printf(
        "%zu rows compared: median %.3f (bound %.2f), worst %.3f "
        "(bound %.2f): %s\n",
        ratios.size(), median, settings.medianBound, worst, settings.worstBound,
        ok ? "ok" : "MISSED");
  std::ostringstream text;
  writeJson(text, lines, median, worst, ok);
  return finish(line.program, settings.json, text.str(),
                wrong || (settings.check && !ok) ? 1 : 0);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
