// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written tiles that are linked into the test, by name: read from the
// table, so that an untested row is impossible.

#ifndef TESTS_TILES_HAND_WRITTEN_ROWS_H_
#define TESTS_TILES_HAND_WRITTEN_ROWS_H_

#include <ostream>
#include <vector>

#include "tilewright/tile.h"
#ifdef __x86_64__
#include "ukernels/x86_64/mmt4d_tiles.h"
#endif

namespace tilewright::testing {

struct HandWrittenRow {
  const char* name;
  tw_mmt4d_tile_fn_t fn;
};

inline std::ostream& operator<<(std::ostream& out, const HandWrittenRow& row) {
  return out << row.name;
}

// In the order of mmt4d_tiles.def. Empty on an architecture without tiles.
inline const std::vector<HandWrittenRow>& handWrittenRows() {
  static const std::vector<HandWrittenRow> rows = {
#ifdef __x86_64__
#define TW_TEST_ROW(name) {#name, name},
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TEST_ROW(tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_x86_64_##isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TEST_ROW(                                                        \
      tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_steprnd_x86_64_##isa)
#include "ukernels/x86_64/mmt4d_tiles.def"
#undef TW_TEST_ROW
#endif
  };
  return rows;
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_HAND_WRITTEN_ROWS_H_
