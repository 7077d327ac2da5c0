// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather the wanted tile names of all inputs, resolve each once, link.

#ifndef TILEWRIGHT_LINK_LINK_H
#define TILEWRIGHT_LINK_LINK_H

#include "tilewright/Codegen/Resolve.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <vector>

namespace tilewright {

/// The tile names that the inputs want, and do not define themselves.
struct Wanted {
  std::vector<TileKey> keys; ///< each once, in order of first appearance
  unsigned references = 0;   ///< undefined tile symbols over all modules
  unsigned modules = 0;      ///< bitcode modules and objects looked at
};

/// Reads the undefined symbols of bitcode files, ELF objects and archives of
/// either. `prefixes` are the accepted name prefixes ("tw", "iree_uk").
/// Errors name the file (and archive member) and the reason; a name that looks
/// like a tile name but does not parse is an error.
llvm::Expected<Wanted> gatherWanted(llvm::ArrayRef<std::string> paths,
                                    llvm::ArrayRef<std::string> prefixes);

enum class LinkOutput { Archive, Object, Bitcode };

struct LinkOptions {
  LinkOutput output = LinkOutput::Archive;
  /// Bitcode inputs only: give the tiles their caller's attributes and inline
  /// them.
  bool inlineTiles = false;
  std::vector<std::string> prefixes = {std::string(kDefaultPrefix)};
  ResolveOptions resolve;
};

/// One line of the link report.
struct LinkReport {
  Wanted wanted;
  std::vector<ResolvedTile> tiles; ///< without bytes
  double gatherMs = 0, resolveMs = 0, linkMs = 0;
  uint64_t peakBytes = 0; ///< peak resident memory of the process
};

/// Archive: one archive with one object per wanted tile (the inputs are only
/// looked at). Object, Bitcode: all bitcode inputs and the tiles in one module.
/// Writes `outputPath` atomically: on error nothing is left behind.
llvm::Expected<LinkReport> linkTiles(llvm::ArrayRef<std::string> inputs,
                                     llvm::StringRef outputPath,
                                     const LinkOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_LINK_LINK_H
