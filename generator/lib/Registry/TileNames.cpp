// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Registry/TileNames.h"

using namespace llvm;

namespace tilewright {
namespace {

template <typename Table>
Nearest nearestRow(Nearest nearest, const Table &rows) {
  for (const auto &row : rows)
    nearest.look(StringRef(row.name.data(), row.name.size()));
  return nearest;
}

} // namespace

Nearest nearestTypes(StringRef word) {
  return nearestRow(Nearest(word), typeTriples());
}

// Instruction sets share most of their letters with others.
Nearest nearestIsa(StringRef word) {
  return nearestRow(Nearest(word, /*slips=*/2), isas());
}

Expected<TileKey> parseTileName(StringRef name, StringRef prefix) {
  ParsedTileKey parsed =
      parseTileKey(std::string_view(name.data(), name.size()),
                   std::string_view(prefix.data(), prefix.size()));
  if (parsed.key)
    return *parsed.key;
  std::string question;
  if (parsed.unknown == ParsedTileKey::Unknown::kTypes)
    question = nearestTypes(parsed.word).question();
  else if (parsed.unknown == ParsedTileKey::Unknown::kIsa)
    question = nearestIsa(parsed.word).question();
  if (question.empty())
    return createStringError(parsed.error);
  return createStringError(parsed.problem + question + " Expected " +
                           parsed.accepted);
}

Expected<FunctionKey> parseFunctionName(StringRef name, StringRef prefix) {
  std::string_view view(name.data(), name.size());
  std::string_view prefixView(prefix.data(), prefix.size());
  if (!looksLikePackName(view, prefixView))
    return parseTileName(name, prefix);
  ParsedPackKey parsed = parsePackKey(view, prefixView);
  if (parsed.key)
    return *parsed.key;
  std::string question;
  if (!parsed.unknownIsa.empty())
    question = nearestIsa(parsed.unknownIsa).question();
  if (question.empty())
    return createStringError(parsed.error);
  return createStringError(parsed.problem + question + " Expected " +
                           parsed.accepted);
}

} // namespace tilewright
