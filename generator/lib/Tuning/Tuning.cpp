// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Tuning/Tuning.h"

#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Tuning/Shapes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>
#include <tuple>

using namespace llvm;

namespace tilewright {
namespace {

std::optional<TileKey> keyOf(const TuningEntry &entry) {
  ParsedTileKey parsed = parseTileKey(entry.name);
  if (!parsed.key || info(parsed.key->isa).isGpu())
    return std::nullopt;
  return parsed.key;
}

/// Why the plan of `entry` is not one of `key` in full; empty if it is. Only
/// the very plan that was measured is what the measurement speaks of.
std::string whyPlanUnusable(const TuningEntry &entry, const TileKey &key) {
  Expected<TilePlan> plan = planTile(key, entry.plan);
  if (!plan)
    return toString(plan.takeError());
  if (printTilePlan(*plan) != entry.plan)
    return "its plan is not one in full, '" + printTilePlan(*plan) + "'";
  return "";
}

/// Of an entry of bodies or of shapes.
template <typename Entry>
std::optional<Unfollowed> judgeOrigin(const Entry &entry, StringRef core,
                                      std::string &reason) {
  if (entry.core != core) {
    reason = "it is of " + entry.core + ", and this is for " +
             (core.empty() ? "no core in particular" : core.str());
    return Unfollowed::OtherCore;
  }
  if (entry.version != tuningVersion()) {
    reason = "it is of version " + entry.version +
             " of the tool, and this is " + tuningVersion().str();
    return Unfollowed::OtherVersion;
  }
  return std::nullopt;
}

std::optional<Unfollowed> judgeHandWritten(Expected<std::string> digest,
                                           StringRef measured,
                                           std::string &reason) {
  if (!digest) {
    reason = "the hand-written body that it was measured beside cannot be "
             "looked at: " +
             toString(digest.takeError());
    return Unfollowed::OtherHandWritten;
  }
  if (*digest != measured) {
    reason = "the hand-written body has changed since it was measured";
    return Unfollowed::OtherHandWritten;
  }
  return std::nullopt;
}

std::string whyOtherGenerator(const TuningEntry &entry) {
  return entry.generator == generatorDigest()
             ? ""
             : "the generator has changed since it was measured";
}

/// Of what the project ships: a test says that its bodies' code is what was
/// measured, so that a change of the generator leaves those whose code it
/// leaves. It says so of one version of LLVM.
std::string whyOtherCode(const TuningEntry &entry) {
  const StringRef madeBy = llvmOf(entry.code);
  if (entry.plan.empty() || madeBy == llvmHere())
    return "";
  return "its code was made by " +
         (madeBy.empty() ? "an unknown LLVM" : madeBy.str());
}

/// One entry against what there is.
class Judge {
public:
  Judge(const TileKey &key, StringRef core,
        function_ref<Expected<std::string>()> handWritten)
      : key(key), core(core), handWritten(handWritten) {}

  /// Why `entry` is not to be followed, with the reason in `reason`.
  std::optional<Unfollowed> judge(const TuningEntry &entry, bool isShipped,
                                  std::string &reason) {
    if (auto why = judgeOrigin(entry, core, reason))
      return why;
    reason = isShipped ? whyOtherCode(entry) : whyOtherGenerator(entry);
    if (!reason.empty())
      return Unfollowed::OtherGenerator;
    if (auto why = judgeHandWritten(handWritten(), entry.handWritten, reason))
      return why;
    if (!entry.plan.empty())
      reason = whyPlanUnusable(entry, key);
    if (!reason.empty())
      return Unfollowed::Plan;
    return std::nullopt;
  }

private:
  const TileKey &key;
  StringRef core;
  function_ref<Expected<std::string>()> handWritten;
};

} // namespace

StringRef tuningVersion() { return TILEWRIGHT_VERSION; }

void UnfollowedEntries::add(const TunedBody &body) {
  if (body.unfollowed && !body.isShipped)
    add(body.why, body.unfollowed->name, body.reason);
}

void UnfollowedEntries::add(Unfollowed why, StringRef name, StringRef reason) {
  Kind &kind = kinds[why];
  if (kind.count++ > 0)
    return;
  kind.name = name;
  kind.reason = reason;
}

std::string UnfollowedEntries::text() const {
  size_t total = 0;
  std::vector<std::string> reasons;
  for (const auto &[why, kind] : kinds) {
    total += kind.count;
    reasons.push_back(
        formatv("{0}{1}: {2}", kind.name,
                kind.count == 1
                    ? ""
                    : formatv(" and {0} more", kind.count - 1).str(),
                kind.reason)
            .str());
  }
  if (total == 0)
    return "";
  return formatv("tuning: {0} {1} not followed; {2}", total,
                 total == 1 ? "entry is" : "entries are", join(reasons, "; "))
      .str();
}

Tuning::Tuning(TuningDatabase asked, TuningDatabase shipped)
    : asked{std::move(asked), {}}, shipped{std::move(shipped), {}} {
  index(this->asked, /*isAsked=*/true);
  index(this->shipped, /*isAsked=*/false);
}

void Tuning::index(Layer &layer, bool isAsked) {
  for (const TuningEntry &entry : layer.database.entries) {
    if (std::optional<TileKey> key = keyOf(entry))
      layer.byKey[*key].push_back(&entry);
    else if (isAsked)
      notTiles.add(
          {nullptr, &entry, Unfollowed::NoTile, "it names no tile of a CPU"});
  }
}

TunedBody
Tuning::find(const TileKey &key, StringRef core,
             function_ref<Expected<std::string>()> handWritten) const {
  TunedBody found;
  Judge judge(key, core, handWritten);
  for (const Layer *layer : {&asked, &shipped}) {
    auto entries = layer->byKey.find(key);
    if (entries == layer->byKey.end())
      continue;
    for (const TuningEntry *entry : entries->second) {
      std::string reason;
      const bool isShipped = layer == &shipped;
      std::optional<Unfollowed> why = judge.judge(*entry, isShipped, reason);
      if (!why)
        return {entry, nullptr, Unfollowed::NoTile, "", false};
      // What the project ships is for many cores: that goes without saying.
      if (isShipped && *why == Unfollowed::OtherCore)
        continue;
      if (found.unfollowed && found.isShipped != isShipped)
        continue;
      // What comes closest failed last.
      if (!found.unfollowed || *why > found.why)
        found = {nullptr, entry, *why, reason, isShipped};
    }
  }
  return found;
}

std::vector<const ShapeEntry *>
Tuning::shapes(StringRef core,
               function_ref<Expected<std::string>(const TileKey &)> handWritten,
               UnfollowedEntries &unfollowed) const {
  auto judge = [&](const ShapeEntry &entry,
                   std::string &reason) -> std::optional<Unfollowed> {
    Expected<Shape> shape = shapeOf(entry);
    if (!shape) {
      reason = toString(shape.takeError());
      return Unfollowed::NoTile;
    }
    if (auto why = judgeOrigin(entry, core, reason))
      return why;
    if (auto why = judgeHandWritten(handWritten(shape->tile), entry.handWritten,
                                    reason))
      return why;
    return judgeHandWritten(handWritten(shape->beside), entry.besideHandWritten,
                            reason);
  };
  std::vector<const ShapeEntry *> followed;
  auto isKnown = [&](const ShapeEntry &entry) {
    return any_of(followed, [&](const ShapeEntry *it) {
      return it->types == entry.types && it->rows == entry.rows;
    });
  };
  std::vector<std::tuple<Unfollowed, const ShapeEntry *, std::string>> others;
  for (const ShapeEntry &entry : asked.database.shapes) {
    std::string reason;
    if (std::optional<Unfollowed> why = judge(entry, reason))
      others.emplace_back(*why, &entry, reason);
    else
      followed.push_back(&entry);
  }
  for (const auto &[why, entry, reason] : others)
    if (!isKnown(*entry))
      unfollowed.add(why, shapeText(*entry), reason);
  for (const ShapeEntry &entry : shipped.database.shapes) {
    std::string reason;
    if (!judgeOrigin(entry, core, reason) && !isKnown(entry))
      followed.push_back(&entry);
  }
  return followed;
}

} // namespace tilewright
