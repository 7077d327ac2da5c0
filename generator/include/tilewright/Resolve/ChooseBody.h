// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which body stands for a tile: the hand-written one, or one of which plan.

#ifndef TILEWRIGHT_RESOLVE_CHOOSEBODY_H
#define TILEWRIGHT_RESOLVE_CHOOSEBODY_H

#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Tuning/Tuning.h"

namespace tilewright {

struct ChosenBody {
  /// The hand-written body; null for a generated one.
  const HandWrittenTile *handWritten = nullptr;
  /// What GenerateOptions::plan is of a generated one.
  std::string plan;
  /// Why, and what of tuning is not followed: a sentence without its full stop.
  std::string why;
  TunedBody tuned;
};

/// As resolveFunctions chooses for what is linked (Bitcode, Object,
/// CodeObject). A plan that `options` has is an explicit one, and tuning is not
/// asked then.
ChosenBody chooseBody(const TileKey &key, const ResolveOptions &options);

/// The same; `handWritten` gives the digest of a hand-written body.
ChosenBody chooseBody(
    const TileKey &key, const ResolveOptions &options,
    llvm::function_ref<llvm::Expected<std::string>(const HandWrittenTile &)>
        handWritten);

/// The digest of the hand-written body's bitcode; empty for null.
/// `bitcodeDir`: as ResolveOptions has it.
llvm::Expected<std::string> handWrittenDigest(const HandWrittenTile *tile,
                                              llvm::StringRef bitcodeDir);

} // namespace tilewright

#endif // TILEWRIGHT_RESOLVE_CHOOSEBODY_H
