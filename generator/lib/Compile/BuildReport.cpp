// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"
#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tilewright {
namespace {

json::Array strings(const std::vector<std::string> &lines) {
  json::Array array;
  for (const std::string &line : lines)
    array.push_back(json::fixUTF8(line));
  return array;
}

/// The tiles whose kernels the device runs, each with how its kernel does that.
struct DeviceTile {
  std::string name, plan;
};

std::vector<DeviceTile> deviceTiles(const BuildReport &report) {
  std::vector<DeviceTile> tiles;
  for (const TileKey &key : report.model.tiles)
    if (info(key.isa).isGpu())
      tiles.push_back({printTileKey(key, report.prefix),
                       printKernelPlan(cantFail(planKernel(key)))});
  return tiles;
}

json::Array deviceTilesAsJson(const BuildReport &report) {
  json::Array array;
  for (const DeviceTile &tile : deviceTiles(report))
    array.push_back(json::Object{{"name", tile.name}, {"plan", tile.plan}});
  return array;
}

json::Array constantsAsJson(const std::vector<LargeConstant> &constants) {
  json::Array array;
  for (const LargeConstant &constant : constants)
    array.push_back(json::Object{{"type", constant.type},
                                 {"bytes", int64_t(constant.bytes)},
                                 {"packed", constant.packed}});
  return array;
}

void printConstantsAsText(const std::vector<LargeConstant> &constants,
                          raw_ostream &os) {
  if (constants.empty())
    return;
  size_t width = 0;
  uint64_t total = 0;
  for (const LargeConstant &constant : constants) {
    width = std::max(width, constant.type.size());
    total += constant.bytes;
  }
  os << "\nconstants of 4 KiB or more, " << total << " bytes\n";
  for (const LargeConstant &constant : constants)
    os << "  " << left_justify(constant.type, width) << ' '
       << format_decimal(constant.bytes, 12) << " bytes"
       << (constant.packed ? ", packed" : "") << '\n';
}

/// A number, or an expression of C; null where neither can be told.
json::Value countAsJson(const std::string &count) {
  int64_t number;
  if (count.empty())
    return nullptr;
  if (!StringRef(count).getAsInteger(10, number))
    return number;
  return json::fixUTF8(count);
}

/// What an entry point does only when it is called for few rows.
void noteFewRows(json::Object &object, bool fewRows) {
  if (fewRows)
    object["few_rows"] = true;
}

json::Array workAsJson(const std::vector<DispatchWork> &works) {
  json::Array array;
  for (const DispatchWork &work : works) {
    json::Object object{{"entry_point", json::fixUTF8(work.entry)},
                        {"calls", work.calls},
                        {"bytes_read", countAsJson(work.bytesRead)},
                        {"bytes_written", countAsJson(work.bytesWritten)},
                        {"operations", countAsJson(work.operations)}};
    noteFewRows(object, work.fewRows);
    if (!work.whyUnknown.empty())
      object["unknown_because"] = work.whyUnknown;
    array.push_back(std::move(object));
  }
  return array;
}

json::Array dispatchesAsJson(const std::vector<ModelDispatch> &functions) {
  json::Array array;
  for (const ModelDispatch &function : functions) {
    json::Object object{{"function", function.name},
                        {"calls", function.calls},
                        {"at", json::fixUTF8(function.place)},
                        {"work", workAsJson(function.work)}};
    if (function.callsForFewRows)
      object["calls_for_few_rows"] = function.callsForFewRows;
    if (!function.device.empty())
      object["device"] = function.device;
    if (!function.tile.empty()) {
      object["tile"] = function.tile;
      object["packs"] = function.packs;
    }
    if (function.percent) {
      object["percent_of_bandwidth"] = *function.percent;
      object["slow_because"] = function.slowBecause;
    }
    array.push_back(std::move(object));
  }
  return array;
}

/// Of each function only so many calls of different work are printed.
constexpr size_t kMostWorkLines = 3;

void printWorkAsText(const ModelDispatch &function, raw_ostream &os) {
  auto count = [](const std::string &text) {
    return text.empty() ? std::string("unknown") : text;
  };
  for (const DispatchWork &work :
       ArrayRef(function.work).take_front(kMostWorkLines)) {
    os << "           ";
    if (function.work.size() > 1)
      os << work.calls << (work.fewRows ? " for few rows: " : " of them: ");
    os << "bytes read " << count(work.bytesRead) << "; written "
       << count(work.bytesWritten) << "; operations " << count(work.operations)
       << (work.whyUnknown.empty() ? "" : "; unknown, for ") << work.whyUnknown
       << '\n';
  }
  if (function.work.size() > kMostWorkLines)
    os << "           and " << function.work.size() - kMostWorkLines
       << " other sizes\n";
}

void printDispatchesAsText(const std::vector<ModelDispatch> &functions,
                           raw_ostream &os) {
  if (functions.empty())
    return;
  int64_t calls = 0, callsForFewRows = 0;
  for (const ModelDispatch &function : functions) {
    calls += function.calls;
    callsForFewRows += function.callsForFewRows;
  }
  os << '\n' << calls << " dispatches of " << functions.size() << " functions";
  if (callsForFewRows)
    os << "; " << callsForFewRows << " for few rows";
  os << '\n';
  for (const ModelDispatch &function : functions) {
    os << format_decimal(function.calls, 6) << " x " << function.name
       << (function.device.empty() ? "" : " on " + function.device);
    if (!function.place.empty())
      os << ", " << function.place;
    if (function.callsForFewRows)
      os << "; " << function.callsForFewRows << " for few rows";
    os << '\n';
    if (!function.tile.empty())
      os << "           by " << function.tile
         << (function.packs.empty() ? "" : ", packs " + function.packs) << '\n';
    printWorkAsText(function, os);
  }
}

json::Array relayoutsAsJson(const std::vector<Relayout> &relayouts) {
  json::Array array;
  for (const Relayout &relayout : relayouts) {
    json::Object object{{"what", relayout.what},
                        {"entry_point", json::fixUTF8(relayout.function)},
                        {"at", json::fixUTF8(relayout.place)},
                        {"from", relayout.from},
                        {"to", relayout.to},
                        {"bytes", countAsJson(relayout.bytes)},
                        {"rule", relayout.rule},
                        {"reason", json::fixUTF8(relayout.reason)}};
    noteFewRows(object, relayout.fewRows);
    if (!relayout.device.empty())
      object["device"] = json::fixUTF8(relayout.device);
    if (!relayout.whyUnknown.empty())
      object["unknown_because"] = relayout.whyUnknown;
    array.push_back(std::move(object));
  }
  return array;
}

void printRelayoutsAsText(const BuildReport &report, raw_ostream &os) {
  const std::vector<Relayout> &relayouts = report.model.relayouts;
  size_t forFewRows = llvm::count_if(
      relayouts, [](const Relayout &each) { return each.fewRows; });
  os << '\n' << relayouts.size() - forFewRows << " relayouts";
  if (forFewRows)
    os << "; " << forFewRows << " for few rows";
  os << '\n';
  for (const Relayout &relayout : relayouts) {
    os << "  " << relayout.what << " in " << relayout.function
       << (relayout.fewRows ? ", for few rows," : "");
    if (report.devices.size() > 1)
      os << " on " << relayout.device;
    if (!relayout.place.empty())
      os << ", " << relayout.place;
    os << "\n    " << relayout.from << " -> " << relayout.to << "\n    "
       << (relayout.bytes.empty() ? "unknown" : relayout.bytes) << " bytes"
       << (relayout.whyUnknown.empty() ? "" : ", for ") << relayout.whyUnknown
       << "; " << relayout.rule << ": " << relayout.reason << '\n';
  }
}

json::Array sharedWeightsAsJson(const std::vector<SharedWeight> &weights) {
  json::Array array;
  for (const SharedWeight &weight : weights) {
    json::Array sizes;
    for (int64_t size : weight.sizes)
      sizes.push_back(size < 0 ? json::Value(nullptr) : json::Value(size));
    json::Object object{{"entry_point", json::fixUTF8(weight.function)},
                        {"at", json::fixUTF8(weight.place)},
                        {"device", json::fixUTF8(weight.device)},
                        {"weight", weight.weight},
                        {"m_n_k", std::move(sizes)},
                        {"tile", weight.tile},
                        {"tile_alone", weight.alone},
                        {"estimated_cost", weight.cost
                                               ? json::Value(*weight.cost)
                                               : json::Value(nullptr)}};
    noteFewRows(object, weight.fewRows);
    array.push_back(std::move(object));
  }
  return array;
}

void printSharedWeightsAsText(const std::vector<SharedWeight> &weights,
                              raw_ostream &os) {
  if (weights.empty())
    return;
  os << "\nmultiplications by a rhs that is shared, or handed over packed\n";
  for (const SharedWeight &weight : weights) {
    os << "  " << weight.weight << " in " << weight.function
       << (weight.fewRows ? ", for few rows" : "");
    if (!weight.place.empty())
      os << ", " << weight.place;
    os << "\n    by " << weight.tile;
    if (weight.tile == weight.alone) {
      os << ", as alone\n";
      continue;
    }
    os << "\n    alone " << weight.alone << "\n    estimated time by that "
       << "alone: ";
    if (weight.cost)
      os << format("%.2f\n", *weight.cost);
    else
      os << "not known\n";
  }
}

json::Array parameterWorkAsJson(const std::vector<ModelParameterWork> &works) {
  json::Array array;
  for (const ModelParameterWork &work : works) {
    json::Object object{{"entry_points", strings(work.functions)},
                        {"at", json::fixUTF8(work.place)},
                        {"type", work.type},
                        {"bytes", int64_t(work.bytes)},
                        {"bytes_read", work.bytesRead},
                        {"operations", work.operations}};
    if (!work.because.empty())
      object["because"] = json::fixUTF8(work.because);
    array.push_back(std::move(object));
  }
  return array;
}

json::Object keptOnDevicesAsJson(const std::vector<KeptOnDevice> &devices) {
  json::Object object;
  for (const KeptOnDevice &its : devices)
    object[its.device] = int64_t(its.bytes);
  return object;
}

void printParameterWorkAsText(const std::vector<ModelParameterWork> &works,
                              raw_ostream &os) {
  for (const ModelParameterWork &work : works) {
    os << "  " << work.type << " of " << join(work.functions, ", ");
    if (!work.place.empty())
      os << ", " << work.place;
    os << "\n    bytes read " << work.bytesRead << ", made " << work.bytes
       << "; operations " << work.operations << '\n';
    if (!work.because.empty())
      os << "    for " << work.because << '\n';
  }
}

/// What depends on parameters alone.
void printParameterWorkAsText(const CompiledModel &model, raw_ostream &os) {
  if (!model.runOnce.empty()) {
    os << "\ncomputed once, when an instance is made, and kept in "
       << model.keptBytes << " bytes\n";
    for (const KeptOnDevice &its : model.keptOnDevices)
      os << "  and in " << its.bytes << " bytes of '" << its.device << "'\n";
  }
  printParameterWorkAsText(model.runOnce, os);
  if (!model.eachCall.empty())
    os << "\ncomputed by each call though it depends on parameters alone\n";
  printParameterWorkAsText(model.eachCall, os);
}

json::Object arenaAsJson(const Arena &arena) {
  return json::Object{{"buffers", arena.buffers},
                      {"static_bytes", arena.staticBytes},
                      {"slots", strings(arena.slots)},
                      {"others", strings(arena.others)}};
}

void printArenasAsText(const std::vector<EntryPoint> &entries,
                       raw_ostream &os) {
  for (const EntryPoint &entry : entries) {
    if (!entry.arena)
      continue;
    os << "\narena of " << entry.name << ", with " << entry.arena->buffers
       << " buffers\n  " << arenaText(*entry.arena) << '\n';
    for (const std::string &other : entry.arena->others)
      os << "  from malloc: " << other << '\n';
  }
}

void printCodeObjectsAsText(const BuildReport &report, raw_ostream &os) {
  const CompiledModel &model = report.model;
  bool areSeveral = model.codeObjects.size() > 1;
  os << (areSeveral ? "devices " : "device ");
  interleaveComma(model.codeObjects, os,
                  [&](const CodeObject &code) { os << code.target; });
  os << "\n\n" << model.dispatches << " dispatches";
  for (const CodeObject &code : model.codeObjects) {
    os << (areSeveral ? "\n" : " of ") << code.kernels.size()
       << " kernels in a code object of " << code.bytes << " bytes";
    if (areSeveral)
      os << " for " << code.target;
    for (const std::string &kernel : code.kernels)
      os << "\n  " << kernel;
  }
  os << '\n';
  for (const DeviceTile &tile : deviceTiles(report))
    os << '\n' << tile.name << "\n  " << tile.plan << '\n';
  os << '\n';
}

/// Of one target as it is, of several with what each has.
json::Object codeObjectsAsJson(const BuildReport &report) {
  const CompiledModel &model = report.model;
  json::Object object{{"dispatches", model.dispatches},
                      {"tiles", deviceTilesAsJson(report)}};
  auto add = [](json::Object &to, const CodeObject &code) {
    to["target"] = code.target;
    to["kernels"] = strings(code.kernels);
    to["code_object_bytes"] = int64_t(code.bytes);
  };
  if (model.codeObjects.size() == 1) {
    add(object, model.codeObjects.front());
    return object;
  }
  json::Array all;
  for (const CodeObject &code : model.codeObjects) {
    json::Object each;
    add(each, code);
    all.push_back(std::move(each));
  }
  object["code_objects"] = std::move(all);
  return object;
}

} // namespace

std::vector<StepTime> stepsOf(const BuildReport &report) {
  std::vector<StepTime> result = report.model.steps;
  result.push_back({"gather", report.link.gatherMs});
  result.push_back({"resolve", report.link.resolveMs});
  result.push_back({"link", report.link.linkMs});
  result.push_back({"write", report.link.writeMs});
  return result;
}

void printBuildReportAsJson(const BuildReport &report, raw_ostream &os) {
  json::Array tiles;
  for (const ResolvedTile &tile : report.link.tiles)
    tiles.push_back(json::Object{{"name", tile.name},
                                 {"origin", originName(tile.origin)},
                                 {"ms", tile.ms}});
  json::Array times;
  for (const StepTime &step : stepsOf(report))
    times.push_back(json::Object{{"step", step.name}, {"ms", step.ms}});
  json::Array entries;
  for (const EntryPoint &entry : report.model.entries) {
    json::Object object{{"name", entry.name},
                        {"parameters", strings(entry.parameters)},
                        {"shapes", strings(entry.shapes)}};
    if (entry.arena)
      object["arena"] = arenaAsJson(*entry.arena);
    entries.push_back(std::move(object));
  }
  json::Object object{
      {"target", report.target},
      {"entry_points", std::move(entries)},
      {"tiles", std::move(tiles)},
      {"dispatches", dispatchesAsJson(report.model.functions)},
      {"relayouts", relayoutsAsJson(report.model.relayouts)},
      {"shared_weights", sharedWeightsAsJson(report.model.sharedWeights)},
      {"run_once",
       json::Object{{"bytes_kept", int64_t(report.model.keptBytes)},
                    {"bytes_kept_on_devices",
                     keptOnDevicesAsJson(report.model.keptOnDevices)},
                    {"work", parameterWorkAsJson(report.model.runOnce)}}},
      {"each_call", parameterWorkAsJson(report.model.eachCall)},
      {"packed_constants", strings(report.model.packedConstants)},
      {"large_constants", constantsAsJson(report.model.largeConstants)},
      {"remarks", strings(report.model.remarks)},
      {"steps", std::move(times)},
      {"output_bytes", int64_t(report.link.outputBytes)},
      {"peak_memory_bytes", int64_t(report.link.peakBytes)}};
  if (report.devices.size() > 1) {
    json::Array devices;
    for (const ModelDevice &device : report.devices)
      devices.push_back(
          json::Object{{"name", device.name}, {"target", device.target}});
    object["devices"] = std::move(devices);
  }
  if (!report.model.codeObjects.empty())
    object["device"] = codeObjectsAsJson(report);
  os << formatv("{0:2}\n", json::Value(std::move(object)));
}

void printBuildReportAsText(const BuildReport &report, raw_ostream &os) {
  if (!report.model.codeObjects.empty())
    printCodeObjectsAsText(report, os);
  os << "target " << report.target << "\n";
  for (const ModelDevice &device : report.devices)
    if (report.devices.size() > 1)
      os << "  device " << device.name << " = " << device.target << '\n';
  os << "\nkernels\n";
  size_t width = 0;
  for (const ResolvedTile &tile : report.link.tiles)
    width = std::max(width, tile.name.size());
  for (const ResolvedTile &tile : report.link.tiles)
    os << "  " << left_justify(tile.name, width) << "  "
       << left_justify(originName(tile.origin), 12)
       << format("  %7.2f ms\n", tile.ms);
  if (report.link.tiles.empty())
    os << "  none\n";
  printDispatchesAsText(report.model.functions, os);
  printRelayoutsAsText(report, os);
  printSharedWeightsAsText(report.model.sharedWeights, os);
  printParameterWorkAsText(report.model, os);
  if (!report.model.packedConstants.empty())
    os << "\nconstants packed at compile time\n";
  for (const std::string &line : report.model.packedConstants)
    os << "  " << line << '\n';
  printConstantsAsText(report.model.largeConstants, os);
  printArenasAsText(report.model.entries, os);
  if (!report.model.remarks.empty())
    os << "\nremarks\n";
  for (const std::string &line : report.model.remarks)
    os << "  " << line << '\n';
  os << "\ntime by step\n";
  double total = 0;
  for (const StepTime &step : stepsOf(report)) {
    os << "  " << left_justify(step.name, 10) << format("%8.2f ms\n", step.ms);
    total += step.ms;
  }
  os << "  " << left_justify("total", 10) << format("%8.2f ms\n", total) << '\n'
     << report.link.outputBytes << " bytes written; peak memory "
     << format("%.1f MiB\n", double(report.link.peakBytes) / (1 << 20));
}

} // namespace tilewright
