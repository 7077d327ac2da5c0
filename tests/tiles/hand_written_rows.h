// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written tiles that are linked into the test, by name: read from the
// table, so that an untested row is impossible.

#ifndef TESTS_TILES_HAND_WRITTEN_ROWS_H_
#define TESTS_TILES_HAND_WRITTEN_ROWS_H_

#include <ostream>
#include <vector>

#include "tests/tiles/check_tile.h"
#include "tilewright/tile.h"
#include "ukernels/mmt4d_tiles.h"

namespace tilewright::testing {

struct HandWrittenRow {
  const char* name;
  tw_mmt4d_tile_fn_t fn;
};

inline std::ostream& operator<<(std::ostream& out, const HandWrittenRow& row) {
  return out << row.name;
}

// What the hand-written bf16 tiles of an ISA with bf16 instructions make of
// denormals. x86-64 has one such instruction, which flushes them; on AArch64
// bfdot, bfmmla and bfmopa do so, bfmlal does not.
#ifdef __x86_64__
inline constexpr Denormals kHandWrittenDenormals = Denormals::kFlushed;
#else
inline constexpr Denormals kHandWrittenDenormals = Denormals::kEither;
#endif

// In the order of mmt4d_tiles.def. Empty on an architecture without tiles.
inline const std::vector<HandWrittenRow>& handWrittenRows() {
  static const std::vector<HandWrittenRow> rows = {
#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  {TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa),            \
   TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa)},
#include "ukernels/mmt4d_tiles.def"
  };
  return rows;
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_HAND_WRITTEN_ROWS_H_
