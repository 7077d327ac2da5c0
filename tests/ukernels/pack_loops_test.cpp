// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole tiles of the shapes that hand-written tiles have are packed and
// unpacked by the quick loops, in both orders of the matrix. (That they are
// right, pack_test says.)

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ukernels/rows.h"

extern "C" {
#include "ukernels/pack_interior.h"
}

namespace tilewright::testing {
namespace {

// Rows of tiles, of two, that a quick loop has packed, and unpacked.
struct Rows {
  tw_index_t packed, unpacked;
};
Rows rowsOfLoops(tw_element_type_t type, int rows, int k0, bool transpose) {
  const tw_index_t line = transpose ? 2 * rows : 3 * k0;
  const tw_pack_params_t params = {
      type,
      transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0,
      2 * rows,
      3 * k0,
      line + line % 2,
      rows,
      k0,
      0};
  tw_packing_t packing;
  EXPECT_EQ(tw_check_packing(&params, &packing, nullptr), TW_STATUS_OK);
  const tw_index_t lines = transpose ? 3 * k0 : 2 * rows;
  std::vector<unsigned char> matrix(lines * packing.stride * packing.bits / 8);
  std::vector<unsigned char> packed(packing.packed_bytes);
  return {tw_pack_interior(&packing, 0, matrix.data(), packed.data()),
          tw_unpack_interior(&packing, packed.data(), matrix.data())};
}

void check(const std::string& name, tw_element_type_t type, int rows, int k0) {
  const Rows byRows = rowsOfLoops(type, rows, k0, false);
  EXPECT_EQ(byRows.packed, 2) << name << " rows " << rows;
  EXPECT_EQ(byRows.unpacked, 2) << name << " rows " << rows;
  const Rows byCols = rowsOfLoops(type, rows, k0, true);
  // Nibbles of several lines are not taken apart: nobody unpacks operands.
  if (info(type).bits >= 8) {
    EXPECT_EQ(byCols.unpacked, 2) << name << " rows " << rows << " transposed";
  }
  // A line of less than a few bytes is not worth zipping.
  if (rows < 8) return;
  EXPECT_EQ(byCols.packed, 2) << name << " rows " << rows << " transposed";
}

TEST(PackLoopsTest, TakeTheTilesOfHandWrittenRows) {
  for (const KeyedRow& row : keyedRows()) {
    const TileKey key = fixedKey(row.key);
    const TypeTripleInfo& types = info(key.types);
    // Of 64 lines beside each other no loop zips bytes, which a transposed lhs
    // would be; the rhs is packed by its groups.
    if (key.vnni)
      EXPECT_EQ(rowsOfLoops(types.lhs, key.m0, key.k0, false).packed, 2);
    else
      check(row.name, types.lhs, key.m0, key.k0);
    check(row.name, types.rhs, key.n0,
          key.vnni ? 32 / info(types.rhs).bits : key.k0);
  }
}

}  // namespace
}  // namespace tilewright::testing
