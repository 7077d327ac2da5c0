// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing and unpacking by several threads: byte for byte what one thread does.
// (That that is right, pack_test says.)

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/common/threads.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

struct Shape {
  tw_element_type_t type;
  int bits;
  bool transpose;
  tw_index_t rows, cols;
  int32_t tileRows, tileCols;
};

// Odd edges, parts that would begin inside a byte, one row of tiles, tiny.
const Shape kShapes[] = {
    {TW_ELEMENT_F32, 32, false, 301, 203, 12, 1},
    {TW_ELEMENT_F32, 32, true, 997, 101, 32, 1},
    {TW_ELEMENT_BF16, 16, true, 641, 333, 32, 2},
    {TW_ELEMENT_S8, 8, false, 1021, 515, 12, 4},
    {TW_ELEMENT_S4, 4, true, 1001, 771, 5, 2},
    {TW_ELEMENT_U4, 4, false, 1001, 771, 5, 2},
    {TW_ELEMENT_F64, 64, false, 7, 9000, 8, 1},
    {TW_ELEMENT_F32, 32, false, 3, 5, 2, 4},
};

TEST(PackParallelTest, GivesTheBytesOfOneThread) {
  const uint64_t seed = seedOf("PackParallelTest");
  Random random(seed);
  std::set<bool> divided;
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(std::to_string(s.rows) + "x" + std::to_string(s.cols) +
                 " bits " + std::to_string(s.bits) + " " + seedText(seed));
    const tw_index_t line = s.transpose ? s.rows : s.cols;
    const tw_index_t stride = line + 2 + line % 2;
    const tw_pack_params_t params = {
        s.type,     s.transpose ? uint32_t{TW_PACK_FLAG_TRANSPOSE} : 0u,
        s.rows,     s.cols,
        stride,     s.tileRows,
        s.tileCols, 0x3F};
    tw_index_t bytes = 0;
    ASSERT_EQ(tw_packed_size(&params, &bytes), TW_STATUS_OK);
    const tw_index_t lines = s.transpose ? s.cols : s.rows;
    const size_t matrixBytes =
        static_cast<size_t>((((lines - 1) * stride + line) * s.bits + 7) / 8);
    GuardedBuffer matrix(matrixBytes), one(matrixBytes), several(matrixBytes);
    GuardedBuffer packedOne(bytes), packedSeveral(bytes);
    for (size_t i = 0; i < matrixBytes; ++i)
      matrix.as<uint8_t>()[i] = static_cast<uint8_t>(random.next());
    ThreadedFor threads(3);
    ASSERT_EQ(tw_pack(&params, matrix.data(), packedOne.data(), bytes, nullptr),
              TW_STATUS_OK);
    ASSERT_EQ(tw_pack(&params, matrix.data(), packedSeveral.data(), bytes,
                      threads.get()),
              TW_STATUS_OK);
    EXPECT_EQ(std::memcmp(packedOne.data(), packedSeveral.data(), bytes), 0);
    ASSERT_EQ(tw_unpack(&params, packedOne.data(), bytes, one.data(), nullptr),
              TW_STATUS_OK);
    ASSERT_EQ(tw_unpack(&params, packedOne.data(), bytes, several.data(),
                        threads.get()),
              TW_STATUS_OK);
    EXPECT_EQ(std::memcmp(one.data(), several.data(), matrixBytes), 0);
    divided.insert(threads.runs() > 0);
    EXPECT_EQ(threads.runs() > 0, bytes > 64 << 10 && s.rows > s.tileRows);
  }
  EXPECT_EQ(divided.size(), 2u) << "no case ran in parts, or all did";
}

TEST(PackParallelTest, RefusesAParallelForThatCannotRun) {
  const tw_pack_params_t params = {TW_ELEMENT_F32, 0, 3, 5, 6, 2, 4, 0};
  float matrix[18] = {}, packed[32] = {};
  const tw_parallel_for_t empty = {nullptr, nullptr};
  EXPECT_EQ(tw_pack(&params, matrix, packed, sizeof packed, &empty),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_unpack(&params, packed, sizeof packed, matrix, &empty),
            TW_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tilewright::testing
