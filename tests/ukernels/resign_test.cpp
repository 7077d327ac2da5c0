// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of one sign on tiles of mixed ones: each function by itself, and that
// matmuls use them where they gain and take panels of either kind.

#include "ukernels/resign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/ukernels/rows.h"
#include "tilewright/contraction.h"
#include "tilewright/digest.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

// What this CPU can run of it, best first.
std::vector<const tw_resign_t*> available() {
  CpuData cpu;
  tw_cpu_detect(cpu.words);
  std::vector<const tw_resign_t*> all;
  for (const IsaInfo& isa : isas())
    if (tw_isa_available(isa.isa, cpu.words) && tw_resign_for(isa.isa))
      all.push_back(tw_resign_for(isa.isa));
  return all;
}

// Signed or not, all values, those at either end most often.
int drawByte(Random& random, bool isSigned) {
  const int low = isSigned ? -128 : 0;
  if (random.chance(0.2)) return low;
  if (random.chance(0.2)) return low + 255;
  return static_cast<int>(random.between(low, low + 255));
}

GuardedBuffer drawBytes(int64_t count, bool isSigned, Random& random) {
  GuardedBuffer buffer(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    buffer.as<uint8_t>()[i] = static_cast<uint8_t>(drawByte(random, isSigned));
  return buffer;
}

int byteAt(const GuardedBuffer& buffer, int64_t i, bool isSigned) {
  return isSigned ? static_cast<int>(buffer.as<int8_t>()[i])
                  : static_cast<int>(buffer.as<uint8_t>()[i]);
}

// Exactly the instruction sets that have rows of mixed bytes, of 4 along K, and
// whose only products of four bytes are of a u8 and an s8.
TEST(ResignTest, IsForInstructionSetsThatMultiplyMixedBytesOnly) {
  for (const IsaInfo& isa : isas()) {
    bool expected = false;
    for (const KeyedRow& row : keyedRows())
      expected |= row.key.isa == isa.isa && row.key.k0 == TW_RESIGN_K0 &&
                  row.key.types == TW_TYPES_S8U8S32 &&
                  (isa.has("avx512vnni") || isa.has("avxvnni")) &&
                  !isa.has("avxvnniint8") && !isa.has("avx10.2");
    EXPECT_EQ(tw_resign_for(isa.isa) != nullptr, expected) << isa.name;
  }
}

TEST(ResignTest, Flips) {
  Random random(seedOf("ResignTest.Flips"));
  for (const tw_resign_t* resign : available())
    for (int count = 0; count < 200; ++count) {
      GuardedBuffer bytes = drawBytes(count, false, random);
      const std::vector<uint8_t> before(bytes.as<uint8_t>(),
                                        bytes.as<uint8_t>() + count);
      resign->flip(bytes.data(), count);
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(bytes.as<uint8_t>()[i],
                  before[static_cast<size_t>(i)] ^ 0x80u);
    }
}

TEST(ResignTest, Sums) {
  Random random(seedOf("ResignTest.Sums"));
  for (const tw_resign_t* resign : available())
    for (int M0 = 1; M0 <= resign->lanes; ++M0)
      for (int steps = 0; steps < 80; ++steps)
        for (bool isSigned : {false, true}) {
          const GuardedBuffer panel =
              drawBytes(int64_t{steps} * M0 * 4, isSigned, random);
          GuardedBuffer sums(static_cast<size_t>(resign->lanes) * 4);
          resign->sum(panel.data(), steps, M0, isSigned, sums.as<int32_t>());
          for (int m = 0; m < M0; ++m) {
            int sum = 0;
            for (int i = 0; i < 4 * steps; ++i)
              sum += byteAt(panel, (i / 4 * M0 + m) * 4 + i % 4, isSigned);
            ASSERT_EQ(sums.as<int32_t>()[m], (isSigned ? -128 : 128) * sum)
                << "row " << m << " of " << M0 << ", " << steps << " steps";
          }
        }
}

TEST(ResignTest, SumsOfRows) {
  Random random(seedOf("ResignTest.SumsOfRows"));
  for (const tw_resign_t* resign : available())
    for (int M0 : {1, 3, 8, 12})
      for (int steps = 0; steps < 80; ++steps)
        for (int64_t slack : {0, 5})
          for (bool isSigned : {false, true}) {
            const int64_t row = 4 * steps + slack;
            const GuardedBuffer rows =
                drawBytes(row * M0 - slack, isSigned, random);
            GuardedBuffer sums(static_cast<size_t>(M0) * 4);
            resign->sum_rows(rows.data(), row, steps, M0, isSigned,
                             sums.as<int32_t>());
            for (int m = 0; m < M0; ++m) {
              int sum = 0;
              for (int i = 0; i < 4 * steps; ++i)
                sum += byteAt(rows, m * row + i, isSigned);
              ASSERT_EQ(sums.as<int32_t>()[m], (isSigned ? -128 : 128) * sum)
                  << "row " << m << " of " << M0 << ", " << steps << " steps";
            }
          }
}

TEST(ResignTest, Adds) {
  Random random(seedOf("ResignTest.Adds"));
  for (const tw_resign_t* resign : available())
    for (int M0 = 1; M0 <= resign->lanes; ++M0)
      for (int N0 = resign->lanes; N0 <= 3 * resign->lanes;
           N0 += resign->lanes) {
        const int stride = N0 + 3, count = (M0 - 1) * stride + N0;
        GuardedBuffer out(static_cast<size_t>(count) * 4);
        std::vector<int32_t> sums(static_cast<size_t>(M0));
        for (int i = 0; i < count; ++i) out.as<int32_t>()[i] = i;
        for (int m = 0; m < M0; ++m)
          sums[static_cast<size_t>(m)] =
              static_cast<int32_t>(random.between(-1000000, 1000000));
        resign->add(out.data(), stride, M0, N0, sums.data());
        for (int i = 0; i < count; ++i)
          ASSERT_EQ(
              out.as<int32_t>()[i],
              i % stride < N0 ? i + sums[static_cast<size_t>(i / stride)] : i);
      }
}

// Each size that there is.
TEST(ResignTest, TilesAddTheSums) {
  struct Kind {
    bool lhsIsSigned, rhsIsSigned, flips;
  };
  constexpr Kind kKinds[] = {
      {false, true, false}, {true, false, false}, {true, true, true}};
  Random random(seedOf("ResignTest.TilesAddTheSums"));
  for (const tw_resign_t* resign : available()) {
    int found = 0;
    for (int M0 = 1; M0 <= resign->lanes; ++M0)
      for (int N0 = 1; N0 <= 64; ++N0)
        for (const Kind& kind : kKinds) {
          const bool isSigned = kind.lhsIsSigned;
          const tw_resign_tile_fn_t fn = kind.flips
                                             ? resign->flipping_tile(M0, N0)
                                             : resign->tile(M0, N0, isSigned);
          if (!fn) continue;
          ++found;
          for (int64_t K : {0, 1, 2, 3, 7, 64})
            for (bool accumulate : {false, true}) {
              const GuardedBuffer lhs = drawBytes(K * M0 * 4, isSigned, random);
              const GuardedBuffer rhs =
                  drawBytes(K * N0 * 4, kind.rhsIsSigned, random);
              GuardedBuffer out(static_cast<size_t>(M0 * N0) * 4);
              GuardedBuffer sums(static_cast<size_t>(M0) * 4);
              for (int i = 0; i < M0 * N0; ++i) out.as<int32_t>()[i] = i;
              for (int m = 0; m < M0; ++m) sums.as<int32_t>()[m] = 1000 * m - 7;
              tw_mmt4d_params_t params = {};
              params.K = K;
              params.M0 = M0;
              params.N0 = N0;
              params.K0 = 4;
              params.flags = isSigned ? TW_TYPES_S8U8S32 : TW_TYPES_U8S8S32;
              if (accumulate) params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
              fn(out.data(), lhs.data(), rhs.data(), &params,
                 sums.as<int32_t>());
              for (int m = 0; m < M0; ++m)
                for (int n = 0; n < N0; ++n) {
                  int sum = 1000 * m - 7 + (accumulate ? m * N0 + n : 0);
                  for (int64_t k = 0; k < K; ++k)
                    for (int j = 0; j < 4; ++j)
                      sum +=
                          byteAt(lhs, (k * M0 + m) * 4 + j, isSigned) *
                          (byteAt(rhs, (k * N0 + n) * 4 + j, kind.rhsIsSigned) +
                           (kind.flips ? 128 : 0));
                  ASSERT_EQ(out.as<int32_t>()[m * N0 + n], sum)
                      << M0 << "x" << N0 << ", K " << K;
                }
            }
        }
    EXPECT_GT(found, 0) << tw_isa_name(resign->isa);
  }
}

// Of packed s8, tw_mmt4d adds up the rows of each panel of the lhs once: with
// so many columns, and K cut or not.
TEST(ResignTest, Mmt4dOfPackedBytes) {
  Random random(seedOf("ResignTest.Mmt4dOfPackedBytes"));
  for (const tw_resign_t* resign : available()) {
    const CpuData cpu = CpuData::of(resign->isa);
    for (const KeyedRow& row : keyedRows()) {
      const TileKey& key = row.key;
      if (key.isa != resign->isa || key.types != TW_TYPES_S8S8S32 ||
          key.k0 != TW_RESIGN_K0)
        continue;
      for (int64_t K : {1, 9, 1500})
        for (bool accumulate : {false, true}) {
          constexpr int64_t kM = 3, kN = 5;
          const int64_t M0 = key.m0, N0 = key.n0;
          const GuardedBuffer lhs = drawBytes(kM * K * M0 * 4, true, random);
          const GuardedBuffer rhs = drawBytes(kN * K * N0 * 4, true, random);
          GuardedBuffer out(static_cast<size_t>(kM * kN * M0 * N0) * 4);
          for (int64_t i = 0; i < kM * kN * M0 * N0; ++i)
            out.as<int32_t>()[i] = static_cast<int32_t>(i);
          tw_mmt4d_params_t p = {};
          p.lhs_buffer = lhs.data();
          p.rhs_buffer = rhs.data();
          p.out_buffer = out.data();
          p.lhs_stride0 = K * M0 * 4;
          p.rhs_stride0 = K * N0 * 4;
          p.out_stride0 = kN * M0 * N0;
          p.M = kM;
          p.N = kN;
          p.K = K;
          p.M0 = key.m0;
          p.N0 = key.n0;
          p.K0 = 4;
          p.flags = TW_TYPES_S8S8S32;
          if (accumulate) p.flags |= TW_MMT4D_FLAG_ACCUMULATE;
          p.cpu_data = cpu.words;
          ASSERT_EQ(tw_mmt4d(&p, nullptr), TW_STATUS_OK) << row.name;
          for (int64_t i = 0; i < kM * kN * M0 * N0; ++i) {
            const int64_t m = i / (kN * M0 * N0), n = i / (M0 * N0) % kN;
            const int64_t m0 = i / N0 % M0, n0 = i % N0;
            int sum = accumulate ? static_cast<int>(i) : 0;
            for (int64_t k = 0; k < 4 * K; ++k)
              sum +=
                  byteAt(lhs, (m * K + k / 4) * M0 * 4 + m0 * 4 + k % 4, true) *
                  byteAt(rhs, (n * K + k / 4) * N0 * 4 + n0 * 4 + k % 4, true);
            ASSERT_EQ(out.as<int32_t>()[i], sum)
                << row.name << ", K " << K << ", element " << i;
          }
        }
    }
  }
}

// A matmul of bytes of one sign, as a caller has it.
struct Bytes {
  explicit Bytes(bool isSigned, tw_isa_t isa)
      : isSigned(isSigned), cpu(CpuData::of(isa)) {
    Random random(seedOf("ResignTest.Bytes"));
    for (auto* matrix : {&lhs, &rhs})
      for (char& x : *matrix) x = static_cast<char>(drawByte(random, isSigned));
    p.lhs = lhs.data();
    p.rhs = rhs.data();
    p.out = out.data();
    p.lhs_stride = kK;
    p.rhs_stride = p.out_stride = kN;
    p.M = kM;
    p.N = kN;
    p.K = kK;
    p.flags = isSigned ? TW_TYPES_S8S8S32 : TW_TYPES_U8U8S32;
    p.threads = 1;
    p.workspace = workspace.data();
    p.workspace_bytes = static_cast<tw_index_t>(workspace.size());
    p.cpu_data = cpu.words;
  }
  int at(const std::vector<char>& matrix, int64_t i) const {
    const char x = matrix[static_cast<size_t>(i)];
    return isSigned ? static_cast<signed char>(x)
                    : static_cast<unsigned char>(x);
  }
  std::string explain() {
    char text[200];
    EXPECT_EQ(tw_matmul_explain(&p, nullptr, text, sizeof text), TW_STATUS_OK);
    return text;
  }
  void check() {
    std::fill(out.begin(), out.end(), 77);
    ASSERT_EQ(tw_matmul(&p, nullptr), TW_STATUS_OK);
    for (int64_t m = 0; m < kM; ++m)
      for (int64_t n = 0; n < kN; ++n) {
        int sum = 0;
        for (int64_t k = 0; k < kK; ++k)
          sum += at(lhs, m * kK + k) * at(rhs, k * kN + n);
        ASSERT_EQ(out[static_cast<size_t>(m * kN + n)], sum)
            << "(" << m << ", " << n << ")";
      }
  }

  // Of more than 2^20 products; edges in every direction.
  static constexpr int64_t kM = 103, kN = 118, kK = 143;
  bool isSigned;
  CpuData cpu;
  std::vector<char> lhs = std::vector<char>(kM * kK),
                    rhs = std::vector<char>(kK * kN),
                    workspace = std::vector<char>(1 << 20);
  std::vector<int32_t> out = std::vector<int32_t>(kM * kN);
  tw_matmul_params_t p = {};
};

TEST(ResignTest, MatmulsRunOnTilesOfMixedBytes) {
  for (const tw_resign_t* resign : available())
    for (bool isSigned : {true, false}) {
      Bytes bytes(isSigned, resign->isa);
      const std::string tile =
          std::string("tw_mmt4d_tile_") + (isSigned ? "s8u8s32_" : "u8s8s32_");
      EXPECT_NE(bytes.explain().find(tile), std::string::npos)
          << bytes.explain();
      bytes.check();
    }
}

// Of one K step there are as many bytes of sums as of the lhs. This one would
// be a block of its own without them, and with a large L2 the rhs's is as long
// as any.
TEST(ResignTest, SumsFitTheWorkspace) {
  for (const tw_resign_t* resign : available()) {
    Bytes bytes(true, resign->isa);
    bytes.cpu.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(32, 65535);
    tw_matmul_params_t& p = bytes.p;
    p.M = TW_MATMUL_MOST_LHS_BLOCK / TW_RESIGN_K0;
    p.N = p.rhs_stride = p.out_stride =
        (TW_MATMUL_MOST_RHS_BLOCK + TW_MATMUL_MOST_OUT_BLOCK) / TW_RESIGN_K0;
    p.K = p.lhs_stride = 1;
    tw_index_t workspace = 0;
    ASSERT_EQ(tw_matmul_workspace_size(&p, &workspace), TW_STATUS_OK);
    EXPECT_LE(workspace, TW_MATMUL_MOST_WORKSPACE);
  }
}

// Panels as they are flipped, and as versions before would have them.
TEST(ResignTest, PrepackedPanelsOfEitherKind) {
  for (const tw_resign_t* resign : available()) {
    Bytes bytes(true, resign->isa);
    tw_index_t size = 0;
    ASSERT_EQ(tw_prepacked_size(&bytes.p, &size), TW_STATUS_OK);
    std::vector<uint64_t> packed(static_cast<size_t>(size) / 8 + 1);
    ASSERT_EQ(tw_prepack(&bytes.p, packed.data(), size, nullptr), TW_STATUS_OK);
    auto* header = reinterpret_cast<tw_prepacked_t*>(packed.data());
    EXPECT_EQ(header->tile_types, uint32_t{TW_TYPES_S8U8S32});
    bytes.p.rhs = packed.data();
    bytes.p.rhs_bytes = size;
    bytes.p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
    bytes.check();
    EXPECT_NE(bytes.explain().find("_s8u8s32_"), std::string::npos);

    resign->flip(header + 1, static_cast<tw_index_t>(header->panel_bytes));
    header->tile_types = TW_TYPES_S8S8S32;
    header->panel_digest =
        tw_digest_bytes(header + 1, static_cast<size_t>(header->panel_bytes));
    header->header_digest =
        tw_digest_bytes(header, offsetof(tw_prepacked_t, header_digest));
    ASSERT_EQ(tw_check_prepacked(packed.data(), size), TW_STATUS_OK);
    bytes.check();
    EXPECT_NE(bytes.explain().find("_s8s8s32_"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright::testing
