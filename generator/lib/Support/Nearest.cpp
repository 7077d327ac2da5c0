// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Nearest.h"

#include <algorithm>

using namespace llvm;

namespace tilewright {

Nearest::Nearest(StringRef word)
    : Nearest(word, std::max<unsigned>(2, (word.size() + 2) / 3)) {}

void Nearest::look(StringRef candidate) {
  // The distance, or more than the limit.
  unsigned distance =
      word.edit_distance(candidate, /*AllowReplacements=*/true, slips);
  if (distance <= slips) {
    nearest = candidate;
    slips = distance - (distance > 0);
  }
  if (word.size() >= 3 &&
      (candidate.starts_with(word) || candidate.ends_with(word)) &&
      (longer.empty() || candidate.size() < longer.size()))
    longer = candidate;
}

StringRef Nearest::found() const { return nearest.empty() ? longer : nearest; }

std::string Nearest::question() const {
  return found().empty() ? "" : "; did you mean '" + found().str() + "'?";
}

} // namespace tilewright
