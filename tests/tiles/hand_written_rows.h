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
#if defined(__x86_64__)
#include "ukernels/x86_64/mmt4d_tiles.h"
#define TW_TEST_ARCH x86_64
#elif defined(__aarch64__)
#include "ukernels/arm_64/mmt4d_tiles.h"
#define TW_TEST_ARCH arm_64
#endif

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
#ifdef TW_TEST_ARCH
#define TW_TEST_ROW_NAMED(name) {#name, name},
// One step more, so that the architecture's name is expanded before it is
// joined.
#define TW_TEST_ROW_OF(arch, sizes, isa) \
  TW_TEST_ROW_NAMED(tw_mmt4d_tile_##sizes##_##arch##_##isa)
#define TW_TEST_ROW(arch, sizes, isa) TW_TEST_ROW_OF(arch, sizes, isa)
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TEST_ROW(TW_TEST_ARCH, lhs##rhs##out##_##M0##x##N0##x##K0, isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TEST_ROW(TW_TEST_ARCH, lhs##rhs##out##_##M0##x##N0##x##K0##_steprnd, isa)
#define TW_MMT4D_TILE_VNNI(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TEST_ROW(TW_TEST_ARCH, lhs##rhs##out##_##M0##x##N0##x##K0##_vnni, isa)
#if defined(__x86_64__)
#include "ukernels/x86_64/mmt4d_tiles.def"
#else
#include "ukernels/arm_64/mmt4d_tiles.def"
#endif
#undef TW_MMT4D_TILE_VNNI
#undef TW_TEST_ROW
#undef TW_TEST_ROW_OF
#undef TW_TEST_ROW_NAMED
#endif
  };
  return rows;
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_HAND_WRITTEN_ROWS_H_
