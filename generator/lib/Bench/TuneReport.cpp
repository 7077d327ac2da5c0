// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/TuneTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringRef kSchema = "tilewright-tune-1";

json::Value asJson(const TunedCandidate &candidate) {
  const Challenger &result = candidate.result;
  json::Object object{
      {"body", candidate.plan.empty() ? "hand-written" : "generated"},
      {"plan", candidate.plan.empty() ? json::Value(nullptr)
                                      : json::Value(candidate.plan)}};
  if (result.rounds == 0)
    return object;
  object["ratio"] = result.ratio.median;
  // There is none of a few rounds.
  object["interval"] =
      std::isinf(result.ratio.high)
          ? json::Value(nullptr)
          : json::Value(json::Array{result.ratio.low, result.ratio.high});
  object["least_ratio"] = result.leastRatio;
  object["rounds"] = result.rounds;
  object["standing"] = standingName(result.standing);
  return object;
}

json::Value asJson(const TunedTile &tile) {
  json::Array others;
  for (const TunedCandidate &candidate : drop_begin(tile.candidates))
    others.push_back(asJson(candidate));
  return json::Object{{"name", tile.entry.name},
                      {"default", asJson(tile.candidates.front())},
                      {"chosen", asJson(tile.candidates[tile.chosen])},
                      {"ratio", tile.entry.ratio},
                      {"slow_row", tile.isSlowRow()},
                      {"others", std::move(others)}};
}

std::string intervalText(double low, double high) {
  return formatv("{0:f3}..{1:f3}", low, high).str();
}

void printTile(const TunedTile &tile, raw_ostream &os) {
  const TuningEntry &entry = tile.entry;
  os << formatv("{0,6:f3}  {1,12}  {2,6}  {3}\n", entry.ratio,
                tile.chosen == 0 ? "" : intervalText(entry.low, entry.high),
                entry.rounds, entry.name);
  const size_t others = tile.candidates.size() - 1;
  const size_t open = count_if(tile.candidates, [](const TunedCandidate &it) {
    return it.result.rounds > 0 && it.result.standing == Standing::Open;
  });
  std::string text = tile.candidates[tile.chosen].text();
  if (tile.chosen != 0)
    text += " instead of " + tile.candidates.front().text();
  else
    text += formatv(" stays: of {0} other{1} none is quicker", others,
                    others == 1 ? "" : "s")
                .str();
  if (open != 0)
    text += formatv("; of {0} it was not known in time", open).str();
  os << formatv("{0,30}{1}\n", "", text);
}

} // namespace

std::string printTuneJson(const TuneReport &report) {
  json::Array tiles;
  for (const TunedTile &tile : report.tiles)
    tiles.push_back(asJson(tile));
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"schema", kSchema},
                                {"version", report.version},
                                {"cpu", report.cpu},
                                {"core", report.core},
                                {"busy", json::Array(report.noise.reasons())},
                                {"tiles", std::move(tiles)}}))
      .str();
}

void printTuneText(const TuneReport &report, raw_ostream &os) {
  os << formatv("{0} ({1}), {2} core{3}\n", report.cpu, report.core,
                report.noise.cores, report.noise.cores == 1 ? "" : "s");
  os << formatv("{0,6}  {1,12}  {2,6}  {3}\n", "ratio", "interval", "rounds",
                "tile");
  for (const TunedTile &tile : report.tiles)
    printTile(tile, os);
  if (none_of(report.tiles, [](const TunedTile &t) { return t.isSlowRow(); }))
    return;
  os << "hand-written rows that take more than 2 % longer than a generated "
        "body:\n";
  for (const TunedTile &tile : report.tiles)
    if (tile.isSlowRow())
      os << formatv("{0,6:f3}  {1}\n", tile.entry.ratio, tile.entry.name);
}

} // namespace tilewright
