// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_pack, tw_unpack, tw_packed_size: every way to be refused.

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tilewright/tilewright.h"

namespace {

constexpr tw_index_t kMax = PTRDIFF_MAX;

// A valid packing: 3x5 f32 into tiles of 2x4.
tw_pack_params_t validParams() { return {TW_ELEMENT_F32, 0, 3, 5, 6, 2, 4, 0}; }
constexpr tw_index_t kValidBytes = 2 * 2 * 8 * 4;

struct Refusal {
  const char* what;
  void (*spoil)(tw_pack_params_t*);
  tw_status_t status;
  const char* says;  // how the sentence of tw_pack_explain begins
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.what;
}

const Refusal kRefusals[] = {
    {"UnknownFlag", [](tw_pack_params_t* p) { p->flags = 4; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->flags is 0x4: it must be 0 or flags TW_PACK_FLAG_..., and it has "
     "a bit that none of them has."},
    {"TypeOutsideTheTable",
     [](tw_pack_params_t* p) { p->type = TW_ELEMENT_COUNT; },
     TW_STATUS_INVALID_ARGUMENT, "params->type is "},
    {"NegativeType",
     [](tw_pack_params_t* p) { p->type = static_cast<tw_element_type_t>(-1); },
     TW_STATUS_INVALID_ARGUMENT, "params->type is "},
    {"SixBits", [](tw_pack_params_t* p) { p->type = TW_ELEMENT_F6E2M3FN; },
     TW_STATUS_INVALID_ARGUMENT, "params->type is "},
    {"NegativeRows", [](tw_pack_params_t* p) { p->rows = -1; },
     TW_STATUS_INVALID_ARGUMENT, "params->rows is -1: it must be 0 or more."},
    {"NegativeCols", [](tw_pack_params_t* p) { p->cols = -1; },
     TW_STATUS_INVALID_ARGUMENT, "params->cols is -1: it must be 0 or more."},
    {"NoTileRows", [](tw_pack_params_t* p) { p->tile_rows = 0; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->tile_rows is 0: it must be 1 or more."},
    {"NegativeTileCols", [](tw_pack_params_t* p) { p->tile_cols = -4; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->tile_cols is -4: it must be 1 or more."},
    {"StrideBelowCols", [](tw_pack_params_t* p) { p->matrix_stride = 4; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->matrix_stride is 4: it must be at least the elements of a row, "
     "cols = "},
    {"StrideBelowRowsTransposed",
     [](tw_pack_params_t* p) {
       p->flags = TW_PACK_FLAG_TRANSPOSE;
       p->matrix_stride = 2;
     },
     TW_STATUS_INVALID_ARGUMENT,
     "params->matrix_stride is 2: it must be at least the elements of a row "
     "as"},
    {"OddStrideOf4Bits",
     [](tw_pack_params_t* p) {
       p->type = TW_ELEMENT_S4;
       p->matrix_stride = 7;
     },
     TW_STATUS_INVALID_ARGUMENT, "params->matrix_stride is 7: it must be even"},
    {"OddTileOf4Bits",
     [](tw_pack_params_t* p) {
       p->type = TW_ELEMENT_U4;
       p->tile_rows = 3;
       p->tile_cols = 1;
     },
     TW_STATUS_INVALID_ARGUMENT, "params->tile_cols is 1: it must be even"},
    {"MatrixOverflows", [](tw_pack_params_t* p) { p->matrix_stride = kMax; },
     TW_STATUS_OVERFLOW, "params->matrix_stride is "},
    {"MatrixBytesOverflow",
     [](tw_pack_params_t* p) { p->matrix_stride = kMax / 16; },
     TW_STATUS_OVERFLOW, "params->matrix_stride is "},
    {"PackedOverflows",
     [](tw_pack_params_t* p) {
       // One element, in one tile of 2^62 elements.
       p->rows = p->cols = p->matrix_stride = 1;
       p->tile_rows = p->tile_cols = INT32_MAX;
     },
     TW_STATUS_OVERFLOW, "params->tile_rows is "},
};

class PackRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(PackRefusalTest, IsRefusedByAllThreeAndWritesNothing) {
  tw_pack_params_t params = validParams();
  GetParam().spoil(&params);
  std::vector<char> matrix(4096, 3), packed(4096, 5);
  tw_index_t bytes = -9;
  EXPECT_EQ(tw_packed_size(&params, &bytes), GetParam().status);
  EXPECT_EQ(bytes, -9);
  EXPECT_EQ(tw_pack(&params, matrix.data(), packed.data(), 4096, nullptr),
            GetParam().status);
  EXPECT_EQ(tw_unpack(&params, packed.data(), 4096, matrix.data(), nullptr),
            GetParam().status);
  EXPECT_EQ(matrix, std::vector<char>(4096, 3));
  EXPECT_EQ(packed, std::vector<char>(4096, 5));
}

std::string explain(const tw_pack_params_t* params, const void* matrix,
                    const void* packed, tw_index_t bytes,
                    const tw_parallel_for_t* parallelFor, tw_status_t status) {
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_pack_explain(params, matrix, packed, bytes, parallelFor, text,
                            sizeof text),
            status);
  EXPECT_EQ(
      tw_pack_explain(params, matrix, packed, bytes, parallelFor, nullptr, 0),
      status);
  return text;
}

TEST_P(PackRefusalTest, IsExplained) {
  tw_pack_params_t params = validParams();
  GetParam().spoil(&params);
  char matrix[1] = {}, packed[1] = {};
  const std::string sentence =
      explain(&params, matrix, packed, 4096, nullptr, GetParam().status);
  EXPECT_EQ(sentence.rfind(GetParam().says, 0), 0u) << sentence;
  EXPECT_EQ(sentence.back(), '.') << sentence;
}

TEST(PackExplainTest, ArgumentsBesideTheParams) {
  const tw_pack_params_t params = validParams();
  const tw_parallel_for_t noRun = {};
  char m[1] = {}, p[1] = {};
  const tw_status_t invalid = TW_STATUS_INVALID_ARGUMENT;
  EXPECT_EQ(explain(nullptr, m, p, kValidBytes, nullptr, invalid),
            "params is null: it must be a pointer to the parameters.");
  EXPECT_EQ(explain(&params, nullptr, p, kValidBytes, nullptr, invalid),
            "matrix is null: it must be a pointer where there are elements.");
  EXPECT_EQ(explain(&params, m, nullptr, kValidBytes, nullptr, invalid),
            "packed is null: it must be a pointer where there are elements.");
  EXPECT_EQ(explain(&params, m, p, -1, nullptr, invalid),
            "packed_bytes is -1: it must be 0 or more.");
  EXPECT_EQ(explain(&params, m, p, kValidBytes, &noRun, invalid),
            "parallel_for->run is null: it must be a function, or parallel_for "
            "be null.");
  EXPECT_EQ(
      explain(&params, m, p, kValidBytes - 1, nullptr, TW_STATUS_OUT_OF_RANGE),
      "packed_bytes is 127: it must be at least tw_packed_size, 128.");
  EXPECT_EQ(explain(&params, m, p, kValidBytes, nullptr, TW_STATUS_OK),
            "Nothing is wrong: the packed form takes 128 bytes.");
}

INSTANTIATE_TEST_SUITE_P(Refusals, PackRefusalTest,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.what; });

TEST(PackStatusTest, BuffersAndTheirSize) {
  const tw_pack_params_t params = validParams();
  std::vector<float> matrix(18, 1.0f);
  std::vector<char> packed(kValidBytes, 5);
  const std::vector<char> before = packed;
  float* m = matrix.data();
  char* p = packed.data();
  EXPECT_EQ(tw_pack(nullptr, m, p, kValidBytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_pack(&params, nullptr, p, kValidBytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_pack(&params, m, nullptr, kValidBytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_pack(&params, m, p, -1, nullptr), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_pack(&params, m, p, kValidBytes - 1, nullptr),
            TW_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(packed, before);
  EXPECT_EQ(tw_unpack(nullptr, p, kValidBytes, m, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_unpack(&params, nullptr, kValidBytes, m, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_unpack(&params, p, kValidBytes, nullptr, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_unpack(&params, p, -1, m, nullptr), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_unpack(&params, p, kValidBytes - 1, m, nullptr),
            TW_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(matrix, std::vector<float>(18, 1.0f));
  EXPECT_EQ(tw_pack(&params, m, p, kValidBytes, nullptr), TW_STATUS_OK);
  EXPECT_EQ(tw_unpack(&params, p, kValidBytes, m, nullptr), TW_STATUS_OK);
}

TEST(PackStatusTest, PackedSize) {
  tw_pack_params_t params = validParams();
  tw_index_t bytes = -1;
  EXPECT_EQ(tw_packed_size(nullptr, &bytes), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_packed_size(&params, nullptr), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_packed_size(&params, &bytes), TW_STATUS_OK);
  EXPECT_EQ(bytes, kValidBytes);
  params.type = TW_ELEMENT_S4;
  EXPECT_EQ(tw_packed_size(&params, &bytes), TW_STATUS_OK);
  EXPECT_EQ(bytes, kValidBytes / 8);
}

TEST(PackStatusTest, AnEmptyMatrixNeedsNoBuffers) {
  for (bool emptyRows : {false, true}) {
    tw_pack_params_t params = validParams();
    (emptyRows ? params.rows : params.cols) = 0;
    tw_index_t bytes = -1;
    EXPECT_EQ(tw_packed_size(&params, &bytes), TW_STATUS_OK);
    EXPECT_EQ(bytes, 0);
    EXPECT_EQ(tw_pack(&params, nullptr, nullptr, 0, nullptr), TW_STATUS_OK);
    EXPECT_EQ(tw_unpack(&params, nullptr, 0, nullptr, nullptr), TW_STATUS_OK);
  }
}

}  // namespace
