// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole matrices, as a caller has them: the sizes that a query gives on this
// CPU, packing, mmt4d and unpacking together. On machines with scalable vectors
// the sizes are those of their length.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

constexpr int kM = 37, kN = 91, kK = 29;

uint64_t encode(tw_element_type_t type, int value) {
  if (info(type).kind != TW_ELEMENT_KIND_FLOAT)
    return static_cast<uint64_t>(int64_t{value});
  if (info(type).bits >= 16) return encodeFloat(type, value);
  for (uint64_t bits : finiteEncodings(type))
    if (decodeElement(type, bits) == value) return bits;
  ADD_FAILURE() << info(type).name << " has no " << value;
  return 0;
}

// Small integers, of which every sum is exact in every accumulator.
struct Matrix {
  Matrix(tw_element_type_t type, int rows, int cols)
      : type(type),
        rows(rows),
        cols(cols),
        bits(info(type).bits),
        bytes(static_cast<size_t>(rows * cols * bits / 8)) {}

  void fill(Random& random) {
    const int low = info(type).kind == TW_ELEMENT_KIND_UNSIGNED ? 0 : -3;
    for (int i = 0; i < rows * cols; ++i)
      storeElement(bytes.data(), i, bits,
                   encode(type, static_cast<int>(random.between(low, 3))));
  }
  double at(int row, int col) const {
    return decodeElement(type,
                         loadElement(bytes.data(), row * cols + col, bits));
  }

  tw_element_type_t type;
  int rows, cols, bits;
  std::vector<uint8_t> bytes;
};

tw_pack_params_t packing(const Matrix& matrix, bool transpose, int tileRows,
                         int tileCols) {
  tw_pack_params_t params = {};
  params.type = matrix.type;
  params.flags = transpose ? TW_PACK_FLAG_TRANSPOSE : 0;
  params.rows = transpose ? matrix.cols : matrix.rows;
  params.cols = transpose ? matrix.rows : matrix.cols;
  params.matrix_stride = matrix.cols;
  params.tile_rows = tileRows;
  params.tile_cols = tileCols;
  return params;
}

std::vector<uint8_t> packed(const Matrix& matrix, bool transpose, int tileRows,
                            int tileCols) {
  const tw_pack_params_t params =
      packing(matrix, transpose, tileRows, tileCols);
  tw_index_t size = 0;
  EXPECT_EQ(tw_packed_size(&params, &size), TW_STATUS_OK);
  std::vector<uint8_t> result(static_cast<size_t>(size));
  EXPECT_EQ(tw_pack(&params, matrix.bytes.data(), result.data(), size, nullptr),
            TW_STATUS_OK);
  return result;
}

void checkMatmul(const TypeTripleInfo& types, const tw_tile_sizes_t& sizes) {
  const uint64_t seed = seedOf("MatmulTest");
  SCOPED_TRACE(seedText(seed) + " tiles " + std::to_string(sizes.M0) + "x" +
               std::to_string(sizes.N0) + "x" + std::to_string(sizes.K0));
  Random random(seed);
  Matrix lhs(types.lhs, kM, kK), rhs(types.rhs, kK, kN), out(types.out, kM, kN);
  lhs.fill(random);
  rhs.fill(random);
  const std::vector<uint8_t> lhsPacked = packed(lhs, false, sizes.M0, sizes.K0);
  const std::vector<uint8_t> rhsPacked = packed(rhs, true, sizes.N0, sizes.K0);
  std::vector<uint8_t> outPacked = packed(out, false, sizes.M0, sizes.N0);

  tw_mmt4d_params_t p = {};
  p.M = (kM + sizes.M0 - 1) / sizes.M0;
  p.N = (kN + sizes.N0 - 1) / sizes.N0;
  p.K = (kK + sizes.K0 - 1) / sizes.K0;
  p.M0 = sizes.M0;
  p.N0 = sizes.N0;
  p.K0 = sizes.K0;
  p.lhs_buffer = lhsPacked.data();
  p.lhs_stride0 = p.K * p.M0 * p.K0;
  p.rhs_buffer = rhsPacked.data();
  p.rhs_stride0 = p.K * p.N0 * p.K0;
  p.out_buffer = outPacked.data();
  p.out_stride0 = p.N * p.M0 * p.N0;
  p.flags = types.value | TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  tw_tile_info_t tile;
  ASSERT_EQ(tw_find_tile(&p, &tile), TW_STATUS_OK) << tile.reason;
  SCOPED_TRACE(tile.name);
  ASSERT_EQ(tw_mmt4d(&p, nullptr), TW_STATUS_OK);

  const tw_pack_params_t unpacking = packing(out, false, sizes.M0, sizes.N0);
  ASSERT_EQ(tw_unpack(&unpacking, outPacked.data(),
                      static_cast<tw_index_t>(outPacked.size()),
                      out.bytes.data(), nullptr),
            TW_STATUS_OK);
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      double expected = 0;
      for (int k = 0; k < kK; ++k) expected += lhs.at(m, k) * rhs.at(k, n);
      ASSERT_EQ(out.at(m, n), info(types.out).kind == TW_ELEMENT_KIND_FLOAT
                                  ? roundTo(types.out, expected)
                                  : expected)
          << "element (" << m << ", " << n << ")";
    }
}

// With every triple that has a tile here and elements with addresses: a matrix
// of 4-bit ones with odd rows has none (pack_test.cpp).
TEST(MatmulTest, PacksMultipliesAndUnpacks) {
  int run = 0;
  for (const TypeTripleInfo& types : typeTriples()) {
    tw_tile_sizes_t sizes;
    if (info(types.lhs).bits % 8 != 0 || info(types.rhs).bits % 8 != 0 ||
        tw_query_tile_sizes(types.value, kM, kN, nullptr, &sizes) !=
            TW_STATUS_OK)
      continue;
    ++run;
    SCOPED_TRACE(types.name);
    checkMatmul(types, sizes);
    if (HasFatalFailure()) return;
  }
  if (run == 0) GTEST_SKIP() << "this CPU runs no hand-written tile";
}

}  // namespace
}  // namespace tilewright::testing
