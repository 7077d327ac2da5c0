// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/BenchReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {

LeastTime leastOf(ArrayRef<double> times) {
  constexpr size_t kParts = 6;
  const size_t parts = std::min(kParts, times.size());
  if (parts == 0)
    return {};
  std::vector<double> leasts;
  for (size_t part = 0; part < parts; ++part) {
    size_t from = part * times.size() / parts;
    size_t to = (part + 1) * times.size() / parts;
    leasts.push_back(*min_element(times.slice(from, to - from)));
  }
  sort(leasts);
  const double median = (leasts[parts / 2] + leasts[(parts - 1) / 2]) / 2;
  return {leasts.front(), 100 * (median / leasts.front() - 1)};
}

namespace {

/// "45.1", "1234": three digits are enough to judge by.
std::string short3(double value) {
  return formatv(value < 99.95 ? "{0:f1}" : "{0:f0}", value).str();
}

std::string percent(double value) { return formatv("{0:f1} %", value).str(); }

void printTile(const BenchedTile &tile, const BenchReport &report,
               raw_ostream &os) {
  auto line = [&](const Twine &text) {
    os << formatv("{0,12}{1}\n", "", text.str());
  };
  os << formatv("{0,10:f1}  {1,7}  {2,8:f1}  {3,7}  {4,7}  {5}\n", tile.leastNs,
                percent(tile.spreadPercent), tile.gops(),
                tile.peak ? percent(tile.peak->sharePercent) : "-",
                short3(tile.timesPlain()) + "x", tile.name);
  line(formatv("{0}: {1}; {2}; made in {3:f1} ms", tile.origin, tile.reason,
               tile.body, tile.madeMs)
           .str());
  line(formatv("right: {0}; K = {1}, {2}", tile.checked, tile.k,
               report.cold ? "cold: other panels for each call, from memory"
                           : "hot: the same panels for each call")
           .str());
  if (!tile.peak) {
    line("no peak is measured for these types on this CPU");
    return;
  }
  std::string peak =
      formatv("peak: {0} of {1}, {2:f1} Gop/s", tile.peak->sequence,
              tile.peak->isa, tile.peak->gops);
  if (tile.isaPeak && tile.isaPeak->sequence != tile.peak->sequence)
    peak += formatv("; {0} of {1}'s own, {2}, {3:f1} Gop/s",
                    percent(tile.isaPeak->sharePercent), tile.isaPeak->isa,
                    tile.isaPeak->sequence, tile.isaPeak->gops);
  line(peak);
}

} // namespace

void printBenchText(const BenchReport &report, raw_ostream &os) {
  os << report.cpu;
  if (!report.core.empty() && report.core != report.cpu)
    os << " (" << report.core << ")";
  os << formatv(", {0} core{1}; runs {2}\n", report.noise.cores,
                report.noise.cores == 1 ? "" : "s", join(report.isas, ", "));
  os << formatv("{0,10}  {1,7}  {2,8}  {3,7}  {4,7}  {5}\n", "least ns",
                "spread", "Gop/s", "of peak", "x plain", "tile");
  for (const BenchedTile &tile : report.tiles)
    printTile(tile, report, os);
  for (const std::string &remark : report.remarks)
    os << remark << '\n';
}

} // namespace tilewright
