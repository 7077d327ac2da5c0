// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Tuning/Database.h"

#include "tilewright/Support/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace llvm;

namespace tilewright {
namespace {

/// The first one has no shapes, and is read.
constexpr StringRef kFirstSchema = "tilewright-tuning-1",
                    kSchema = "tilewright-tuning-2";
constexpr StringRef kHandWritten = "hand-written", kGenerated = "generated";

auto identity(const TuningEntry &entry) {
  return std::tie(entry.name, entry.core, entry.version);
}

auto identity(const ShapeEntry &entry) {
  return std::tie(entry.types, entry.rows, entry.core, entry.version);
}

json::Value orNull(const std::string &text) {
  return text.empty() ? json::Value(nullptr) : json::Value(text);
}

json::Value asJson(const TuningEntry &entry) {
  return json::Object{{"name", entry.name},
                      {"core", entry.core},
                      {"version", entry.version},
                      {"generator", entry.generator},
                      {"hand_written", orNull(entry.handWritten)},
                      {"body", entry.isHandWritten ? kHandWritten : kGenerated},
                      {"plan", orNull(entry.plan)},
                      {"code", orNull(entry.code)},
                      {"ratio", entry.ratio},
                      {"interval", json::Array{entry.low, entry.high}},
                      {"rounds", entry.rounds},
                      {"measured", entry.measured}};
}

json::Value asJson(const ShapeEntry &entry) {
  return json::Object{{"types", entry.types},
                      {"rows", entry.rows},
                      {"core", entry.core},
                      {"version", entry.version},
                      {"tile", entry.tile},
                      {"beside", entry.beside},
                      {"hand_written", entry.handWritten},
                      {"beside_hand_written", entry.besideHandWritten},
                      {"ratio", entry.ratio},
                      {"interval", json::Array{entry.low, entry.high}},
                      {"rounds", entry.rounds},
                      {"measured", entry.measured}};
}

bool mapNotEmpty(json::ObjectMapper &map, StringLiteral name,
                 std::string &value, json::Path path) {
  if (!map.map(name, value))
    return false;
  if (!value.empty())
    return true;
  path.field(name).report("expected a text that is not empty");
  return false;
}

/// The text, or none for null and for nothing.
bool mapOptional(json::ObjectMapper &map, StringLiteral name,
                 std::string &value) {
  std::optional<std::string> text;
  if (!map.map(name, text))
    return false;
  value = text.value_or("");
  return true;
}

bool mapBody(json::ObjectMapper &map, TuningEntry &entry, json::Path path) {
  std::string body;
  if (!map.map("body", body) || !mapOptional(map, "plan", entry.plan) ||
      !mapOptional(map, "code", entry.code) ||
      !mapOptional(map, "hand_written", entry.handWritten))
    return false;
  if (body != kHandWritten && body != kGenerated) {
    path.field("body").report("expected \"hand-written\" or \"generated\"");
    return false;
  }
  entry.isHandWritten = body == kHandWritten;
  if (body == kGenerated && entry.plan.empty()) {
    path.field("plan").report("expected the plan of the generated body");
    return false;
  }
  if (entry.plan.empty() && !entry.code.empty()) {
    path.field("code").report("expected null where there is no plan");
    return false;
  }
  if (body == kHandWritten && entry.handWritten.empty()) {
    path.field("hand_written")
        .report("expected the digest of the hand-written body");
    return false;
  }
  return true;
}

template <typename Entry>
bool mapMeasurement(json::ObjectMapper &map, Entry &entry, json::Path path) {
  std::vector<double> interval;
  if (!map.map("ratio", entry.ratio) || !map.map("interval", interval) ||
      !map.map("rounds", entry.rounds) || !map.map("measured", entry.measured))
    return false;
  if (interval.size() != 2 || !(interval[0] > 0) ||
      !(interval[0] <= entry.ratio) || !(entry.ratio <= interval[1])) {
    path.field("interval")
        .report("expected two numbers above 0, between which the ratio is");
    return false;
  }
  entry.low = interval[0];
  entry.high = interval[1];
  if (entry.rounds < 0) {
    path.field("rounds").report("expected how many pairs were measured");
    return false;
  }
  return true;
}

/// Says which of two entries are one.
template <typename Entry>
bool checkDistinct(const std::vector<Entry> &entries, StringLiteral field,
                   StringLiteral expected, json::Path path) {
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (identity(entries[i]) == identity(entries[j])) {
        path.field(field).index(i).report(expected);
        return false;
      }
  return true;
}

template <typename Entry>
void mergeInto(std::vector<Entry> &entries, std::vector<Entry> others) {
  for (Entry &entry : others) {
    auto known = find_if(entries, [&](const Entry &here) {
      return identity(here) == identity(entry);
    });
    if (known != entries.end())
      *known = std::move(entry);
    else
      entries.push_back(std::move(entry));
  }
}

template <typename Entry> json::Array sortedJson(std::vector<Entry> entries) {
  sort(entries, [](const Entry &a, const Entry &b) {
    return identity(a) < identity(b);
  });
  json::Array array;
  for (const Entry &entry : entries)
    array.push_back(asJson(entry));
  return array;
}

} // namespace

// Where json::ObjectMapper finds them.
static bool fromJSON(const json::Value &value, TuningEntry &entry,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNotEmpty(map, "name", entry.name, path) &&
         mapNotEmpty(map, "core", entry.core, path) &&
         mapNotEmpty(map, "version", entry.version, path) &&
         mapNotEmpty(map, "generator", entry.generator, path) &&
         mapBody(map, entry, path) && mapMeasurement(map, entry, path);
}

static bool fromJSON(const json::Value &value, ShapeEntry &entry,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNotEmpty(map, "types", entry.types, path) &&
         mapNotEmpty(map, "rows", entry.rows, path) &&
         mapNotEmpty(map, "core", entry.core, path) &&
         mapNotEmpty(map, "version", entry.version, path) &&
         mapNotEmpty(map, "tile", entry.tile, path) &&
         mapNotEmpty(map, "beside", entry.beside, path) &&
         mapNotEmpty(map, "hand_written", entry.handWritten, path) &&
         mapNotEmpty(map, "beside_hand_written", entry.besideHandWritten,
                     path) &&
         mapMeasurement(map, entry, path);
}

static bool fromJSON(const json::Value &value, TuningDatabase &database,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  std::string schema;
  if (!map || !map.map("schema", schema))
    return false;
  if (schema != kSchema && schema != kFirstSchema) {
    path.field("schema").report(
        "expected \"tilewright-tuning-2\" or \"tilewright-tuning-1\"");
    return false;
  }
  if (!map.map("entries", database.entries) ||
      (schema == kSchema && !map.map("shapes", database.shapes)))
    return false;
  return checkDistinct(database.entries, "entries",
                       "expected a tile, core and version that do not stand "
                       "above",
                       path) &&
         checkDistinct(database.shapes, "shapes",
                       "expected types, rows, core and version that do not "
                       "stand above",
                       path);
}

void TuningDatabase::merge(TuningDatabase other) {
  mergeInto(entries, std::move(other.entries));
  mergeInto(shapes, std::move(other.shapes));
}

std::string printTuning(TuningDatabase database) {
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"schema", kSchema},
                                {"entries", sortedJson(database.entries)},
                                {"shapes", sortedJson(database.shapes)}}))
      .str();
}

Expected<TuningDatabase> parseTuning(StringRef text, StringRef file) {
  auto refuse = [&](Error why) {
    return createStringError(
        "'" + file +
        "' is not what 'tilewright tune' writes: " + toString(std::move(why)));
  };
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return refuse(value.takeError());
  TuningDatabase database;
  json::Path::Root root("the file");
  if (!fromJSON(*value, database, root))
    return refuse(root.getError());
  return database;
}

Expected<TuningDatabase> readTuning(const std::string &path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createFileError(path, file.getError());
  ReadingInput reading(path, "what 'tilewright tune' writes");
  return parseTuning((*file)->getBuffer(), path);
}

} // namespace tilewright
