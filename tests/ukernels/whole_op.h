// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole mmt4d on guarded buffers, and what it must give: tile by tile the
// reference of a tile function.

#ifndef TESTS_UKERNELS_WHOLE_OP_H_
#define TESTS_UKERNELS_WHOLE_OP_H_

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/operands.h"
#include "tests/tiles/reference.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {

struct WholeOpOptions {
  int64_t M = 1, N = 1, K = 1;
  bool accumulate = false;
  // Plain row-major output, with so many elements between rows beyond N*N0;
  // negative: tiles.
  int64_t rowSlack = -1;
  // Elements before the first panel, and between panels beyond their size.
  // Whole bytes for every type when a multiple of 4.
  int64_t offset = 0, gap = 0;
  const uint64_t* cpuData = nullptr;
  const tw_parallel_for_t* parallelFor = nullptr;
};

// Small integers, so that every sum is exact and one answer is right.
class WholeOp {
 public:
  WholeOp(const TileKey& key, const WholeOpOptions& options, uint64_t seed)
      : key_(key), o_(options) {
    Random random(seed);
    const int64_t count = std::max(o_.M, o_.N);
    for (int64_t i = 0; i < count; ++i)
      panels_.push_back(makeOperands(key, o_.K, DataKind::kSmallIntegers,
                                     o_.accumulate, random));
    const TypeTripleInfo& types = info(key.types);
    lhs_ = layOut(info(types.lhs).bits, o_.M, o_.K * key.m0 * key.k0, true);
    rhs_ = layOut(info(types.rhs).bits, o_.N, o_.K * key.n0 * key.k0, false);
    outBytes_ = info(types.out).bits / 8;
    rowStride_ = o_.N * key.n0 + std::max<int64_t>(o_.rowSlack, 0);
    tileRowStride_ = o_.N * key.m0 * key.n0 + o_.gap;
    const int64_t elements =
        o_.rowSlack >= 0 ? (o_.M * key.m0 - 1) * rowStride_ + o_.N * key.n0
                         : (o_.M - 1) * tileRowStride_ + o_.N * key.m0 * key.n0;
    out_.emplace_back(static_cast<size_t>((o_.offset + elements) * outBytes_));
    for (int64_t m = 0; m < o_.M; ++m)
      for (int64_t n = 0; n < o_.N; ++n) {
        previous_.push_back(makeOperands(key, 0, DataKind::kSmallIntegers,
                                         o_.accumulate, random)
                                .out);
        for (int64_t i = 0; i < int64_t{key.m0} * key.n0; ++i)
          std::memcpy(outAt(m, n, i), &previous_.back()[i * outBytes_],
                      outBytes_);
      }
  }

  // Runs tw_mmt4d and checks every byte of the output.
  void runAndCheck() {
    const tw_mmt4d_params_t params = makeParams();
    ASSERT_EQ(tw_mmt4d(&params, o_.parallelFor), TW_STATUS_OK);
    check();
  }

  tw_mmt4d_params_t makeParams() {
    tw_mmt4d_params_t p = {};
    p.lhs_buffer = lhs_.buffer[0].data();
    p.lhs_offset = o_.offset;
    p.lhs_stride0 = lhs_.stride;
    p.rhs_buffer = rhs_.buffer[0].data();
    p.rhs_offset = o_.offset;
    p.rhs_stride0 = rhs_.stride;
    p.out_buffer = out_[0].data();
    p.out_offset = o_.offset;
    p.out_stride0 = o_.rowSlack >= 0 ? -1 : tileRowStride_;
    p.M = o_.M;
    p.N = o_.N;
    p.K = o_.K;
    p.M0 = key_.m0;
    p.N0 = key_.n0;
    p.K0 = key_.k0;
    p.cpu_data = o_.cpuData;
    p.flags = static_cast<uint32_t>(key_.types) |
              TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    if (o_.accumulate) p.flags |= TW_MMT4D_FLAG_ACCUMULATE;
    if (key_.rounding == Rounding::kOnce)
      p.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
    if (o_.rowSlack >= 0) {
      p.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
      p.out_row_stride = rowStride_;
    }
    return p;
  }

  void check() {
    std::vector<bool> isOutput(out_[0].size());
    for (int64_t m = 0; m < o_.M; ++m)
      for (int64_t n = 0; n < o_.N; ++n) {
        const std::vector<Accepted> expected = referenceTile(
            key_, o_.K, panels_[m].lhs.data(), panels_[n].rhs.data(),
            o_.accumulate ? previous_[m * o_.N + n].data() : nullptr);
        for (int64_t i = 0; i < int64_t{key_.m0} * key_.n0; ++i) {
          uint8_t* at = outAt(m, n, i);
          for (int b = 0; b < outBytes_; ++b)
            isOutput[at + b - out_[0].as<uint8_t>()] = true;
          uint64_t bits = 0;
          std::memcpy(&bits, at, outBytes_);
          const double value = decodeElement(info(key_.types).out, bits);
          ASSERT_TRUE(expected[i].contains(value))
              << "tile (" << m << ", " << n << ") element " << i << " is "
              << value << ", expected " << expected[i].low;
        }
      }
    for (size_t i = 0; i < isOutput.size(); ++i)
      ASSERT_TRUE(isOutput[i] ||
                  out_[0].as<uint8_t>()[i] == GuardedBuffer::kFill)
          << "byte " << i << " beside the output was written";
  }

 private:
  struct Side {
    std::vector<GuardedBuffer> buffer;  // one
    int64_t stride = 0;
  };

  Side layOut(int bits, int64_t count, int64_t panel, bool isLhs) {
    Side side;
    side.stride = panel + o_.gap;
    const int64_t elements = o_.offset + (count - 1) * side.stride + panel;
    side.buffer.emplace_back(static_cast<size_t>(elements * bits / 8));
    for (int64_t i = 0; i < count; ++i) {
      const std::vector<uint8_t>& from =
          isLhs ? panels_[i].lhs : panels_[i].rhs;
      uint8_t* to = side.buffer[0].as<uint8_t>() +
                    (o_.offset + i * side.stride) * bits / 8;
      if (!from.empty()) std::memcpy(to, from.data(), from.size());
    }
    return side;
  }

  // Element `i` of tile (m, n).
  uint8_t* outAt(int64_t m, int64_t n, int64_t i) {
    const int64_t row = i / key_.n0, col = i % key_.n0;
    const int64_t at =
        o_.rowSlack >= 0 ? (m * key_.m0 + row) * rowStride_ + n * key_.n0 + col
                         : m * tileRowStride_ + n * key_.m0 * key_.n0 + i;
    return out_[0].as<uint8_t>() + (o_.offset + at) * outBytes_;
  }

  TileKey key_;
  WholeOpOptions o_;
  std::vector<Operands> panels_;
  Side lhs_, rhs_;
  std::vector<GuardedBuffer> out_;  // one
  std::vector<std::vector<uint8_t>> previous_;
  int outBytes_ = 0;
  int64_t rowStride_ = 0, tileRowStride_ = 0;
};

}  // namespace tilewright::testing

#endif  // TESTS_UKERNELS_WHOLE_OP_H_
