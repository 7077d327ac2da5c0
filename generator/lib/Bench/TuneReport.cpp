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

/// Of what was timed beside the default.
json::Object withResult(json::Object object, const Challenger &result) {
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

json::Value asJson(const TunedCandidate &candidate) {
  return withResult(
      json::Object{
          {"body", candidate.plan.empty() ? "hand-written" : "generated"},
          {"plan", candidate.plan.empty() ? json::Value(nullptr)
                                          : json::Value(candidate.plan)}},
      candidate.result);
}

json::Value asJson(const TunedShape &shape) {
  json::Array others;
  for (const ShapeCandidate &candidate : drop_begin(shape.candidates))
    others.push_back(withResult(
        json::Object{{"tile", printTileKey(candidate.key)}}, candidate.result));
  return json::Object{
      {"types", shape.entry.types},    {"rows", shape.entry.rows},
      {"default", shape.entry.beside}, {"chosen", shape.entry.tile},
      {"ratio", shape.entry.ratio},    {"others", std::move(others)}};
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

/// `textOf`: of a candidate.
template <typename Tuned, typename Text>
void print(const Tuned &tuned, const std::string &name, Text textOf,
           raw_ostream &os) {
  const auto &entry = tuned.entry;
  os << formatv("{0,6:f3}  {1,12}  {2,6}  {3}\n", entry.ratio,
                tuned.chosen == 0 ? "" : intervalText(entry.low, entry.high),
                entry.rounds, name);
  const size_t others = tuned.candidates.size() - 1;
  const size_t open = count_if(tuned.candidates, [](const auto &it) {
    return it.result.rounds > 0 && it.result.standing == Standing::Open;
  });
  std::string text = textOf(tuned.candidates[tuned.chosen]);
  if (tuned.chosen != 0)
    text += " instead of " + textOf(tuned.candidates.front());
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
  json::Array tiles, shapes;
  for (const TunedTile &tile : report.tiles)
    tiles.push_back(asJson(tile));
  for (const TunedShape &shape : report.shapes)
    shapes.push_back(asJson(shape));
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"schema", kSchema},
                                {"version", report.version},
                                {"cpu", report.cpu},
                                {"core", report.core},
                                {"busy", json::Array(report.noise.reasons())},
                                {"tiles", std::move(tiles)},
                                {"shapes", std::move(shapes)}}))
      .str();
}

void printTuneText(const TuneReport &report, raw_ostream &os) {
  os << formatv("{0} ({1}), {2} core{3}\n", report.cpu, report.core,
                report.noise.cores, report.noise.cores == 1 ? "" : "s");
  os << formatv("{0,6}  {1,12}  {2,6}  {3}\n", "ratio", "interval", "rounds",
                report.shapes.empty() ? "tile" : "matmul");
  for (const TunedTile &tile : report.tiles)
    print(
        tile, tile.entry.name,
        [](const TunedCandidate &it) { return it.text(); }, os);
  for (const TunedShape &shape : report.shapes)
    print(
        shape, shapeText(shape.entry),
        [](const ShapeCandidate &it) { return printTileKey(it.key); }, os);
  if (none_of(report.tiles, [](const TunedTile &t) { return t.isSlowRow(); }))
    return;
  os << "hand-written tiles that take more than 2 % longer than a generated "
        "body:\n";
  for (const TunedTile &tile : report.tiles)
    if (tile.isSlowRow())
      os << formatv("{0,6:f3}  {1}\n", tile.entry.ratio, tile.entry.name);
}

} // namespace tilewright
