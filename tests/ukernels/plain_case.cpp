// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/ukernels/plain_case.h"

#include <gtest/gtest.h>

#include "tests/tiles/element_codec.h"
#include "tests/tiles/reference.h"

namespace tilewright::testing {

std::string describe(const PlainLayout& l) {
  return std::to_string(l.M) + "x" + std::to_string(l.N) + "x" +
         std::to_string(l.K) + (l.lhsTransposed ? " lhs transposed" : "") +
         (l.rhsTransposed ? " rhs transposed" : "") +
         (l.outTransposed ? " out transposed" : "") + " slack " +
         std::to_string(l.slack) + (l.accumulate ? " accumulate" : "");
}

// ---- PlainMatrix ------------------------------------------------------------

PlainMatrix::PlainMatrix(int64_t rows, int64_t cols, bool transposed,
                         int64_t slack, tw_element_type_t type,
                         Placement placement)
    : bits(info(type).bits),
      rowStride(stride(transposed ? 1 : cols, slack, transposed)),
      colStride(stride(transposed ? rows : 1, slack, !transposed)),
      buffer(bytesOf(rows, cols), 0, placement) {}

uint64_t PlainMatrix::get(int64_t r, int64_t c) const {
  return loadElement(buffer.as<uint8_t>(), r * rowStride + c * colStride, bits);
}

void PlainMatrix::set(int64_t r, int64_t c, uint64_t code) {
  storeElement(buffer.as<uint8_t>(), r * rowStride + c * colStride, bits, code);
}

// Lines of 4-bit types begin on a byte.
int64_t PlainMatrix::stride(int64_t length, int64_t slack, bool isUnit) const {
  if (isUnit) return 1;
  return bits < 8 ? (length + slack + 1) / 2 * 2 : length + slack;
}

size_t PlainMatrix::bytesOf(int64_t rows, int64_t cols) const {
  if (rows == 0 || cols == 0) return 0;
  const int64_t last = (rows - 1) * rowStride + (cols - 1) * colStride;
  return static_cast<size_t>(((last + 1) * bits + 7) / 8);
}

// ---- PlainCase --------------------------------------------------------------

// Panels of a tile function M x N hold the operands. Their steps are whole
// bytes: of two k for 4-bit types, the last of them zero where K is odd.
PlainCase::PlainCase(tw_type_triple_t types, const PlainLayout& layout,
                     DataKind kind, Random& random)
    : l_(layout),
      types_(info(types)),
      key_{types,
           static_cast<int32_t>(l_.M),
           static_cast<int32_t>(l_.N),
           info(types_.lhs).bits < 8 || info(types_.rhs).bits < 8 ? 2 : 1,
           Rounding::kOnce,
           TW_ISA_GENERIC},
      steps_((l_.K + key_.k0 - 1) / key_.k0),
      exact_(isExact(kind)),
      panels_(makeOperands(key_, steps_, kind, l_.accumulate, random)),
      lhs_(l_.M, l_.K, l_.lhsTransposed, l_.slack, types_.lhs, l_.placement),
      rhs_(l_.K, l_.N, l_.rhsTransposed, l_.slack, types_.rhs, l_.placement),
      out_(l_.M, l_.N, l_.outTransposed, l_.slack, types_.out, l_.placement) {
  scatter(panels_.lhs, l_.M, info(types_.lhs).bits,
          [&](int64_t m, int64_t k, uint64_t x) { lhs_.set(m, k, x); });
  scatter(panels_.rhs, l_.N, info(types_.rhs).bits,
          [&](int64_t n, int64_t k, uint64_t x) { rhs_.set(k, n, x); });
  for (int64_t m = 0; m < l_.M; ++m)
    for (int64_t n = 0; n < l_.N; ++n)
      out_.set(m, n, loadElement(panels_.out.data(), m * l_.N + n, out_.bits));
}

// Calls set(row, k, code) for the panel's elements, and clears those that pad
// K.
template <typename Set>
void PlainCase::scatter(std::vector<uint8_t>& panel, int64_t rows, int bits,
                        Set set) {
  const int64_t stepBytes = rows * key_.k0 * bits / 8;
  for (int64_t k = 0; k < steps_ * key_.k0; ++k)
    for (int64_t r = 0; r < rows; ++r) {
      uint8_t* step = panel.data() + k / key_.k0 * stepBytes;
      const int64_t at = r * key_.k0 + k % key_.k0;
      if (k < l_.K)
        set(r, k, loadElement(step, at, bits));
      else
        storeElement(step, at, bits, 0);
    }
}

void PlainCase::check() {
  ReferenceOptions options;
  options.exactness = exact_ ? Exactness::kExact : Exactness::kBounded;
  const std::vector<Accepted> expected =
      referenceTile(key_, steps_, panels_.lhs.data(), panels_.rhs.data(),
                    l_.accumulate ? panels_.out.data() : nullptr, options);
  const bool untouched = l_.K == 0 && l_.accumulate;
  std::vector<bool> isOut(out_.buffer.size());
  for (int64_t m = 0; m < l_.M; ++m)
    for (int64_t n = 0; n < l_.N; ++n) {
      const int64_t at = m * out_.rowStride + n * out_.colStride;
      for (int b = 0; b < out_.bits / 8; ++b)
        isOut[static_cast<size_t>(at * out_.bits / 8 + b)] = true;
      const uint64_t code = out_.get(m, n);
      if (untouched) {
        ASSERT_EQ(code,
                  loadElement(panels_.out.data(), m * l_.N + n, out_.bits));
        continue;
      }
      const double value = decodeElement(types_.out, code);
      const Accepted& right = expected[static_cast<size_t>(m * l_.N + n)];
      ASSERT_TRUE(right.contains(value))
          << "[" << m << "][" << n << "] is " << value << ", expected "
          << right.low << " to " << right.high;
    }
  for (size_t i = 0; i < isOut.size(); ++i)
    ASSERT_TRUE(isOut[i] ||
                out_.buffer.as<uint8_t>()[i] == GuardedBuffer::kFill)
        << "byte " << i << " beside the output was written";
  EXPECT_TRUE(out_.buffer.slackIntact());
}

}  // namespace tilewright::testing
