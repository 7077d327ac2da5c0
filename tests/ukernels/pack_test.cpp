// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack against its definition, and unpack as its inverse, over widths, tiles,
// odd shapes and both orders, between guard pages.

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

constexpr uint64_t kPadding = 0xF1E2D3C4B5A69788u;

struct Width {
  tw_element_type_t type;
  int bits;
};
constexpr Width kWidths[] = {{TW_ELEMENT_U4, 4},
                             {TW_ELEMENT_S8, 8},
                             {TW_ELEMENT_F16, 16},
                             {TW_ELEMENT_F32, 32},
                             {TW_ELEMENT_F64, 64}};

// Tiles that each of the fast loops takes, and some that none does.
struct Tile {
  int rows, cols;
};
constexpr Tile kTiles[] = {{1, 1},
                           {1, 2},
                           {1, 4},
                           {2, 1},
                           {2, 2},
                           {2, 4},
                           {3, 2},
                           {3, 5},
                           {4, 1},
                           {4, 8},
                           {6, 1},
                           {6, 2},
                           {6, 16},
                           {7, 48},
                           {8, 1},
                           {8, 2},
                           {8, 4},
                           {8, 32},
                           {12, 1},
                           {12, 2},
                           {12, 4},
                           {12, 8},
                           {12, 32},
                           {16, 1},
                           {16, 2},
                           {16, 4},
                           {16, 8},
                           {16, 16},
                           {32, 1},
                           {32, 2},
                           {32, 4},
                           {32, 16},
                           // Vectors of 128 to 512 bits times 1 to 3.
                           {4, 2},
                           {4, 4},
                           {8, 8},
                           {8, 16},
                           {12, 16},
                           {20, 4},
                           {24, 2},
                           {24, 4},
                           {24, 8},
                           {28, 16},
                           {48, 1},
                           {48, 4},
                           // More than the lines of an edge have room for.
                           {33, 17}};

// Names for the tests' listing, in place of bytes.
std::ostream& operator<<(std::ostream& out, const Width& width) {
  return out << width.bits << " bits";
}

using Case = std::tuple<Width, bool, Placement>;

class PackTest : public ::testing::TestWithParam<Case> {};

uint64_t lowBits(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

// One shape: packs, compares with the definition, unpacks elsewhere, compares.
void checkShape(const Case& c, Tile tile, int rows, int cols, int slack,
                Random& random) {
  const Width width = std::get<0>(c);
  const bool transpose = std::get<1>(c);
  const Placement placement = std::get<2>(c);
  const int bits = width.bits;
  const int line = transpose ? rows : cols, lines = transpose ? cols : rows;
  int stride = line + slack;
  if (bits == 4) stride += stride % 2;
  const tw_pack_params_t params = {
      width.type, transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0u,
      rows,       cols,
      stride,     tile.rows,
      tile.cols,  kPadding};
  tw_index_t bytes = -1;
  const tw_status_t sized = tw_packed_size(&params, &bytes);
  if (bits == 4 && tile.rows * tile.cols % 2 != 0) {
    ASSERT_EQ(sized, TW_STATUS_INVALID_ARGUMENT);
    return;
  }
  ASSERT_EQ(sized, TW_STATUS_OK);

  // The last line ends with its last element, not with its stride.
  const size_t matrixBytes =
      ((static_cast<size_t>(lines) - 1) * stride + line) * bits / 8 +
      (bits == 4 && line % 2 != 0);
  GuardedBuffer matrix(matrixBytes, 0, placement);
  GuardedBuffer packed(static_cast<size_t>(bytes), 0, placement);
  GuardedBuffer unpacked(matrixBytes, 0, placement);
  for (size_t i = 0; i < matrixBytes; ++i)
    matrix.as<uint8_t>()[i] = static_cast<uint8_t>(random.next());

  ASSERT_EQ(tw_pack(&params, matrix.data(), packed.data(), bytes, nullptr),
            TW_STATUS_OK);
  auto at = [&](int row, int col) {
    return loadElement(
        matrix.as<uint8_t>(),
        transpose ? int64_t{col} * stride + row : int64_t{row} * stride + col,
        bits);
  };
  const int outerRows = (rows + tile.rows - 1) / tile.rows;
  const int outerCols = (cols + tile.cols - 1) / tile.cols;
  int64_t i = 0;
  for (int ro = 0; ro < outerRows; ++ro)
    for (int co = 0; co < outerCols; ++co)
      for (int ri = 0; ri < tile.rows; ++ri)
        for (int ci = 0; ci < tile.cols; ++ci, ++i) {
          const int row = ro * tile.rows + ri, col = co * tile.cols + ci;
          const uint64_t expected =
              row < rows && col < cols ? at(row, col) : lowBits(kPadding, bits);
          ASSERT_EQ(loadElement(packed.as<uint8_t>(), i, bits), expected)
              << "tile (" << ro << ", " << co << ") element (" << ri << ", "
              << ci << ")";
        }
  ASSERT_EQ(i * bits / 8, bytes);

  ASSERT_EQ(tw_unpack(&params, packed.data(), bytes, unpacked.data(), nullptr),
            TW_STATUS_OK);
  for (int l = 0; l < lines; ++l)
    for (int x = 0; x < (l + 1 < lines ? stride : line); ++x) {
      const int64_t index = int64_t{l} * stride + x;
      const uint64_t untouched =
          lowBits(uint64_t{GuardedBuffer::kFill} * 0x0101010101010101u >>
                      (bits == 4 ? index % 2 * 4 : 0),
                  bits);
      ASSERT_EQ(
          loadElement(unpacked.as<uint8_t>(), index, bits),
          x < line ? loadElement(matrix.as<uint8_t>(), index, bits) : untouched)
          << "line " << l << " element " << x;
    }
  EXPECT_TRUE(matrix.slackIntact() && packed.slackIntact() &&
              unpacked.slackIntact());
}

TEST_P(PackTest, MatchesItsDefinition) {
  const uint64_t seed = seedOf("PackTest");
  Random random(seed);
  for (Tile tile : kTiles) {
    // One, below, at, above and far above a multiple of the tile.
    for (int rows : {1, tile.rows, 2 * tile.rows + 1, 67})
      for (int cols : {1, tile.cols, 3 * tile.cols - 1, 70})
        for (int slack : {0, 3}) {
          SCOPED_TRACE("tile " + std::to_string(tile.rows) + "x" +
                       std::to_string(tile.cols) + " matrix " +
                       std::to_string(rows) + "x" + std::to_string(cols) +
                       " slack " + std::to_string(slack) + " " +
                       seedText(seed));
          checkShape(GetParam(), tile, rows, cols, slack, random);
          if (::testing::Test::HasFatalFailure()) return;
        }
  }
}

std::string nameOf(const ::testing::TestParamInfo<Case>& test) {
  const auto& [width, transpose, placement] = test.param;
  return "Bits" + std::to_string(width.bits) +
         (transpose ? "Transposed" : "Plain") +
         (placement == Placement::kTrailing ? "Trailing" : "Leading");
}

INSTANTIATE_TEST_SUITE_P(
    Widths, PackTest,
    ::testing::Combine(::testing::ValuesIn(kWidths), ::testing::Bool(),
                       ::testing::Values(Placement::kTrailing,
                                         Placement::kLeading)),
    nameOf);

}  // namespace
}  // namespace tilewright::testing
