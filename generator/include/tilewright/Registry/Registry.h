// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which keys have a hand-written body, and where its bitcode is: the rows of
// ukernels/mmt4d_tiles.def as data. No LLVM IR.

#ifndef TILEWRIGHT_REGISTRY_REGISTRY_H
#define TILEWRIGHT_REGISTRY_REGISTRY_H

#include "tilewright/key.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <vector>

namespace tilewright {

struct HandWrittenTile {
  TileKey key;
  std::string name;   // printTileKey(key)
  std::string family; // the static inline function its row stamps
};

/// All rows, in table order.
const std::vector<HandWrittenTile> &handWrittenTiles();

/// The row of `key`, or null.
const HandWrittenTile *findHandWrittenTile(const TileKey &key);

/// The bitcode library that holds the hand-written tiles of `isa`:
/// <dir>/tilewright_ukernels_<isa name>.bc. `dir` empty stands for the tool's
/// own: $TILEWRIGHT_BITCODE_DIR, else lib/tilewright/bitcode beside the
/// installed executable or in the build tree. An error names the path.
llvm::Expected<std::string> handWrittenBitcodePath(tw_isa_t isa,
                                                   llvm::StringRef dir = "");

/// The bitcode that pack functions are made from:
/// <dir>/tilewright_pack_template.bc. `dir` and errors as above.
llvm::Expected<std::string> packTemplatePath(llvm::StringRef dir = "");

/// The bitcode that tiles of the variant `vnni` are made from:
/// <dir>/tilewright_amx_template.bc. `dir` and errors as above.
llvm::Expected<std::string> amxTemplatePath(llvm::StringRef dir = "");

/// The functions that come with compiled models: kContractFunction, which they
/// call; kKeepFunction, which they give it where tiles have scalable sizes, and
/// the thin multiplications of instruction sets.
extern const llvm::StringLiteral kContractFunction, kKeepFunction;
/// int tw_may_use_amx_v1(void), which they ask where tiles are by AMX: not 0 if
/// the process may use it.
extern const llvm::StringLiteral kMayUseAmxFunction;
bool isSupportFunction(llvm::StringRef name);

/// The one that a model whose tiles are for `isa` takes; empty for none.
std::string thinFunction(tw_isa_t isa);

/// A support function and all that it needs, of which nothing else is seen:
/// <dir>/tilewright_support_<arch><extension>, tilewright_keep_<arch>...,
/// tilewright_amx_permission..., or tilewright_thin_<isa>...,
/// extension ".bc" or ".o", an ELF object. `dir` and errors as above.
llvm::Expected<std::string> supportPath(llvm::StringRef function,
                                        llvm::Triple::ArchType arch,
                                        llvm::StringRef extension,
                                        llvm::StringRef dir = "");

} // namespace tilewright

#endif // TILEWRIGHT_REGISTRY_REGISTRY_H
