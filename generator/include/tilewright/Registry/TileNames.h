// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile names as people type them.

#ifndef TILEWRIGHT_REGISTRY_TILENAMES_H
#define TILEWRIGHT_REGISTRY_TILENAMES_H

#include "tilewright/Support/Nearest.h"
#include "tilewright/pack_key.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// parseTileKey, whose error says what was probably meant where a type triple
/// or an instruction set is unknown.
llvm::Expected<TileKey> parseTileName(llvm::StringRef name,
                                      llvm::StringRef prefix);

/// The same for any function that is asked for by name.
llvm::Expected<FunctionKey> parseFunctionName(llvm::StringRef name,
                                              llvm::StringRef prefix);

/// The row of type_triples.def, of isas.def, whose name is nearest to `word`.
Nearest nearestTypes(llvm::StringRef word);
Nearest nearestIsa(llvm::StringRef word);

} // namespace tilewright

#endif // TILEWRIGHT_REGISTRY_TILENAMES_H
