// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explanations of tw_prepack, tw_check_prepacked, tw_fill_mmt4d_params and
// tw_query_tile_sizes: the status of the function itself, and a sentence that
// names the field, its value and what it may be.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

constexpr tw_index_t kMax = PTRDIFF_MAX;
constexpr tw_status_t kInvalid = TW_STATUS_INVALID_ARGUMENT;
constexpr auto kNoTypes = static_cast<tw_type_triple_t>(0);

void expectSentence(const char* text, const std::string& begins,
                    const std::string& says) {
  const std::string sentence = text;
  EXPECT_EQ(sentence.find(begins), 0u) << sentence;
  EXPECT_NE(sentence.find(says), std::string::npos) << sentence;
  EXPECT_EQ(sentence.back(), '.') << sentence;
}

// ---- tw_prepack -------------------------------------------------------------

// An f32 rhs of 5 x 7, its buffer and its parallel-for.
struct Prepack {
  Prepack() {
    p.rhs = rhs;
    p.rhs_stride = 7;
    p.N = 7;
    p.K = 5;
    p.flags = TW_TYPES_F32F32F32;
    p.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  }
  float rhs[35] = {};
  alignas(64) char buffer[4096] = {};
  tw_matmul_params_t p = {};
  tw_matmul_params_t* params = &p;
  void* prepacked = buffer;
  tw_index_t bytes = sizeof buffer;
  const tw_parallel_for_t* parallelFor = nullptr;
};

const tw_parallel_for_t kEmpty = {nullptr, nullptr};

struct PrepackRefusal {
  const char* name;
  void (*spoil)(Prepack&);
  tw_status_t status;
  const char *begins, *says;
};

const PrepackRefusal kPrepackRefusals[] = {
    {"NoParams", [](Prepack& c) { c.params = nullptr; }, kInvalid,
     "params is null", "a struct"},
    {"EmptyParallelFor", [](Prepack& c) { c.parallelFor = &kEmpty; }, kInvalid,
     "parallel_for->run is null", "a function"},
    {"PrepackedAlready",
     [](Prepack& c) { c.p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED; }, kInvalid,
     "flags is 0x", "without RHS_PREPACKED"},
    {"UnknownFlag", [](Prepack& c) { c.p.flags |= 0x80000000u; }, kInvalid,
     "flags is 0x", "of tw_matmul only"},
    {"NoTypes",
     [](Prepack& c) { c.p.flags &= ~uint32_t{TW_MMT4D_FLAG_TYPE_MASK}; },
     kInvalid, "flags: type triple is 0", "type_triples.def"},
    {"SixBits", [](Prepack& c) { c.p.flags = TW_TYPES_F8E4M3FNF6E2M3FNF32; },
     TW_STATUS_UNSUPPORTED, "flags: type triple is 86", "6-bit"},
    {"NoTile",
     [](Prepack& c) {
       static const CpuData bare;
       c.p.flags = TW_TYPES_S32S32S32;
       c.p.cpu_data = bare.words;
     },
     TW_STATUS_UNSUPPORTED, "flags: type triple is ", "ALLOW_GENERIC_FALLBACK"},
    {"NegativeN", [](Prepack& c) { c.p.N = -1; }, kInvalid, "N is -1",
     "0 or more"},
    {"NegativeK", [](Prepack& c) { c.p.K = -2; }, kInvalid, "K is -2",
     "0 or more"},
    {"Stride", [](Prepack& c) { c.p.rhs_stride = 6; }, kInvalid,
     "rhs_stride is 6", "length of a row, 7"},
    {"NoRhs", [](Prepack& c) { c.p.rhs = nullptr; }, kInvalid, "rhs is null",
     "a buffer"},
    {"Large",
     [](Prepack& c) {
       // A matrix that fits, and panels of whole tiles that do not.
       c.p.N = 1;
       c.p.K = kMax / 40;
       c.p.rhs_stride = 1;
     },
     TW_STATUS_OVERFLOW, "K is ", "panels fit the address space"},
    {"NoBuffer", [](Prepack& c) { c.prepacked = nullptr; }, kInvalid,
     "prepacked is 0x0", "multiple of 8"},
    {"Unaligned", [](Prepack& c) { c.prepacked = c.buffer + 4; }, kInvalid,
     "prepacked is 0x", "multiple of 8"},
    {"SmallBuffer",
     [](Prepack& c) {
       tw_index_t size = 0;
       EXPECT_EQ(tw_prepacked_size(&c.p, &size), TW_STATUS_OK);
       c.bytes = size - 1;
     },
     TW_STATUS_OUT_OF_RANGE, "bytes is ", "at least tw_prepacked_size, "},
};

TEST(PrepackExplainTest, EveryRefusalIsASentence) {
  for (const PrepackRefusal& refusal : kPrepackRefusals) {
    SCOPED_TRACE(refusal.name);
    Prepack c;
    refusal.spoil(c);
    char text[TW_EXPLANATION_SIZE];
    EXPECT_EQ(tw_prepack(c.params, c.prepacked, c.bytes, c.parallelFor),
              refusal.status);
    EXPECT_EQ(tw_prepack_explain(c.params, c.prepacked, c.bytes, c.parallelFor,
                                 text, sizeof text),
              refusal.status);
    expectSentence(text, refusal.begins, refusal.says);
    for (char byte : c.buffer) ASSERT_EQ(byte, 0);
  }
}

TEST(PrepackExplainTest, SaysForWhat) {
  Prepack c;
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_prepack_explain(c.params, c.prepacked, c.bytes, nullptr, text,
                               sizeof text),
            TW_STATUS_OK);
  expectSentence(text, "Packs for tiles of ", "");
  EXPECT_EQ(c.buffer[0], 0);  // and does not pack
  EXPECT_EQ(
      tw_prepack_explain(c.params, c.prepacked, c.bytes, nullptr, nullptr, 0),
      TW_STATUS_OK);
}

// ---- tw_check_prepacked -----------------------------------------------------

TEST(CheckPrepackedExplainTest, EveryRefusalIsASentence) {
  Prepack c;
  tw_index_t bytes = 0;
  ASSERT_EQ(tw_prepacked_size(&c.p, &bytes), TW_STATUS_OK);
  ASSERT_EQ(tw_prepack(&c.p, c.buffer, bytes, nullptr), TW_STATUS_OK);
  const auto expect = [&](tw_index_t size, tw_status_t status,
                          const char* begins, const char* says) {
    char text[TW_EXPLANATION_SIZE];
    EXPECT_EQ(tw_check_prepacked(c.buffer, size), status);
    EXPECT_EQ(tw_check_prepacked_explain(c.buffer, size, text, sizeof text),
              status);
    expectSentence(text, begins, says);
  };
  expect(bytes, TW_STATUS_OK, "Nothing is wrong", "");
  expect(127, TW_STATUS_NOT_PREPACKED, "rhs_bytes is 127", "128");
  expect(bytes - 1, TW_STATUS_OUT_OF_RANGE, "rhs_bytes is ", "at least");
  c.buffer[bytes - 1] ^= 1;
  expect(bytes, TW_STATUS_DAMAGED, "rhs's descriptor: panel_digest is 0x",
         "the panels");
  auto* header = reinterpret_cast<tw_prepacked_t*>(c.buffer);
  header->N += 1;
  expect(bytes, TW_STATUS_DAMAGED, "rhs's descriptor: header_digest is",
         "damaged");
  header->magic += 1;
  expect(bytes, TW_STATUS_NOT_PREPACKED, "rhs's descriptor: magic is",
         "no prepacked rhs");
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_check_prepacked_explain(nullptr, bytes, text, sizeof text),
            kInvalid);
  expectSentence(text, "rhs is 0x0", "multiple of 8");
}

// ---- tw_fill_mmt4d_params ---------------------------------------------------

struct Fill {
  tw_type_triple_t types = TW_TYPES_S8S4S32;
  tw_index_t M = 25, N = 33, K = 7;
  tw_tile_sizes_t tile = {12, 32, 2};
  const tw_tile_sizes_t* sizes = &tile;
  tw_mmt4d_params_t filled = {};
  tw_mmt4d_params_t* params = &filled;
};

const struct FillRefusal {
  const char* name;
  void (*spoil)(Fill&);
  tw_status_t status;
  const char *begins, *says;
} kFillRefusals[] = {
    {"NoSizes", [](Fill& c) { c.sizes = nullptr; }, kInvalid, "sizes is null",
     "a struct"},
    {"NoParams", [](Fill& c) { c.params = nullptr; }, kInvalid,
     "params is null", "a struct"},
    {"M", [](Fill& c) { c.M = -1; }, kInvalid, "M is -1", "0 or more"},
    {"N", [](Fill& c) { c.N = -2; }, kInvalid, "N is -2", "0 or more"},
    {"K", [](Fill& c) { c.K = -3; }, kInvalid, "K is -3", "0 or more"},
    {"Types", [](Fill& c) { c.types = kNoTypes; }, kInvalid,
     "params->flags is 0x", "type_triples.def"},
    {"M0", [](Fill& c) { c.tile.M0 = 0; }, kInvalid, "params->M0 is 0",
     "in 1..1024"},
    {"N0", [](Fill& c) { c.tile.N0 = 1025; }, kInvalid, "params->N0 is 1025",
     "in 1..1024"},
    {"K0", [](Fill& c) { c.tile.K0 = 65; }, kInvalid, "params->K0 is 65",
     "in 1..64"},
    {"HalfABytePerStep",
     [](Fill& c) {
       c.tile.N0 = 5;
       c.tile.K0 = 1;
     },
     kInvalid, "params->N0 is 5", "whole bytes"},
    {"LargeK", [](Fill& c) { c.K = kMax; }, TW_STATUS_OVERFLOW, "K is ",
     "address space"},
    {"LargeN", [](Fill& c) { c.N = kMax; }, TW_STATUS_OVERFLOW, "N is ",
     "address space"},
};

TEST(FillMmt4dParamsExplainTest, EveryRefusalIsASentence) {
  for (const FillRefusal& refusal : kFillRefusals) {
    SCOPED_TRACE(refusal.name);
    Fill c;
    refusal.spoil(c);
    char text[TW_EXPLANATION_SIZE];
    EXPECT_EQ(tw_fill_mmt4d_params(c.types, c.M, c.N, c.K, c.sizes, c.params),
              refusal.status);
    EXPECT_EQ(tw_fill_mmt4d_params_explain(c.types, c.M, c.N, c.K, c.sizes,
                                           c.params, text, sizeof text),
              refusal.status);
    expectSentence(text, refusal.begins, refusal.says);
    EXPECT_EQ(c.filled.M0, 0);
  }
  Fill c;
  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_fill_mmt4d_params_explain(c.types, c.M, c.N, c.K, c.sizes,
                                         c.params, text, sizeof text),
            TW_STATUS_OK);
  EXPECT_STREQ(text, "Nothing is wrong.");
  EXPECT_EQ(c.filled.M0, 0);  // and does not fill
}

// ---- tw_query_tile_sizes ----------------------------------------------------

TEST(QueryTileSizesExplainTest, SaysTheTileOrWhatIsWrong) {
  tw_tile_sizes_t sizes = {};
  char text[TW_EXPLANATION_SIZE];
  const CpuData bare, all = CpuData::all();
  const CpuData* cpu = &bare;
  const auto explain = [&](tw_type_triple_t types, tw_tile_sizes_t* to) {
    const tw_status_t status =
        tw_query_tile_sizes(types, 64, 64, cpu->words, to);
    EXPECT_EQ(tw_query_tile_sizes_explain(types, 64, 64, cpu->words, to, text,
                                          sizeof text),
              status);
    return status;
  };
  EXPECT_EQ(explain(TW_TYPES_F32F32F32, nullptr), kInvalid);
  expectSentence(text, "sizes is null", "a struct");
  EXPECT_EQ(explain(kNoTypes, &sizes), kInvalid);
  expectSentence(text, "types is 0", "type_triples.def");
  EXPECT_EQ(explain(TW_TYPES_S32S32S32, &sizes), TW_STATUS_UNSUPPORTED);
  expectSentence(text, "types is ", "is linked in that cpu_data can run");
  cpu = &all;
  ASSERT_EQ(explain(TW_TYPES_F32F32F32, &sizes), TW_STATUS_OK);
  const std::string sizesOfName =
      std::to_string(sizes.M0) + "x" + std::to_string(sizes.N0);
  const bool scalable = std::string(text).find("vl") != std::string::npos;
  expectSentence(text, "The cheapest is tw_mmt4d_tile_f32f32f32_",
                 scalable ? "vl" : sizesOfName);
}

}  // namespace
}  // namespace tilewright::testing
