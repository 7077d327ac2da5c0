// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pack function's name (pack_tile.h) says, as data; and what any
// function that is asked for by name does. C++17, no LLVM.
//
// One parser, one printer: printPackKey(*parsePackKey(name).key) == name for
// every valid name.

#ifndef TILEWRIGHT_PACK_KEY_H_
#define TILEWRIGHT_PACK_KEY_H_

#include <string>
#include <string_view>
#include <variant>

#include "tilewright/key.h"

namespace tilewright {

// Most rows or columns of a tile: those of an out tile.
inline constexpr int kMaxPackSize = 1024;

// What follows each other in the matrix's memory.
enum class MatrixLines : uint8_t {
  kRows,  // "rows": the elements of a row
  kCols,  // "cols": the elements of a column
};

struct PackKey {
  bool unpack;  // the way back
  int bits;     // of an element
  MatrixLines lines;
  int r0, c0;  // rows and columns of a tile
  tw_isa_t isa;

  bool operator==(const PackKey& o) const {
    return unpack == o.unpack && bits == o.bits && lines == o.lines &&
           r0 == o.r0 && c0 == o.c0 && isa == o.isa;
  }
  bool operator!=(const PackKey& o) const { return !(*this == o); }
  bool operator<(const PackKey& o) const;

  int64_t tileBytes() const { return int64_t{r0} * c0 * bits / 8; }
};

// Why `key` is not valid, and what would be accepted; empty if it is valid.
std::string validatePackKey(const PackKey& key);

// The canonical name. `key` must be valid.
std::string printPackKey(const PackKey& key,
                         std::string_view prefix = kDefaultPrefix);

struct ParsedPackKey {
  std::optional<PackKey> key;
  // When !key: which part is wrong, why, and what would be accepted.
  std::string error;
  // When that part is an instruction set that isas.def does not have: its name,
  // and `error` as "<problem>; expected <accepted>".
  std::string unknownIsa, problem, accepted;
};

// Parses "<prefix>_pack_tile_..." and "<prefix>_unpack_tile_...". Accepts
// exactly what printPackKey prints.
ParsedPackKey parsePackKey(std::string_view name,
                           std::string_view prefix = kDefaultPrefix);

// Whether `name` claims to be a pack function's: it starts with
// "<prefix>_pack_tile_" or "<prefix>_unpack_tile_".
bool looksLikePackName(std::string_view name,
                       std::string_view prefix = kDefaultPrefix);

// ---- Any function that is asked for by name ---------------------------------

using FunctionKey = std::variant<TileKey, PackKey>;

tw_isa_t isaOf(const FunctionKey& key);
std::string validateFunctionKey(const FunctionKey& key);
std::string printFunctionKey(const FunctionKey& key,
                             std::string_view prefix = kDefaultPrefix);
bool looksLikeFunctionName(std::string_view name,
                           std::string_view prefix = kDefaultPrefix);

}  // namespace tilewright

#endif  // TILEWRIGHT_PACK_KEY_H_
