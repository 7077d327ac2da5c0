// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather the wanted tile names of all inputs, resolve each once, link.

#ifndef TILEWRIGHT_LINK_LINK_H
#define TILEWRIGHT_LINK_LINK_H

#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Link/Gather.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Support/OutputFiles.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

enum class LinkOutput {
  /// One archive with one object per wanted tile; the inputs are only looked
  /// at. Tiles are weak definitions, so that a program may hold them and
  /// libtilewright.a, or two such archives, and has one definition per name.
  Archive,
  /// All bitcode inputs and the tiles they want, in one ELF object.
  Object,
  /// The same as one bitcode module.
  Bitcode
};

struct LinkOptions {
  LinkOutput output = LinkOutput::Archive;
  /// Object and Bitcode: inline the tiles into their callers and drop what is
  /// unused then.
  bool inlineTiles = false;
  /// Archive: put the inputs' objects into the archive too, before the tiles.
  /// The output may then be one of the inputs: a static library that is made
  /// complete in place.
  bool withInputs = false;
  /// Inputs in memory, besides the files.
  std::vector<llvm::MemoryBufferRef> buffers;
  /// Constants that the one module of `buffers` refers to; the output defines
  /// them.
  llvm::ArrayRef<ExternalConstant> constants;
  /// What names of the inputs spell, as far as the caller knows.
  std::map<std::string, FunctionKey> known;
  std::vector<std::string> prefixes = {std::string(kDefaultPrefix)};
  /// Archives or objects whose definitions are not wanted: libtilewright.a.
  std::vector<std::string> providers;
  /// Object: makes what is written of the object, which is in several places.
  std::function<llvm::Expected<llvm::SmallVector<char, 0>>(
      llvm::ArrayRef<llvm::StringRef>)>
      finishObject;
  /// `kind` and `generate.prefix` are set by the linker.
  ResolveOptions resolve;
};

/// What was done. One line of `tiles` per wanted name, in Wanted's order.
struct LinkReport {
  Wanted wanted;
  std::vector<ResolvedTile> tiles; ///< without bytes
  /// Calls of tiles in bitcode inputs that were inlined, and that are left.
  unsigned inlinedCalls = 0, remainingCalls = 0;
  double gatherMs = 0, resolveMs = 0, linkMs = 0, writeMs = 0;
  uint64_t outputBytes = 0;
  uint64_t peakBytes = 0; ///< peak resident memory of the process

  unsigned count(Origin origin) const;
};

/// Object and Bitcode check that each caller has its tile's features and give
/// the tile its callers' attributes: see AttributePolicy.h. ELF inputs are
/// looked at and not part of these outputs; tiles that they want are then weak
/// definitions in it, all others internal.
///
/// Writes the output to `outputs`, to which the caller has added it and the
/// inputs, and which it commits. Errors name the file, member, function or key.
llvm::Expected<LinkReport> linkTiles(llvm::ArrayRef<std::string> inputs,
                                     llvm::StringRef outputPath,
                                     const LinkOptions &options,
                                     OutputFiles &outputs);

/// Says which files linkTiles reads and writes. Refuses an output that is one
/// of the inputs, but for `withInputs`.
llvm::Error addLinkFiles(llvm::ArrayRef<std::string> inputs,
                         llvm::StringRef outputPath, const LinkOptions &options,
                         OutputFiles &outputs);

/// All of it as one step.
llvm::Expected<LinkReport> linkTiles(llvm::ArrayRef<std::string> inputs,
                                     llvm::StringRef outputPath,
                                     const LinkOptions &options);

/// One object: counts, tiles with origin and ms, steps with ms, peak memory.
void printReportAsJson(const LinkReport &report, llvm::raw_ostream &os);

/// The same as a table for people.
void printReportAsText(const LinkReport &report, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_LINK_LINK_H
