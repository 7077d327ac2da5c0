// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Link/Link.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tilewright {
namespace {

json::Object tileAsJson(const WantedTile &wanted, const ResolvedTile &tile) {
  json::Object object{{"name", wanted.name},
                      {"origin", originName(tile.origin)},
                      {"references", int64_t(wanted.references)},
                      {"first_user", json::fixUTF8(wanted.firstUser)},
                      {"ms", tile.ms}};
  if (tile.origin == Origin::Generated)
    object["steps_ms"] = json::Object{{"build", tile.times.build},
                                      {"lower", tile.times.lower},
                                      {"translate", tile.times.translate},
                                      {"optimize", tile.times.optimize},
                                      {"codegen", tile.times.codegen}};
  return object;
}

} // namespace

void printReportAsJson(const LinkReport &report, raw_ostream &os) {
  json::Array tiles;
  for (auto [wanted, tile] : zip_equal(report.wanted.tiles, report.tiles))
    tiles.push_back(tileAsJson(wanted, tile));
  json::Object object{
      {"modules", int64_t(report.wanted.modules)},
      {"duplicate_inputs", int64_t(report.wanted.duplicates)},
      {"wanted", int64_t(report.wanted.references)},
      {"unique", int64_t(report.wanted.tiles.size())},
      {"provided", int64_t(report.wanted.provided)},
      {"hand_written", int64_t(report.count(Origin::HandWritten))},
      {"generated", int64_t(report.count(Origin::Generated))},
      {"cached", int64_t(report.count(Origin::Cached))},
      {"inlined_calls", int64_t(report.inlinedCalls)},
      {"remaining_calls", int64_t(report.remainingCalls)},
      {"tiles", std::move(tiles)},
      {"ms", json::Object{{"gather", report.gatherMs},
                          {"resolve", report.resolveMs},
                          {"link", report.linkMs},
                          {"write", report.writeMs}}},
      {"output_bytes", int64_t(report.outputBytes)},
      {"peak_memory_bytes", int64_t(report.peakBytes)}};
  os << formatv("{0:2}\n", json::Value(std::move(object)));
}

void printReportAsText(const LinkReport &report, raw_ostream &os) {
  const Wanted &wanted = report.wanted;
  size_t width = 4;
  for (const WantedTile &tile : wanted.tiles)
    width = std::max(width, tile.name.size());
  for (auto [want, tile] : zip_equal(wanted.tiles, report.tiles))
    os << left_justify(want.name, width) << "  "
       << left_justify(originName(tile.origin), 12)
       << format("  %8.2f ms\n", tile.ms);
  os << "wanted " << wanted.references << " in " << wanted.modules
     << " modules, unique " << wanted.tiles.size() << ": hand-written "
     << report.count(Origin::HandWritten) << ", generated "
     << report.count(Origin::Generated) << ", cached "
     << report.count(Origin::Cached);
  if (wanted.provided)
    os << "; " << wanted.provided << " more provided by libraries";
  if (wanted.duplicates)
    os << "; " << wanted.duplicates << " inputs given again";
  os << '\n';
  if (report.inlinedCalls || report.remainingCalls)
    os << "calls: " << report.inlinedCalls << " inlined, "
       << report.remainingCalls << " left\n";
  os << format("gather %.1f ms, resolve %.1f ms, link %.1f ms, write %.1f ms; ",
               report.gatherMs, report.resolveMs, report.linkMs, report.writeMs)
     << report.outputBytes << " bytes; peak memory "
     << format("%.1f MiB\n", double(report.peakBytes) / (1 << 20));
}

} // namespace tilewright
