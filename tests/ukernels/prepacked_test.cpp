// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepacked operands: what the descriptor says, and that none is taken for
// another, nor a damaged one for a whole one.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"
#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

constexpr tw_index_t kM = 9, kN = 45, kK = 21;

// A prepacked rhs of small f32 numbers and a call for it.
struct Prepacked {
  Prepacked() {
    Random random(seedOf("Prepacked"));
    for (float& x : rhs) x = static_cast<float>(random.between(-8, 8));
    p.lhs = lhs.data();
    p.rhs = rhs.data();
    p.out = out.data();
    p.M = kM;
    p.N = kN;
    p.K = kK;
    p.lhs_stride = kK;
    p.rhs_stride = p.out_stride = kN;
    p.flags = TW_TYPES_F32F32F32;
    p.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    p.threads = 1;
    p.workspace = workspace.data();
    p.workspace_bytes = static_cast<tw_index_t>(workspace.size());
    EXPECT_EQ(tw_prepacked_size(&p, &bytes), TW_STATUS_OK);
    packed.resize(static_cast<size_t>(bytes) / sizeof packed[0] + 1);
    EXPECT_EQ(tw_prepack(&p, packed.data(), bytes, nullptr), TW_STATUS_OK);
    p.rhs = packed.data();
    p.rhs_bytes = bytes;
    p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
  }
  tw_prepacked_t* header() {
    return reinterpret_cast<tw_prepacked_t*>(packed.data());
  }
  uint8_t* at(size_t byte) {
    return reinterpret_cast<uint8_t*>(packed.data()) + byte;
  }
  // Runs the call; the status, and the sentence in `text`.
  tw_status_t run() {
    const tw_status_t status = tw_matmul(&p, nullptr);
    EXPECT_EQ(tw_matmul_explain(&p, nullptr, text, sizeof text), status);
    return status;
  }
  // As somebody would who wrote a descriptor of his own.
  void sign();

  std::vector<float> lhs = std::vector<float>(kM * kK, 1),
                     rhs = std::vector<float>(kK * kN),
                     out = std::vector<float>(kM * kN);
  std::vector<char> workspace = std::vector<char>(1 << 20);
  std::vector<uint64_t> packed;
  tw_index_t bytes = 0;
  tw_matmul_params_t p = {};
  char text[300] = "";
};

// The digest as prepacked.h describes it, written a second time.
uint64_t digestOf(const uint8_t* bytes, size_t count) {
  std::vector<uint8_t> padded(bytes, bytes + count);
  padded.resize((count + 31) / 32 * 32);
  uint64_t sums[4];
  for (uint64_t j = 0; j < 4; ++j) {
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15) + j;
    for (size_t i = j; i < padded.size() / 8; i += 4) {
      uint64_t word;
      std::memcpy(&word, &padded[8 * i], 8);
      h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
      h ^= h >> 32;
    }
    sums[j] = h;
  }
  uint64_t h = count;
  for (uint64_t sum : sums) {
    h = (h ^ sum) * UINT64_C(0xFF51AFD7ED558CCD);
    h ^= h >> 32;
  }
  return h;
}

void Prepacked::sign() {
  header()->header_digest =
      digestOf(at(0), offsetof(tw_prepacked_t, header_digest));
}

TEST(PrepackedTest, TheDescriptorSaysWhatThePanelsAre) {
  Prepacked rhs;
  const tw_prepacked_t& h = *rhs.header();
  EXPECT_EQ(std::memcmp(&h.magic, "TWPREPAK", 8), 0);
  EXPECT_EQ(h.version, 1u);
  EXPECT_EQ(h.header_bytes, 128u);
  EXPECT_EQ(h.types, uint32_t{TW_TYPES_F32F32F32});
  EXPECT_EQ(h.tile_types, uint32_t{TW_TYPES_F32F32F32});
  EXPECT_EQ(h.K, kK);
  EXPECT_EQ(h.N, kN);
  EXPECT_EQ(h.layout, uint32_t{TW_PREPACKED_LAYOUT_PANELS});
  const int64_t panels = (kN + h.N0 - 1) / h.N0, steps = (kK + h.K0 - 1) / h.K0;
  EXPECT_EQ(h.panel_bytes, uint64_t(panels * steps * h.N0 * h.K0 * 4));
  EXPECT_EQ(rhs.bytes, tw_index_t(128 + h.panel_bytes));
  bool isIsa = false;
  for (const IsaInfo& isa : isas()) isIsa |= isa.name == h.isa;
  EXPECT_TRUE(isIsa) << h.isa;
  EXPECT_EQ(h.panel_digest, digestOf(rhs.at(128), h.panel_bytes));
  EXPECT_EQ(h.header_digest,
            digestOf(rhs.at(0), offsetof(tw_prepacked_t, header_digest)));
  // Every element, and zeros around them.
  const float* at = reinterpret_cast<const float*>(rhs.at(128));
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t i = 0; i < h.N0; ++i)
        for (int64_t j = 0; j < h.K0; ++j, ++at) {
          const int64_t n = panel * h.N0 + i, k = step * h.K0 + j;
          ASSERT_EQ(*at, n < kN && k < kK ? rhs.rhs[k * kN + n] : 0)
              << "element (" << k << ", " << n << ")";
        }
}

TEST(PrepackedTest, TheLayoutDoesNotDependOnM) {
  Prepacked rhs;
  for (tw_index_t M : {1, 2, 4, 7, 64, 300}) {
    Prepacked other;
    std::vector<float> lhs(static_cast<size_t>(M * kK), 1),
        out(static_cast<size_t>(M * kN));
    other.p.M = M;
    other.p.lhs = lhs.data();
    other.p.out = out.data();
    ASSERT_EQ(other.run(), TW_STATUS_OK) << other.text;
    float sum = 0;
    for (tw_index_t k = 0; k < kK; ++k) sum += rhs.rhs[k * kN + 3];
    EXPECT_EQ(out[(M - 1) * kN + 3], sum);
  }
}

TEST(PrepackedTest, EveryDamagedByteOfTheDescriptorIsSeen) {
  Prepacked rhs;
  ASSERT_EQ(rhs.run(), TW_STATUS_OK) << rhs.text;
  for (size_t i = 0; i < offsetof(tw_prepacked_t, padding); ++i) {
    *rhs.at(i) ^= 0x10;
    const tw_status_t expected =
        i < 12 ? TW_STATUS_NOT_PREPACKED : TW_STATUS_DAMAGED;
    EXPECT_EQ(rhs.run(), expected) << "byte " << i << ": " << rhs.text;
    EXPECT_EQ(std::string(rhs.text).find("rhs's descriptor: "), 0u) << rhs.text;
    EXPECT_EQ(tw_check_prepacked(rhs.packed.data(), rhs.bytes), expected);
    *rhs.at(i) ^= 0x10;
  }
  ASSERT_EQ(rhs.run(), TW_STATUS_OK) << rhs.text;
}

TEST(PrepackedTest, EveryDamagedByteOfThePanelsIsSeen) {
  Prepacked rhs;
  ASSERT_EQ(tw_check_prepacked(rhs.packed.data(), rhs.bytes), TW_STATUS_OK);
  for (tw_index_t i = sizeof(tw_prepacked_t); i < rhs.bytes; ++i) {
    *rhs.at(i) ^= 1;
    ASSERT_EQ(tw_check_prepacked(rhs.packed.data(), rhs.bytes),
              TW_STATUS_DAMAGED)
        << "byte " << i;
    *rhs.at(i) ^= 1;
  }
}

TEST(PrepackedTest, OneForSomethingElseIsRefused) {
  const struct {
    void (*change)(Prepacked*);
    const char* field;
  } cases[] = {
      {[](Prepacked* r) { r->p.N = kN - 1; }, "rhs's descriptor: N is 45"},
      {[](Prepacked* r) { r->p.K = kK - 1; }, "rhs's descriptor: K is 21"},
      {[](Prepacked* r) {
         r->header()->types = TW_TYPES_F16F16F32;
         r->sign();
       },
       "rhs's descriptor: types is 3"},
      // Sizes that no tile has.
      {[](Prepacked* r) {
         r->p.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
         r->header()->N0 = 15;
         r->header()->K0 = 1;
         r->header()->panel_bytes = 3 * kK * 15 * 4;
         r->sign();
       },
       "rhs's descriptor: N0 is 15"},
  };
  for (const auto& c : cases) {
    Prepacked rhs;
    c.change(&rhs);
    EXPECT_EQ(rhs.run(), TW_STATUS_FOREIGN) << rhs.text;
    EXPECT_EQ(std::string(rhs.text).find(c.field), 0u) << rhs.text;
  }
}

TEST(PrepackedTest, OneThatContradictsItselfIsRefused) {
  Prepacked rhs;
  rhs.header()->panel_bytes += 64;
  rhs.sign();
  EXPECT_EQ(rhs.run(), TW_STATUS_NOT_PREPACKED) << rhs.text;
  EXPECT_NE(std::string(rhs.text).find("what header_bytes"), std::string::npos)
      << rhs.text;
}

TEST(PrepackedTest, ShortAndMisplacedBuffersAreRefused) {
  Prepacked rhs;
  rhs.p.rhs_bytes = 127;
  EXPECT_EQ(rhs.run(), TW_STATUS_NOT_PREPACKED) << rhs.text;
  rhs.p.rhs_bytes = rhs.bytes - 1;
  EXPECT_EQ(rhs.run(), TW_STATUS_OUT_OF_RANGE) << rhs.text;
  EXPECT_EQ(std::string(rhs.text).find("rhs_bytes is"), 0u) << rhs.text;
  rhs.p.rhs_bytes = rhs.bytes;
  rhs.p.rhs = rhs.at(4);
  EXPECT_EQ(rhs.run(), TW_STATUS_INVALID_ARGUMENT) << rhs.text;

  Prepacked other;
  tw_matmul_params_t p = other.p;
  p.flags &= ~uint32_t{TW_MATMUL_FLAG_RHS_PREPACKED};
  p.rhs = other.rhs.data();
  EXPECT_EQ(tw_prepack(&p, other.packed.data(), other.bytes - 1, nullptr),
            TW_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(tw_prepack(&p, other.at(4), other.bytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_prepack(&p, nullptr, other.bytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_prepack(&other.p, other.packed.data(), other.bytes, nullptr),
            TW_STATUS_INVALID_ARGUMENT)
      << "prepacked twice";
}

// Of what another CPU has made.
TEST(PrepackedTest, OneForAnIsaThatIsNotThereIsRefused) {
  Prepacked rhs;
  if (std::string(rhs.header()->isa) == "generic")
    GTEST_SKIP() << "this CPU runs no hand-written tile";
  rhs.p.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
  const CpuData bare;
  rhs.p.cpu_data = bare.words;
  EXPECT_EQ(rhs.run(), TW_STATUS_FOREIGN) << rhs.text;
  EXPECT_EQ(std::string(rhs.text).find("rhs's descriptor: N0 is"), 0u)
      << rhs.text;
}

}  // namespace
}  // namespace tilewright::testing
