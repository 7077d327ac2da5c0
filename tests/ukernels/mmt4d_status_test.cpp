// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d: every way to be refused and what tw_mmt4d_explain says of it, and
// the cases that do nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
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
  tw_status_t explain(char* text, size_t size) {
    return tw_mmt4d_explain(&params, parallel, text, size);
  }
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
  const char* says;  // how the sentence of tw_mmt4d_explain begins
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
     TW_STATUS_INVALID_ARGUMENT, "params->lhs_buffer is null"},
    {"NullRhs", [](Call* c) { c->params.rhs_buffer = nullptr; },
     TW_STATUS_INVALID_ARGUMENT, "params->rhs_buffer is null"},
    {"NullOut", [](Call* c) { c->params.out_buffer = nullptr; },
     TW_STATUS_INVALID_ARGUMENT, "params->out_buffer is null"},
    {"NegativeM", [](Call* c) { c->params.M = -1; }, TW_STATUS_INVALID_ARGUMENT,
     "params->M is -1"},
    {"NegativeN", [](Call* c) { c->params.N = -1; }, TW_STATUS_INVALID_ARGUMENT,
     "params->N is -1"},
    {"NegativeK", [](Call* c) { c->params.K = -1; }, TW_STATUS_INVALID_ARGUMENT,
     "params->K is -1"},
    {"NegativeLhsOffset", [](Call* c) { c->params.lhs_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT, "params->lhs_offset is -1"},
    {"NegativeRhsOffset", [](Call* c) { c->params.rhs_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT, "params->rhs_offset is -1"},
    {"NegativeOutOffset", [](Call* c) { c->params.out_offset = -1; },
     TW_STATUS_INVALID_ARGUMENT, "params->out_offset is -1"},
    {"SmallLhsStride", [](Call* c) { c->params.lhs_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->lhs_stride0 is 7: it must be at least the elements of a panel, "
     "K*M0*K0 = 8."},
    {"SmallRhsStride", [](Call* c) { c->params.rhs_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->rhs_stride0 is 11: it must be at least the elements of a panel, "
     "K*N0*K0 = 12."},
    {"SmallOutStride", [](Call* c) { c->params.out_stride0 -= 1; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->out_stride0 is 11: it must be at least the elements of a row of "
     "tiles, N*M0*N0 = 12."},
    {"SmallOutRowStride",
     [](Call* c) {
       c->params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
       c->params.out_row_stride = 5;
     },
     TW_STATUS_INVALID_ARGUMENT,
     "params->out_row_stride is 5: it must be at least the elements of a row, "
     "N*N0 = 6."},
    {"UnknownFlag", [](Call* c) { c->params.flags |= 0x1000; },
     TW_STATUS_INVALID_ARGUMENT, "params->flags is 0x1201: it must be"},
    {"UnknownTypes", [](Call* c) { c->params.flags = 0x0B; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->flags is 0xb: it must be one with a row of type_triples.def"},
    {"M0TooLarge", [](Call* c) { c->params.M0 = 1025; },
     TW_STATUS_INVALID_ARGUMENT, "params->M0 is 1025: it must be in 1..1024."},
    {"K0TooSmall", [](Call* c) { c->params.K0 = 0; },
     TW_STATUS_INVALID_ARGUMENT, "params->K0 is 0: it must be in 1..64."},
    {"NullParallelForRun", [](Call* c) { c->parallel = &c->parallelFor; },
     TW_STATUS_INVALID_ARGUMENT, "parallel_for->run is null"},
    {"OddS4Offset",
     [](Call* c) {
       asS8S4(c);
       c->params.rhs_offset = 1;
     },
     TW_STATUS_INVALID_ARGUMENT, "params->rhs_offset is 1"},
    {"OddS4Stride",
     [](Call* c) {
       asS8S4(c);
       c->params.rhs_stride0 = 25;
     },
     TW_STATUS_INVALID_ARGUMENT, "params->rhs_stride0 is 25"},
    {"NoTile",
     [](Call* c) {
       c->params.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
     },
     TW_STATUS_UNSUPPORTED, "No tw_mmt4d_tile_f32f32f32_2x3x1"},
    {"PanelOverflows", [](Call* c) { c->params.K = kMax / 2; },
     TW_STATUS_OVERFLOW, "params->K is "},
    {"LhsOverflows",
     [](Call* c) {
       c->params.M = kMax / 2;
       c->params.N = 0;
     },
     TW_STATUS_OVERFLOW, "params->lhs_stride0 is 8"},
    {"RhsOverflows", [](Call* c) { c->params.rhs_stride0 = kMax; },
     TW_STATUS_OVERFLOW, "params->rhs_stride0 is "},
    {"OutOverflows", [](Call* c) { c->params.out_stride0 = kMax - 4; },
     TW_STATUS_OVERFLOW, "params->out_stride0 is "},
    {"OffsetOverflows", [](Call* c) { c->params.lhs_offset = kMax; },
     TW_STATUS_OVERFLOW, "params->lhs_offset is "},
    {"BytesOverflow", [](Call* c) { c->params.lhs_offset = kMax / 16; },
     TW_STATUS_OVERFLOW, "params->lhs_offset is "},
    {"RowStrideOverflows",
     [](Call* c) {
       c->params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
       c->params.out_row_stride = kMax / 2;
     },
     TW_STATUS_OVERFLOW, "params->out_row_stride is "},
    {"N0TooSmall", [](Call* c) { c->params.N0 = -3; },
     TW_STATUS_INVALID_ARGUMENT, "params->N0 is -3: it must be in 1..1024."},
    {"OddS4Panel",
     [](Call* c) {
       asS8S4(c);
       c->params.K0 = 1;
     },
     TW_STATUS_INVALID_ARGUMENT,
     "params->N0 is 3: it must be such that N0*K0 rhs elements fill whole"},
    {"BrokenS6Panel",
     [](Call* c) { c->params.flags = TW_TYPES_F6E2M3FNF6E2M3FNF32; },
     TW_STATUS_INVALID_ARGUMENT,
     "params->M0 is 2: it must be such that M0*K0 lhs elements fill whole"},
    {"RowOfTilesOverflows",
     [](Call* c) {
       c->params.N = kMax / 2;
       c->params.K = 0;
     },
     TW_STATUS_OVERFLOW, "params->N is "},
    {"NoTileForThisCpu",
     [](Call* c) {
       static const uint64_t kNothing[TW_CPU_DATA_WORDS] = {};
       c->params.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
       c->params.cpu_data = kNothing;
     },
     TW_STATUS_UNSUPPORTED, "No tw_mmt4d_tile_f32f32f32_2x3x1"},
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
     TW_STATUS_OVERFLOW, "params->M is "},
};

TEST_P(Mmt4dRefusalTest, IsExplained) {
  Call call;
  GetParam().spoil(&call);
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(call.explain(text, sizeof text), GetParam().status);
  const std::string sentence = text;
  EXPECT_EQ(sentence.rfind(GetParam().says, 0), 0u) << sentence;
  EXPECT_EQ(sentence.back(), '.') << sentence;
  EXPECT_TRUE(call.untouched());
}

INSTANTIATE_TEST_SUITE_P(Refusals, Mmt4dRefusalTest,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.what; });

TEST(Mmt4dStatusTest, NullParamsAreRefused) {
  EXPECT_EQ(tw_mmt4d(nullptr, nullptr), TW_STATUS_INVALID_ARGUMENT);
}

TEST(Mmt4dExplainTest, NullParamsAreNamed) {
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_mmt4d_explain(nullptr, nullptr, text, sizeof text),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "params is null: it must be a pointer to the parameters.");
}

TEST(Mmt4dExplainTest, ACallThatWouldRunSaysWhatWithoutRunning) {
  Call call;
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(call.explain(text, sizeof text), TW_STATUS_OK);
  EXPECT_EQ(std::string(text).rfind("The portable fallback, as ", 0), 0u)
      << text;
  EXPECT_TRUE(call.untouched());
}

// The text is cut off where its array ends, and may be left out.
TEST(Mmt4dExplainTest, ShortTextsEndWithAZero) {
  Call call;
  call.params.M = -12;
  EXPECT_EQ(call.explain(nullptr, 0), TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(call.explain(nullptr, 99), TW_STATUS_INVALID_ARGUMENT);
  char text[20];
  for (size_t size : {0, 1, 2, 13, 20}) {
    std::memset(text, '#', sizeof text);
    EXPECT_EQ(call.explain(text, size), TW_STATUS_INVALID_ARGUMENT);
    const std::string whole = "params->M is -12: it must be 0 or more.";
    if (size > 0) {
      EXPECT_EQ(text, whole.substr(0, size - 1));
    }
    for (size_t i = size; i < sizeof text; ++i) EXPECT_EQ(text[i], '#');
  }
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
