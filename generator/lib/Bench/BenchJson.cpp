// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/BenchReport.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringRef kSchema = "tilewright-bench-1";

json::Value asJson(const std::optional<PeakShare> &peak) {
  if (!peak)
    return nullptr;
  return json::Object{{"sequence", peak->sequence},
                      {"isa", peak->isa},
                      {"gops", peak->gops},
                      {"share_percent", peak->sharePercent}};
}

json::Value asJson(const BenchedTile &tile) {
  return json::Object{{"name", tile.name},
                      {"origin", tile.origin},
                      {"reason", tile.reason},
                      {"body", tile.body},
                      {"made_ms", tile.madeMs},
                      {"checked", tile.checked},
                      {"K", tile.k},
                      {"operations", tile.operations},
                      {"least_ns", tile.leastNs},
                      {"spread_percent", tile.spreadPercent},
                      {"gops", tile.gops()},
                      {"plain_ns", tile.plainNs},
                      {"times_plain", tile.timesPlain()},
                      {"peak", asJson(tile.peak)},
                      {"isa_peak", asJson(tile.isaPeak)}};
}

/// A number above zero: what is divided by.
bool mapPositive(json::ObjectMapper &map, StringLiteral name, double &value,
                 json::Path path) {
  if (!map.map(name, value))
    return false;
  if (value > 0)
    return true;
  path.field(name).report("expected a number above 0");
  return false;
}

} // namespace

// Where json::ObjectMapper finds them.
static bool fromJSON(const json::Value &value, PeakShare &peak,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("sequence", peak.sequence) &&
         map.map("isa", peak.isa) &&
         mapPositive(map, "gops", peak.gops, path) &&
         map.map("share_percent", peak.sharePercent);
}

static bool fromJSON(const json::Value &value, BenchedTile &tile,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map)
    return false;
  return map.map("name", tile.name) && map.map("origin", tile.origin) &&
         map.map("reason", tile.reason) && map.map("body", tile.body) &&
         map.map("made_ms", tile.madeMs) && map.map("checked", tile.checked) &&
         map.map("K", tile.k) &&
         mapPositive(map, "operations", tile.operations, path) &&
         mapPositive(map, "least_ns", tile.leastNs, path) &&
         map.map("spread_percent", tile.spreadPercent) &&
         map.map("plain_ns", tile.plainNs) &&
         map.mapOptional("peak", tile.peak) &&
         map.mapOptional("isa_peak", tile.isaPeak);
}

static bool fromJSON(const json::Value &value, MachineNoise &noise,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t cores = 1;
  if (!map || !map.map("cores", cores) ||
      !map.map("load_average", noise.loadAverage) ||
      !map.map("waiting_percent", noise.waitingPercent) ||
      !map.map("involuntary_switches", noise.involuntarySwitches) ||
      !map.map("steal_percent", noise.stealPercent))
    return false;
  if (cores < 1 || cores > 1000000) {
    path.field("cores").report("expected how many cores there are");
    return false;
  }
  noise.cores = static_cast<unsigned>(cores);
  return true;
}

static bool fromJSON(const json::Value &value, BenchReport &report,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  std::string schema, cache;
  if (!map || !map.map("schema", schema))
    return false;
  if (schema != kSchema) {
    path.field("schema").report("expected \"tilewright-bench-1\"");
    return false;
  }
  if (!map.map("version", report.version) || !map.map("cpu", report.cpu) ||
      !map.map("core", report.core) || !map.map("isas", report.isas) ||
      !map.map("cache", cache) || !map.map("rounds", report.rounds) ||
      !map.map("machine", report.noise) ||
      !map.map("remarks", report.remarks) || !map.map("tiles", report.tiles))
    return false;
  if (cache != "hot" && cache != "cold") {
    path.field("cache").report("expected \"hot\" or \"cold\"");
    return false;
  }
  report.cold = cache == "cold";
  StringSet<> names;
  for (size_t i = 0; i < report.tiles.size(); ++i)
    if (!names.insert(report.tiles[i].name).second) {
      path.field("tiles").index(i).report("a name that stands above already");
      return false;
    }
  return true;
}

std::string printBenchJson(const BenchReport &report) {
  json::Array tiles;
  for (const BenchedTile &tile : report.tiles)
    tiles.push_back(asJson(tile));
  const MachineNoise &noise = report.noise;
  json::Object machine{{"cores", noise.cores},
                       {"load_average", noise.loadAverage},
                       {"waiting_percent", noise.waitingPercent},
                       {"involuntary_switches", noise.involuntarySwitches},
                       {"steal_percent", noise.stealPercent},
                       {"busy", json::Array(noise.reasons())}};
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"schema", kSchema},
                                {"version", report.version},
                                {"cpu", report.cpu},
                                {"core", report.core},
                                {"isas", json::Array(report.isas)},
                                {"cache", report.cold ? "cold" : "hot"},
                                {"rounds", report.rounds},
                                {"machine", std::move(machine)},
                                {"remarks", json::Array(report.remarks)},
                                {"tiles", std::move(tiles)}}))
      .str();
}

Expected<BenchReport> parseBenchJson(StringRef text, StringRef file) {
  auto refuse = [&](Error why) {
    return createStringError(
        "'" + file + "' is not what 'tilewright bench --json' writes: " +
        toString(std::move(why)));
  };
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return refuse(value.takeError());
  BenchReport report;
  json::Path::Root root("the file");
  if (!fromJSON(*value, report, root))
    return refuse(root.getError());
  return report;
}

} // namespace tilewright
