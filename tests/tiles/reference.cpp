// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

// The bound's constant; see tile.h, "Numerics".
constexpr double kBoundFactor = 2;

// Decodes panels [K][rows][K0], or of groups along K0
// [K][K0/group][rows][group] (one of K0 is the former). The lhs stays as it is;
// the rhs becomes [K][K0][rows], so that the inner loop runs over contiguous
// columns.
template <typename T>
std::vector<T> decodePanel(tw_element_type_t type, const uint8_t* bytes,
                           int64_t K, int64_t rows, int64_t k0, int64_t group,
                           bool transpose, bool flush) {
  std::vector<T> values = decodeElements<T>(type, bytes, K * rows * k0);
  if (flush)
    for (T& value : values)
      if (std::fabs(static_cast<double>(value)) < 0x1p-126) value = 0;
  if (!transpose || (group == 1 && k0 == 1)) return values;
  std::vector<T> columns(values.size());
  const T* from = values.data();
  for (int64_t g = 0; g < K * k0; g += group)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < group; ++i) columns[(g + i) * rows + r] = *from++;
  return columns;
}

int64_t rhsGroup(const TileKey& key) {
  return key.vnni ? 32 / info(info(key.types).rhs).bits : key.k0;
}

void integerTile(const TileKey& key, int64_t K, const uint8_t* lhs,
                 const uint8_t* rhs, const uint8_t* previous,
                 std::vector<Accepted>& result) {
  const TypeTripleInfo& types = info(key.types);
  // All modulo 2^32, as the result is.
  const auto a = decodePanel<int32_t>(types.lhs, lhs, K, key.m0, key.k0, key.k0,
                                      false, false);
  const auto b = decodePanel<int32_t>(types.rhs, rhs, K, key.n0, key.k0,
                                      rhsGroup(key), true, false);
  std::vector<uint32_t> sums(static_cast<size_t>(key.n0));
  for (int64_t m = 0; m < key.m0; ++m) {
    for (int64_t n = 0; n < key.n0; ++n)
      sums[n] =
          previous
              ? static_cast<uint32_t>(loadElement(previous, m * key.n0 + n, 32))
              : 0;
    for (int64_t k = 0; k < K; ++k)
      for (int64_t i = 0; i < key.k0; ++i) {
        const uint32_t x =
            static_cast<uint32_t>(a[(k * key.m0 + m) * key.k0 + i]);
        const int32_t* row = b.data() + (k * key.k0 + i) * key.n0;
        for (int64_t n = 0; n < key.n0; ++n)
          sums[n] += x * static_cast<uint32_t>(row[n]);
      }
    for (int64_t n = 0; n < key.n0; ++n) {
      const double value = static_cast<int32_t>(sums[n]);
      result[m * key.n0 + n] = {value, value, false};
    }
  }
}

// One row of the out tile, while its sums are made.
template <typename Wide>
struct FloatRow {
  std::vector<Wide> sum;         // of products since the last rounding
  std::vector<double> absolute;  // of their magnitudes
  std::vector<Accepted> state;   // what was accumulated up to there

  explicit FloatRow(int n0) : sum(n0), absolute(n0), state(n0) {}

  // Adds x times each of the columns; their magnitudes where they are wanted.
  void add(Wide x, const double* __restrict columns, bool magnitudes) {
    Wide* __restrict to = sum.data();
    double* __restrict of = absolute.data();
    const size_t n0 = sum.size();
    if (!magnitudes) {
      for (size_t n = 0; n < n0; ++n) to[n] += x * columns[n];
      return;
    }
    for (size_t n = 0; n < n0; ++n) {
      const Wide product = x * columns[n];
      to[n] += product;
      of[n] += std::fabs(static_cast<double>(product));
    }
  }
};

// Rounds an exact (or bounding) sum to the accumulator type, then to the out
// type, as a tile does.
template <typename Wide>
double roundSum(const TypeTripleInfo& types, Wide sum) {
  return roundTo(types.out,
                 roundTo(types.accumulator, static_cast<double>(sum)));
}

// Adds the row's sum of `count` products to its state, widened by the bound,
// and rounds it to the out type.
template <typename Wide>
void foldRow(FloatRow<Wide>& row, int64_t count, const TypeTripleInfo& types,
             Exactness exactness) {
  const double eps = types.accumulator == TW_ELEMENT_F64
                         ? std::numeric_limits<double>::epsilon()
                         : std::numeric_limits<float>::epsilon();
  for (size_t n = 0; n < row.state.size(); ++n) {
    Accepted& s = row.state[n];
    const Wide low = s.low + row.sum[n], high = s.high + row.sum[n];
    s.nan = s.nan || std::isnan(low) || std::isnan(high);
    if (exactness == Exactness::kExact) {
      // One value: it stays one.
      s.low = s.high = roundSum<Wide>(types, low);
    } else {
      Wide slack = 0;
      if (std::isfinite(low) && std::isfinite(high)) {
        const double previous = std::max(std::fabs(s.low), std::fabs(s.high));
        slack = kBoundFactor * static_cast<double>(count + 1) * eps *
                (row.absolute[n] + previous);
      }
      s.low = roundSum<Wide>(types, low - slack);
      s.high = roundSum<Wide>(types, high + slack);
    }
    row.sum[n] = 0;
    row.absolute[n] = 0;
  }
}

template <typename Wide>
void floatTile(const TileKey& key, int64_t K, const uint8_t* lhs,
               const uint8_t* rhs, const uint8_t* previous,
               const ReferenceOptions& options, std::vector<Accepted>& result) {
  const TypeTripleInfo& types = info(key.types);
  const bool flush = options.flushDenormals;
  const auto a = decodePanel<double>(types.lhs, lhs, K, key.m0, key.k0, key.k0,
                                     false, flush);
  const auto b = decodePanel<double>(types.rhs, rhs, K, key.n0, key.k0,
                                     rhsGroup(key), true, flush);
  const int outBits = info(types.out).bits;
  const bool perStep = key.rounding == Rounding::kPerStep;
  FloatRow<Wide> row(key.n0);
  for (int64_t m = 0; m < key.m0; ++m) {
    for (int64_t n = 0; n < key.n0; ++n) {
      double value = 0;
      if (previous)
        value = decodeElement(types.out,
                              loadElement(previous, m * key.n0 + n, outBits));
      if (flush && std::fabs(value) < 0x1p-126) value = 0;
      row.state[n] = {value, value, value != value};
    }
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t i = 0; i < key.k0; ++i) {
        const Wide x = a[(k * key.m0 + m) * key.k0 + i];
        const double* columns = b.data() + (k * key.k0 + i) * key.n0;
        row.add(x, columns, options.exactness == Exactness::kBounded);
      }
      if (perStep) foldRow(row, key.k0, types, options.exactness);
    }
    if (!perStep) foldRow(row, K * key.k0, types, options.exactness);
    for (int64_t n = 0; n < key.n0; ++n) {
      Accepted s = row.state[n];
      if (flush && std::fabs(s.low) < 0x1p-126) s.low = 0;
      if (flush && std::fabs(s.high) < 0x1p-126) s.high = 0;
      result[m * key.n0 + n] = s;
    }
  }
}

}  // namespace

std::vector<Accepted> referenceTile(const TileKey& key, int64_t K,
                                    const uint8_t* lhs, const uint8_t* rhs,
                                    const uint8_t* previous,
                                    const ReferenceOptions& options) {
  std::vector<Accepted> result(static_cast<size_t>(key.m0) * key.n0);
  switch (info(key.types).accumulator) {
    case TW_ELEMENT_S32:
      integerTile(key, K, lhs, rhs, previous, result);
      break;
    case TW_ELEMENT_F64:
      floatTile<long double>(key, K, lhs, rhs, previous, options, result);
      break;
    default:
      floatTile<double>(key, K, lhs, rhs, previous, options, result);
  }
  return result;
}

bool mayFlushDenormals(const TileKey& key) {
  const TypeTripleInfo& types = info(key.types);
  if (key.isa == TW_ISA_AMDGPU_GFX90A)
    return types.lhs == types.rhs &&
           (types.lhs == TW_ELEMENT_F16 || types.lhs == TW_ELEMENT_BF16);
  return types.lhs == TW_ELEMENT_BF16 && types.rhs == TW_ELEMENT_BF16 &&
         (info(key.isa).has("avx512bf16") || info(key.isa).has("bf16"));
}

}  // namespace tilewright::testing
