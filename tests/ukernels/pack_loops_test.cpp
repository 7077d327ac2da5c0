// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole tiles of the shapes that hand-written tiles have are packed and
// unpacked by the quick loops, in both orders of the matrix, and packed as the
// definition says, however it is stored. (More of what is right, pack_test
// says.)

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
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
  return {tw_has_pack_loop(&packing)
              ? tw_pack_interior(&packing, 0, matrix.data(), packed.data())
              : 0,
          tw_has_unpack_loop(&packing)
              ? tw_unpack_interior(&packing, packed.data(), matrix.data())
              : 0};
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
  // Rows of nibbles that are no whole bytes of a line are the edges' loops'.
  if (rows * info(type).bits % 8 != 0) return;
  EXPECT_EQ(byCols.packed, 2) << name << " rows " << rows << " transposed";
}

TEST(PackLoopsTest, TakeTheTilesOfHandWrittenRows) {
  for (const KeyedRow& row : keyedRows()) {
    const TileKey key = fixedKey(row.key);
    const TypeTripleInfo& types = info(key.types);
    check(row.name, types.lhs, key.m0, key.k0);
    check(row.name, types.rhs, key.n0,
          key.vnni ? 32 / info(types.rhs).bits : key.k0);
    check(row.name, types.out, key.m0, key.n0);
  }
  // Runs of which whole cache lines, or whole vectors, are more than a block.
  check("7x64", TW_ELEMENT_F16, 7, 64);
  check("15x64", TW_ELEMENT_S8, 15, 64);
  check("13x16", TW_ELEMENT_S8, 13, 16);
}

// Whether the first `tiles` rows of tiles are where the definition has them.
bool isPacked(const tw_packing_t& p, const uint8_t* matrix,
              const uint8_t* packed, tw_index_t tiles) {
  const auto element = [&p](const uint8_t* base, tw_index_t i) {
    uint64_t bits = 0;
    if (p.bits == 4) return uint64_t{tw_get_nibble(base, i)};
    std::memcpy(&bits, base + i * p.bits / 8, p.bits / 8);
    return bits;
  };
  tw_index_t at = 0;
  for (tw_index_t ro = 0; ro < tiles; ++ro)
    for (tw_index_t co = 0; co < p.outer_cols; ++co)
      for (tw_index_t r = 0; r < p.tile_rows; ++r)
        for (tw_index_t c = 0; c < p.tile_cols; ++c, ++at)
          if (element(packed, at) !=
              element(matrix, tw_matrix_at(&p, ro * p.tile_rows + r,
                                           co * p.tile_cols + c)))
            return false;
  return true;
}

// Lines are `apart` bytes apart, or as far as they are long. Guarded: what is
// asked for ahead of the buffers' ends is not touched.
void checkLoop(const std::string& name, tw_element_type_t type, int rows,
               int k0, bool transpose, int64_t apart, uint64_t seed) {
  // Panels that are packed together, with some left over: of few rows as many
  // as there are in strips of whole cache lines. By rows more than one far run
  // of each, whatever the element.
  const int run = rows * info(type).bits / 8;
  const tw_index_t panels =
      transpose && run > 0 && run < 16 ? 64 / std::gcd(run, 64) + 6 : 7;
  // An even number of tiles: of 24 bytes two are aligned for stores past
  // caches.
  const tw_index_t cols = (transpose ? 200 : 5000) / k0 / 2 * 2 * k0 + 2 * k0;
  const tw_index_t line = transpose ? panels * rows : cols;
  const tw_index_t stride =
      apart ? apart * 8 / info(type).bits : line + line % 2;
  ASSERT_GE(stride, line);
  const tw_pack_params_t params = {
      type,
      transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0,
      panels * rows,
      cols,
      stride,
      rows,
      k0,
      0};
  tw_packing_t packing;
  ASSERT_EQ(tw_check_packing(&params, &packing, nullptr), TW_STATUS_OK);
  if (!tw_has_pack_loop(&packing)) return;
  const tw_index_t lines = transpose ? cols : panels * rows;
  GuardedBuffer matrix(((lines - 1) * stride + line) * packing.bits / 8);
  Random random(seed);
  for (size_t i = 0; i < matrix.size(); i += 8) {
    const uint64_t some = random.next();
    std::memcpy(matrix.as<uint8_t>() + i, &some,
                std::min<size_t>(8, matrix.size() - i));
  }
  // Compared with the definition once, the others with it: that has a loop over
  // elements, most of the test's time.
  std::vector<uint8_t> right;
  for (tw_pack_stores_t stores :
       {TW_PACK_STORES_NEAR, TW_PACK_STORES_ASKED, TW_PACK_STORES_PAST}) {
    packing.stores = stores;
    GuardedBuffer packed(packing.packed_bytes);
    if (stores == TW_PACK_STORES_PAST &&
        !tw_is_aligned_packing(&packing, packed.as<uint8_t>()))
      continue;
    const tw_index_t done = tw_pack_interior(&packing, 0, matrix.as<uint8_t>(),
                                             packed.as<uint8_t>());
    const uint8_t* bytes = packed.as<uint8_t>();
    const size_t size =
        done * packing.outer_cols * rows * k0 * packing.bits / 8;
    const bool isRight =
        right.size() == size && size > 0
            ? std::memcmp(right.data(), bytes, size) == 0
            : isPacked(packing, matrix.as<uint8_t>(), bytes, done);
    EXPECT_TRUE(isRight) << name << " rows " << rows << " transposed "
                         << transpose << " stores " << stores;
    if (isRight) right.assign(bytes, bytes + size);
  }
  // And back: of lines of bytes, what they hold.
  if (!tw_has_unpack_loop(&packing) || line * packing.bits % 8 != 0) return;
  GuardedBuffer packed(packing.packed_bytes), unpacked(matrix.size());
  std::memcpy(packed.data(), right.data(), right.size());
  tw_unpack_interior(&packing, packed.as<uint8_t>(), unpacked.as<uint8_t>());
  bool isBack = true;
  for (tw_index_t i = 0; i < lines; ++i) {
    const tw_index_t at = i * stride * packing.bits / 8;
    isBack &=
        std::memcmp(matrix.as<uint8_t>() + at, unpacked.as<uint8_t>() + at,
                    line * packing.bits / 8) == 0;
  }
  EXPECT_TRUE(isBack) << name << " rows " << rows << " transposed " << transpose
                      << " unpacked";
}

TEST(PackLoopsTest, PackWhatTheDefinitionSaysHoweverItIsStored) {
  const uint64_t seed = seedOf("PackLoopsTest");
  SCOPED_TRACE(seedText(seed));
  std::set<std::tuple<tw_element_type_t, int, int>> seen;
  const auto checkOnce = [&](const std::string& name, tw_element_type_t type,
                             int rows, int k0) {
    if (!seen.insert({type, rows, k0}).second) return;
    for (bool transpose : {false, true})
      checkLoop(name, type, rows, k0, transpose, /*apart=*/0, seed);
    // Lines that share the sets of L1, of which few rows are read otherwise.
    if (rows * info(type).bits < 16 * 8)
      checkLoop(name, type, rows, k0, /*transpose=*/true, /*apart=*/4096, seed);
  };
  for (const KeyedRow& row : keyedRows()) {
    const TileKey key = fixedKey(row.key);
    const TypeTripleInfo& types = info(key.types);
    checkOnce(row.name, types.lhs, key.m0, key.k0);
    checkOnce(row.name, types.rhs, key.n0,
              key.vnni ? 32 / info(types.rhs).bits : key.k0);
  }
  // And others, of any sizes.
  Random random(seed);
  for (int i = 0; i < 15; ++i) {
    const tw_element_type_t types[] = {TW_ELEMENT_S4, TW_ELEMENT_S8,
                                       TW_ELEMENT_BF16, TW_ELEMENT_F32,
                                       TW_ELEMENT_F64};
    const tw_element_type_t type = types[i % 5];
    const int rows = static_cast<int>(random.between(1, 40));
    int k0 = static_cast<int>(random.between(1, i % 2 == 0 ? 20 : 160));
    if (type == TW_ELEMENT_S4) k0 += k0 % 2;  // tiles are whole bytes
    checkOnce(std::to_string(rows) + "x" + std::to_string(k0), type, rows, k0);
  }
}

TEST(PackLoopsTest, AreFarFromABoundOn) {
  tw_pack_params_t params = {
      TW_ELEMENT_S8, 0, kFarBytes / 1024, 1024, 1024, 8, 1, 0};
  tw_packing_t packing;
  ASSERT_EQ(tw_check_packing(&params, &packing, nullptr), TW_STATUS_OK);
  EXPECT_EQ(packing.stores, TW_PACK_STORES_ASKED);
  params.cols = 1023;
  ASSERT_EQ(tw_check_packing(&params, &packing, nullptr), TW_STATUS_OK);
  EXPECT_EQ(packing.stores, TW_PACK_STORES_NEAR);
}

// As large as what some cores store past their caches, which takes aligned
// tiles: at `offset` bytes from a cache line.
void checkLarge(bool transpose, int offset) {
  const tw_index_t rows = kPastBytes / 4096, cols = 1024;
  const tw_pack_params_t params = {
      TW_ELEMENT_F32,
      transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0,
      rows,
      cols,
      transpose ? rows : cols,
      16,
      1,
      0};
  std::vector<float> matrix(rows * cols);
  std::iota(matrix.begin(), matrix.end(), 0.f);
  std::vector<char> memory(kPastBytes + 128);
  char* packed = memory.data();
  packed += -reinterpret_cast<uintptr_t>(packed) % 64 + offset;
  ASSERT_EQ(tw_pack(&params, matrix.data(), packed, kPastBytes, nullptr),
            TW_STATUS_OK);
  tw_packing_t packing;
  ASSERT_EQ(tw_check_packing(&params, &packing, nullptr), TW_STATUS_OK);
  EXPECT_TRUE(isPacked(packing, reinterpret_cast<const uint8_t*>(matrix.data()),
                       reinterpret_cast<const uint8_t*>(packed),
                       packing.outer_rows))
      << "transposed " << transpose << ", " << offset << " bytes off";
}

TEST(PackLoopsTest, PackWhatIsLargeWhereverItLies) {
  for (bool transpose : {false, true})
    for (int offset : {0, 4, 16}) checkLarge(transpose, offset);
}

}  // namespace
}  // namespace tilewright::testing
