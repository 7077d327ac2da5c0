// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d: every way to be refused, and the cases that do nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "tilewright/tilewright.h"

namespace {

constexpr tw_index_t kMax = PTRDIFF_MAX;

// A valid f32 call of 2x2 tiles of 2x3, K of 4, through the fallback.
struct Call {
  std::vector<float> lhs = std::vector<float>(2 * 4 * 2, 1.0f);
  std::vector<float> rhs = std::vector<float>(2 * 4 * 3, 1.0f);
  std::vector<float> out = std::vector<float>(2 * 2 * 2 * 3, 7.0f);
  tw_mmt4d_params_t params = {};
  tw_parallel_for_t parallelFor = {};
  const tw_parallel_for_t* parallel = nullptr;

  Call() {
    params.lhs_buffer = lhs.data();
    params.lhs_stride0 = 4 * 2;
    params.rhs_buffer = rhs.data();
    params.rhs_stride0 = 4 * 3;
    params.out_buffer = out.data();
    params.out_stride0 = 2 * 2 * 3;
    params.M = params.N = 2;
    params.K = 4;
    params.M0 = 2;
    params.N0 = 3;
    params.K0 = 1;
    params.flags = TW_TYPES_F32F32F32 | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  }
  tw_status_t run() { return tw_mmt4d(&params, parallel); }
  bool untouched() const {
    for (float x : out)
      if (x != 7.0f) return false;
    return true;
  }
};

struct Refusal {
  const char* what;
  void (*spoil)(Call*);
  tw_status_t status;
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.what;
}

class Mmt4dRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(Mmt4dRefusalTest, IsRefusedAndWritesNothing) {
  Call call;
  GetParam().spoil(&call);
  EXPECT_EQ(call.run(), GetParam().status);
  EXPECT_TRUE(call.untouched());
}

void asS8S4(Call* c) {
  c->params.flags = TW_TYPES_S8S4S32 | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  c->params.K0 = 2;
  c->params.lhs_stride0 = 16;
  c->params.rhs_stride0 = 24;
}

const Refusal kRefusals[] = {
    {"NullLhs", [](Call* c) { c->params.lhs_buffer = nullptr; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NullRhs", [](Call* c) { c->params.rhs_buffer = nullptr; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NullOut", [](Call* c) { c->params.out_buffer = nullptr; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeM", [](Call* c) { c->params.M = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeN", [](Call* c) { c->params.N = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeK", [](Call* c) { c->params.K = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeLhsOffset", [](Call* c) { c->params.lhs_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeRhsOffset", [](Call* c) { c->params.rhs_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NegativeOutOffset", [](Call* c) { c->params.out_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"SmallLhsStride", [](Call* c) { c->params.lhs_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"SmallRhsStride", [](Call* c) { c->params.rhs_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"SmallOutStride", [](Call* c) { c->params.out_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT},
    {"SmallOutRowStride",
     [](Call* c) {
       c->params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
       c->params.out_row_stride = 5;
     },
     TW_STATUS_INVALID_ARGUMENT},
    {"UnknownFlag", [](Call* c) { c->params.flags |= 0x1000; },
     TW_STATUS_INVALID_ARGUMENT},
    {"UnknownTypes", [](Call* c) { c->params.flags = 0x0B; },
     TW_STATUS_INVALID_ARGUMENT},
    {"M0TooLarge", [](Call* c) { c->params.M0 = 1025; },
     TW_STATUS_INVALID_ARGUMENT},
    {"K0TooSmall", [](Call* c) { c->params.K0 = 0; },
     TW_STATUS_INVALID_ARGUMENT},
    {"NullParallelForRun", [](Call* c) { c->parallel = &c->parallelFor; },
     TW_STATUS_INVALID_ARGUMENT},
    {"OddS4Offset",
     [](Call* c) {
       asS8S4(c);
       c->params.rhs_offset = 1;
     },
     TW_STATUS_INVALID_ARGUMENT},
    {"OddS4Stride",
     [](Call* c) {
       asS8S4(c);
       c->params.rhs_stride0 = 25;
     },
     TW_STATUS_INVALID_ARGUMENT},
    {"NoTile",
     [](Call* c) {
       c->params.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
     },
     TW_STATUS_UNSUPPORTED},
    {"PanelOverflows", [](Call* c) { c->params.K = kMax / 2; },
     TW_STATUS_OVERFLOW},
    {"LhsOverflows",
     [](Call* c) {
       c->params.M = kMax / 2;
       c->params.N = 0;
     },
     TW_STATUS_OVERFLOW},
    {"RhsOverflows", [](Call* c) { c->params.rhs_stride0 = kMax; },
     TW_STATUS_OVERFLOW},
    {"OutOverflows", [](Call* c) { c->params.out_stride0 = kMax - 4; },
     TW_STATUS_OVERFLOW},
    {"OffsetOverflows", [](Call* c) { c->params.lhs_offset = kMax; },
     TW_STATUS_OVERFLOW},
    {"BytesOverflow", [](Call* c) { c->params.lhs_offset = kMax / 16; },
     TW_STATUS_OVERFLOW},
    {"RowStrideOverflows",
     [](Call* c) {
       c->params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
       c->params.out_row_stride = kMax / 2;
     },
     TW_STATUS_OVERFLOW},
    // Where nothing is to be done, what is refused elsewhere is refused too.
    {"RowsOverflowWithoutK",
     [](Call* c) {
       c->params.M = (kMax >> 1) + 1;
       c->params.N = 1;
       c->params.M0 = 4;
       c->params.K = 0;
       c->params.lhs_stride0 = 0;
       c->params.out_row_stride = 3;
       c->params.flags |=
           TW_MMT4D_FLAG_ACCUMULATE | TW_MMT4D_FLAG_OUT_ROW_STRIDE;
     },
     TW_STATUS_OVERFLOW},
};

INSTANTIATE_TEST_SUITE_P(Refusals, Mmt4dRefusalTest,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.what; });

TEST(Mmt4dStatusTest, NullParamsAreRefused) {
  EXPECT_EQ(tw_mmt4d(nullptr, nullptr), TW_STATUS_INVALID_ARGUMENT);
}

TEST(Mmt4dStatusTest, TheUnspoiltCallRuns) {
  Call call;
  EXPECT_EQ(call.run(), TW_STATUS_OK);
  for (float x : call.out) EXPECT_EQ(x, 4.0f);
}

TEST(Mmt4dStatusTest, EmptyOutputsNeedNoBuffers) {
  for (bool emptyM : {false, true}) {
    Call call;
    (emptyM ? call.params.M : call.params.N) = 0;
    (emptyM ? call.params.lhs_buffer : call.params.rhs_buffer) = nullptr;
    call.params.out_buffer = nullptr;
    EXPECT_EQ(call.run(), TW_STATUS_OK);
    EXPECT_TRUE(call.untouched());
  }
}

TEST(Mmt4dStatusTest, KOfZeroWritesZerosOrNothing) {
  Call call;
  call.params.K = 0;
  call.params.lhs_buffer = call.params.rhs_buffer = nullptr;
  call.params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  EXPECT_EQ(call.run(), TW_STATUS_OK);
  EXPECT_TRUE(call.untouched());
  call.params.flags &= ~uint32_t{TW_MMT4D_FLAG_ACCUMULATE};
  EXPECT_EQ(call.run(), TW_STATUS_OK);
  for (float x : call.out) EXPECT_EQ(x, 0.0f);
}

// A stride separates panels; of one panel there is nothing to separate.
TEST(Mmt4dStatusTest, StridesOfSinglePanelsAreNotRead) {
  Call call;
  call.params.M = call.params.N = 1;
  call.params.lhs_stride0 = call.params.rhs_stride0 = -99;
  call.params.out_stride0 = kMax;
  EXPECT_EQ(call.run(), TW_STATUS_OK);
  EXPECT_EQ(call.out[0], 4.0f);
  EXPECT_EQ(call.out[6], 7.0f);
}

}  // namespace
