// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/operands.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "tests/tiles/element_codec.h"
#include "tests/tiles/reference.h"

namespace tilewright::testing {
namespace {

// Draws as many codes as there is room for: one call for all, since they are
// most of what a test of a small tile does.
using Draw = std::function<void(std::vector<uint64_t>& codes)>;

// By a function that draws one.
template <typename One>
Draw each(One one) {
  return [one = std::move(one)](std::vector<uint64_t>& codes) mutable {
    for (uint64_t& code : codes) code = one();
  };
}

Draw always(uint64_t code) {
  return [code](std::vector<uint64_t>& codes) {
    std::fill(codes.begin(), codes.end(), code);
  };
}

Draw anyBits(Random& random) {
  return each([&random] { return random.next(); });
}

bool isFloat(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT;
}

// The codes of those multiples of `unit`, of magnitude <= limit*unit, that the
// type has.
std::vector<uint64_t> integerCodes(tw_element_type_t type, int limit,
                                   double unit = 1) {
  std::vector<uint64_t> codes;
  if (info(type).bits <= 8) {
    for (uint64_t code : finiteEncodings(type)) {
      const double count = decodeElement(type, code) / unit;
      if (count == std::nearbyint(count) && std::fabs(count) <= limit)
        codes.push_back(code);
    }
    return codes;
  }
  for (int i = -limit; i <= limit; ++i) {
    const uint64_t code = isFloat(type) ? encodeFloat(type, i * unit)
                                        : static_cast<uint64_t>(int64_t{i});
    if (decodeElement(type, code) == i * unit) codes.push_back(code);
  }
  return codes;
}

Draw drawFrom(std::vector<uint64_t> codes, Random& random) {
  return each([codes = std::move(codes), &random] {
    return codes[random.below(codes.size())];
  });
}

// Magnitudes in about [2^-6, 2^3], or any finite code of the types that have no
// room for that.
Draw drawReal(tw_element_type_t type, Random& random) {
  if (info(type).bits <= 8) return drawFrom(finiteEncodings(type), random);
  return each([type, &random] {
    static constexpr double kPowers[] = {0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2,
                                         0x1p-1, 0x1p0,  0x1p1,  0x1p2};
    const double fraction = 1 + random.unit();
    const double magnitude =
        fraction * kPowers[random.below(std::size(kPowers))];
    return encodeFloat(type, random.chance(0.5) ? magnitude : -magnitude);
  });
}

Draw drawSpecial(tw_element_type_t type, double probability, Random& random) {
  Draw usual = drawReal(type, random);
  std::vector<uint64_t> special;
  if (info(type).bits <= 8) {
    for (uint64_t code = 0; code < (uint64_t{1} << info(type).bits); ++code)
      if (!std::isfinite(decodeElement(type, code))) special.push_back(code);
  } else {
    // Infinities, and NaNs with the payloads that careless rounding or
    // truncation turns into something else: all ones, and the lowest bit.
    const int bits = info(type).bits;
    const uint64_t infinity = encodeFloat(type, HUGE_VAL);
    const uint64_t sign = uint64_t{1} << (bits - 1);
    for (uint64_t s : {uint64_t{0}, sign}) {
      special.insert(special.end(), {s | infinity, s | infinity, s | (sign - 1),
                                     s | infinity | 1});
    }
  }
  if (special.empty()) return usual;
  return [=, &random](std::vector<uint64_t>& codes) {
    usual(codes);
    for (uint64_t& code : codes)
      if (random.chance(probability))
        code = special[random.below(special.size())];
  };
}

// Arbitrary finite codes: bit patterns, so all exponents alike. f64 keeps to
// values whose products are exact in the reference's long double; tiles that
// flush denormals keep clear of them.
Draw drawAnyFinite(tw_element_type_t type, bool avoidDenormals,
                   Random& random) {
  const int bits = info(type).bits;
  if (bits <= 8) return drawFrom(finiteEncodings(type), random);
  return each([=, &random] {
    for (;;) {
      uint64_t code = random.next() >> (64 - bits);
      if (type == TW_ELEMENT_F64) {
        code &= ~uint64_t{0} << 27;
        const double magnitude = std::fabs(decodeElement(type, code));
        if (!(magnitude > 0x1p-500 && magnitude < 0x1p500)) continue;
      }
      const double value = decodeElement(type, code);
      if (!std::isfinite(value)) continue;
      if (avoidDenormals &&
          !(std::fabs(value) > 0x1p-60 && std::fabs(value) < 0x1p60))
        continue;
      return code;
    }
  });
}

Draw drawExtreme(tw_element_type_t type, Random& random) {
  const ElementTypeInfo& element = info(type);
  const uint64_t all = (uint64_t{1} << element.bits) - 1;
  const bool isSigned = element.kind == TW_ELEMENT_KIND_SIGNED;
  const uint64_t least = isSigned ? uint64_t{1} << (element.bits - 1) : 0;
  const uint64_t greatest = isSigned ? least - 1 : all;
  if (random.chance(0.5)) return always(random.chance(0.5) ? least : greatest);
  return drawFrom(
      {least, least, least + 1, all, 0, 1, greatest - 1, greatest, greatest},
      random);
}

// Takes turns with the kinds of values that adding zero, or a way to another
// type and back, would change; each of both signs.
Draw drawAnyBits(tw_element_type_t type, Random& random) {
  if (!isFloat(type)) return anyBits(random);
  const uint64_t sign = uint64_t{1} << (info(type).bits - 1);
  const uint64_t infinity = encodeFloat(type, HUGE_VAL);
  const uint64_t quiet = (infinity & (~infinity + 1)) >> 1;
  return each([=, &random, turn = random.below(12)]() mutable {
    const uint64_t bits = random.next();
    const uint64_t payload = bits & (quiet - 1);
    const uint64_t magnitudes[] = {0,
                                   (bits & (2 * quiet - 1)) | 1,  // denormal
                                   infinity,
                                   infinity | quiet | payload,
                                   infinity | payload | 1,  // signalling
                                   bits & (sign - 1)};
    ++turn;
    return magnitudes[turn / 2 % 6] | (turn % 2 ? sign : 0);
  });
}

// `count` elements: those of a whole panel, whose steps are whole bytes.
std::vector<uint8_t> drawElements(tw_element_type_t type, int64_t count,
                                  const Draw& draw) {
  std::vector<uint64_t> codes(static_cast<size_t>(count));
  draw(codes);
  const int bits = info(type).bits;
  std::vector<uint8_t> bytes(static_cast<size_t>(count * bits / 8));
  for (int64_t i = 0; i < count; ++i)
    storeElement(bytes.data(), i, bits, codes[i]);
  return bytes;
}

// Keeps one element of each row of the lhs panel and clears the others.
void keepOnePerRow(std::vector<uint8_t>& lhs, const TileKey& key, int64_t K,
                   Random& random) {
  if (K == 0) return;
  const int bits = info(info(key.types).lhs).bits;
  for (int64_t m = 0; m < key.m0; ++m) {
    const int64_t keep = random.between(0, K * key.k0 - 1);
    for (int64_t i = 0; i < K * key.k0; ++i) {
      if (i == keep) continue;
      storeElement(lhs.data() + i / key.k0 * key.lhsStepBytes(),
                   m * key.k0 + i % key.k0, bits, 0);
    }
  }
}

// The largest magnitude whose products, summed `depth` times, stay so far below
// 2^24 that a previous out value fits as well.
int exactLimit(int64_t depth) {
  const double limit = std::sqrt(0x1p23 / std::max<int64_t>(depth, 1));
  return static_cast<int>(std::clamp(limit, 1.0, 16.0));
}

struct Draws {
  Draw lhs, rhs, out;
};

Draws drawsFor(const TileKey& key, int64_t K, DataKind kind, Random& random) {
  const TypeTripleInfo& t = info(key.types);
  const int64_t depth = K * key.k0;
  const int limit = exactLimit(depth);
  switch (kind) {
    case DataKind::kSmallIntegers:
      return {drawFrom(integerCodes(t.lhs, limit), random),
              drawFrom(integerCodes(t.rhs, limit), random),
              drawFrom(integerCodes(t.out, 200), random)};
    case DataKind::kOneHot: {
      const bool avoid = mayFlushDenormals(key);
      return {drawAnyFinite(t.lhs, avoid, random),
              drawAnyFinite(t.rhs, avoid, random), always(0)};
    }
    case DataKind::kReal:
      return {drawReal(t.lhs, random), drawReal(t.rhs, random),
              drawReal(t.out, random)};
    case DataKind::kSpecial: {
      // A few per tile: neither none nor all of its elements become NaN.
      const double rate = 2.0 / static_cast<double>(depth + 4);
      return {drawSpecial(t.lhs, rate / 4, random),
              drawSpecial(t.rhs, rate / 4, random),
              drawSpecial(t.out, 0.1, random)};
    }
    case DataKind::kDenormal: {
      const bool left = random.chance(0.5);
      const double unit = smallestDenormal(left ? t.lhs : t.rhs);
      return {
          drawFrom(integerCodes(t.lhs, limit, left ? unit : 1), random),
          drawFrom(integerCodes(t.rhs, limit, left ? 1 : unit), random),
          // What becomes of a previous denormal where the instruction
          // flushes them depends on when the tile adds it: not tested. Nor are
          // sums of numbers near 1 and f16's denormals, which are rounded.
          mayFlushDenormals(key) && t.lhs == TW_ELEMENT_F16
              ? always(0)
              : drawFrom(
                    integerCodes(t.out, 100, mayFlushDenormals(key) ? 1 : unit),
                    random)};
    }
    case DataKind::kFullRange:
      return {anyBits(random), anyBits(random), anyBits(random)};
    case DataKind::kExtremes:
      return {drawExtreme(t.lhs, random), drawExtreme(t.rhs, random),
              drawExtreme(t.out, random)};
    case DataKind::kAnyBits:
      return {anyBits(random), anyBits(random), drawAnyBits(t.out, random)};
  }
  return {};
}

}  // namespace

const char* dataKindName(DataKind kind) {
  switch (kind) {
    case DataKind::kSmallIntegers:
      return "small-integers";
    case DataKind::kOneHot:
      return "one-hot";
    case DataKind::kReal:
      return "real";
    case DataKind::kSpecial:
      return "special";
    case DataKind::kDenormal:
      return "denormal";
    case DataKind::kFullRange:
      return "full-range";
    case DataKind::kExtremes:
      return "extremes";
    case DataKind::kAnyBits:
      return "any-bits";
  }
  return "?";
}

std::vector<DataKind> dataKindsFor(const TileKey& key) {
  if (!isFloat(info(key.types).lhs))
    return {DataKind::kSmallIntegers, DataKind::kFullRange,
            DataKind::kExtremes};
  return {DataKind::kSmallIntegers, DataKind::kOneHot, DataKind::kReal,
          DataKind::kSpecial, DataKind::kDenormal};
}

bool isExact(DataKind kind) {
  return kind != DataKind::kReal && kind != DataKind::kSpecial;
}

Operands makeOperands(const TileKey& key, int64_t K, DataKind kind,
                      bool accumulate, Random& random) {
  const TypeTripleInfo& t = info(key.types);
  Draws draws = drawsFor(key, K, kind, random);
  Operands result;
  result.lhs = drawElements(t.lhs, K * key.m0 * key.k0, draws.lhs);
  result.rhs = drawElements(t.rhs, K * key.n0 * key.k0, draws.rhs);
  if (kind == DataKind::kOneHot) keepOnePerRow(result.lhs, key, K, random);
  // Of every float type, all ones is a NaN.
  if (!accumulate)
    draws.out = isFloat(t.out) ? always(~uint64_t{0}) : anyBits(random);
  result.out = drawElements(t.out, int64_t{key.m0} * key.n0, draws.out);
  return result;
}

}  // namespace tilewright::testing
