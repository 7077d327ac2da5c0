// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/CompareReports.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace tilewright {
namespace {

/// Two runs of one program differ so much by where its memory came to lie.
constexpr double kLeastTolerancePercent = 1;

/// A least time lies above the true one by about as much as the least times of
/// the run's parts lie above it; twice that, of both runs, is no chance.
double toleranceOf(const BenchedTile &before, const BenchedTile &after) {
  return std::max(kLeastTolerancePercent,
                  2 * (before.spreadPercent + after.spreadPercent));
}

ComparedTile compareTile(const BenchedTile &before, const BenchedTile &after) {
  ComparedTile tile;
  tile.name = after.name;
  tile.oldOrigin = before.origin;
  tile.newOrigin = after.origin;
  tile.oldNs = before.leastNs;
  tile.newNs = after.leastNs;
  tile.tolerancePercent = toleranceOf(before, after);
  const double bound = 1 + tile.tolerancePercent / 100;
  if (tile.ratio() > bound)
    tile.verdict = Verdict::Slower;
  else if (tile.ratio() * bound < 1)
    tile.verdict = Verdict::Faster;
  return tile;
}

/// If the same sequence ran at another rate the machine has changed, not only
/// the tile.
void remarkOnPeaks(const BenchedTile &before, const BenchedTile &after,
                   double tolerancePercent, StringSet<> &said,
                   std::vector<std::string> &remarks) {
  if (!before.peak || !after.peak ||
      before.peak->sequence != after.peak->sequence)
    return;
  const double ratio = after.peak->gops / before.peak->gops;
  if (std::fabs(std::log(ratio)) <= std::log1p(tolerancePercent / 100) ||
      !said.insert(after.peak->sequence).second)
    return;
  remarks.push_back(formatv("{0} itself ran at {1:f2} times its old rate, so "
                            "the machine differs; compare the shares of the "
                            "peak",
                            after.peak->sequence, ratio));
}

} // namespace

StringRef verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Same:
    return "same";
  case Verdict::Faster:
    return "faster";
  case Verdict::Slower:
    return "slower";
  }
  llvm_unreachable("all verdicts are covered");
}

Expected<Comparison> compareReports(const BenchReport &before,
                                    const BenchReport &after) {
  if (before.cold != after.cold)
    return createStringError(
        Twine("the old file was measured ") + (before.cold ? "cold" : "hot") +
        " and the new one " + (after.cold ? "cold" : "hot") +
        "; measure both with the same --cache");
  Comparison result;
  if (before.cpu != after.cpu || before.core != after.core)
    result.remarks.push_back("measured on different CPUs: " + before.cpu +
                             " (" + before.core + ") and " + after.cpu + " (" +
                             after.core + ")");
  StringMap<const BenchedTile *> old;
  for (const BenchedTile &tile : before.tiles)
    old[tile.name] = &tile;
  StringSet<> said;
  for (const BenchedTile &tile : after.tiles) {
    auto found = old.find(tile.name);
    if (found == old.end()) {
      result.remarks.push_back(tile.name + ": only in the new file");
      continue;
    }
    const BenchedTile &was = *found->second;
    old.erase(found);
    if (was.k != tile.k) {
      result.remarks.push_back(
          formatv("{0}: not compared, K was {1} and is {2}; measure both with "
                  "the same --k",
                  tile.name, was.k, tile.k));
      continue;
    }
    result.tiles.push_back(compareTile(was, tile));
    remarkOnPeaks(was, tile, result.tiles.back().tolerancePercent, said,
                  result.remarks);
  }
  for (const BenchedTile &tile : before.tiles)
    if (old.count(tile.name))
      result.remarks.push_back(tile.name + ": only in the old file");
  if (!result.tiles.empty())
    return result;
  std::string why;
  for (const std::string &remark : result.remarks)
    why += "; " + remark;
  return createStringError("nothing to compare: no tile is in both files and "
                           "measured alike" +
                           why);
}

std::string printComparisonJson(const Comparison &comparison) {
  json::Array tiles;
  for (const ComparedTile &tile : comparison.tiles)
    tiles.push_back(json::Object{{"name", tile.name},
                                 {"verdict", verdictName(tile.verdict)},
                                 {"old_ns", tile.oldNs},
                                 {"new_ns", tile.newNs},
                                 {"ratio", tile.ratio()},
                                 {"tolerance_percent", tile.tolerancePercent},
                                 {"old_origin", tile.oldOrigin},
                                 {"new_origin", tile.newOrigin}});
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"schema", "tilewright-bench-comparison-1"},
                                {"remarks", json::Array(comparison.remarks)},
                                {"tiles", std::move(tiles)}}))
      .str();
}

void printComparisonText(const Comparison &comparison, raw_ostream &os) {
  os << formatv("{0,10}  {1,10}  {2,7}  {3,8}  {4,-7}  {5}\n", "old ns",
                "new ns", "new/old", "chance", "verdict", "tile");
  for (const ComparedTile &tile : comparison.tiles) {
    os << formatv("{0,10:f1}  {1,10:f1}  {2,7:f3}  {3,8}  {4,-7}  {5}",
                  tile.oldNs, tile.newNs, tile.ratio(),
                  formatv("+-{0:f1} %", tile.tolerancePercent).str(),
                  verdictName(tile.verdict), tile.name);
    if (tile.oldOrigin != tile.newOrigin)
      os << formatv(" ({0}, was {1})", tile.newOrigin, tile.oldOrigin);
    os << '\n';
  }
  for (const std::string &remark : comparison.remarks)
    os << remark << '\n';
}

} // namespace tilewright
