// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Resolve/ChooseBody.h"

#include "HandWritten.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of what stands for the name without tuning.
std::string whyUntuned(const HandWrittenTile *tile,
                       const ResolveOptions &options) {
  if (!tile)
    return "no hand-written tile has this name";
  if (takesHandWritten(*tile, options))
    return "a hand-written tile has this name";
  std::string why = "there is a hand-written tile, but ";
  if (!options.preferHandWritten)
    return why + "--prefer=generated";
  return why + "another instruction is quicker on " + options.generate.tuneCpu;
}

/// "tuned on znver4: 0.912 of the time of the hand-written body (0.905 to
/// 0.918, 128 rounds, 2026-11-24T12:00:00Z)".
std::string whyTuned(const TuningEntry &entry, bool isGenerated) {
  if (entry.isHandWritten && isGenerated)
    return formatv("tuned on {0}: quicker than the planner's choice for sure, "
                   "as the hand-written body is than both ({1} rounds, {2})",
                   entry.core, entry.rounds, entry.measured)
        .str();
  if (entry.ratio == 1)
    return formatv("tuned on {0}: no other body is quicker for sure ({1} "
                   "rounds, {2})",
                   entry.core, entry.rounds, entry.measured)
        .str();
  return formatv("tuned on {0}: {1:f3} of the time of {2} ({3:f3} to {4:f3}, "
                 "{5} rounds, {6})",
                 entry.core, entry.ratio,
                 entry.handWritten.empty() ? "the planner's own choice"
                                           : "the hand-written body",
                 entry.low, entry.high, entry.rounds, entry.measured)
      .str();
}

} // namespace

ChosenBody chooseBody(
    const TileKey &key, const ResolveOptions &options,
    function_ref<Expected<std::string>(const HandWrittenTile &)> handWritten) {
  const HandWrittenTile *tile = findHandWrittenTile(key);
  ChosenBody body;
  body.handWritten = tile && takesHandWritten(*tile, options) ? tile : nullptr;
  body.plan = options.generate.plan;
  body.why = whyUntuned(tile, options);
  if (!options.tuning || !body.plan.empty() || info(key.isa).isGpu() ||
      options.generate.lowering != Lowering::Plan)
    return body;
  body.tuned =
      options.tuning->find(key, options.core, [&]() -> Expected<std::string> {
        return tile ? handWritten(*tile) : std::string();
      });
  if (body.tuned.unfollowed)
    body.why += "; tuning is not followed: " + body.tuned.reason;
  const TuningEntry *entry = body.tuned.entry;
  if (!entry)
    return body;
  const bool isGenerated = !entry->isHandWritten || !options.preferHandWritten;
  if (isGenerated && entry->plan.empty())
    return body;
  body.handWritten = isGenerated ? nullptr : tile;
  body.plan = isGenerated ? entry->plan : "";
  body.why = whyTuned(*entry, isGenerated);
  return body;
}

ChosenBody chooseBody(const TileKey &key, const ResolveOptions &options) {
  return chooseBody(key, options, [&](const HandWrittenTile &tile) {
    return handWrittenDigest(&tile, options.bitcodeDir);
  });
}

Expected<std::string> handWrittenDigest(const HandWrittenTile *tile,
                                        StringRef bitcodeDir) {
  if (!tile)
    return std::string();
  HandWrittenBitcode bitcode(bitcodeDir);
  Backends backends;
  return bitcode.digest(*tile, backends);
}

} // namespace tilewright
