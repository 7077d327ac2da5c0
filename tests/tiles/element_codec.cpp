// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/element_codec.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

// An oracle of its own, on purpose: it judges the decoders that are made of
// element_types.def, so it reads nothing of their formats there.

enum class Special {
  kIeee,        // exponent all ones: infinity, NaN
  kNaNAllOnes,  // no infinity; exponent and mantissa all ones is NaN
  kFnuz,        // no infinity, no -0; the code of -0 is NaN
  kNone,        // every code is a number
};

struct Format {
  int exponentBits, mantissaBits, bias;
  Special special;
};

Format formatOf(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F64:
      return {11, 52, 1023, Special::kIeee};
    case TW_ELEMENT_F32:
      return {8, 23, 127, Special::kIeee};
    case TW_ELEMENT_F16:
      return {5, 10, 15, Special::kIeee};
    case TW_ELEMENT_BF16:
      return {8, 7, 127, Special::kIeee};
    case TW_ELEMENT_F8E4M3FN:
      return {4, 3, 7, Special::kNaNAllOnes};
    case TW_ELEMENT_F8E5M2:
      return {5, 2, 15, Special::kIeee};
    case TW_ELEMENT_F8E4M3FNUZ:
      return {4, 3, 8, Special::kFnuz};
    case TW_ELEMENT_F8E5M2FNUZ:
      return {5, 2, 16, Special::kFnuz};
    case TW_ELEMENT_F6E2M3FN:
      return {2, 3, 1, Special::kNone};
    case TW_ELEMENT_F6E3M2FN:
      return {3, 2, 3, Special::kNone};
    case TW_ELEMENT_F4E2M1FN:
      return {2, 1, 1, Special::kNone};
    default:
      return {0, 0, 0, Special::kNone};
  }
}

uint64_t lowMask(int bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

double decodeFloat(const Format& f, uint64_t bits) {
  const uint64_t mantissa = bits & lowMask(f.mantissaBits);
  const uint64_t exponentMask = lowMask(f.exponentBits);
  const uint64_t exponent = (bits >> f.mantissaBits) & exponentMask;
  const bool negative = (bits >> (f.mantissaBits + f.exponentBits)) & 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.special == Special::kIeee && exponent == exponentMask) {
    if (mantissa != 0) return nan;
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  if (f.special == Special::kNaNAllOnes && exponent == exponentMask &&
      mantissa == lowMask(f.mantissaBits))
    return nan;
  if (f.special == Special::kFnuz && negative && exponent == 0 && mantissa == 0)
    return nan;
  const uint64_t implicit = exponent == 0 ? 0 : uint64_t{1} << f.mantissaBits;
  const int power = static_cast<int>(std::max<uint64_t>(exponent, 1)) - f.bias -
                    f.mantissaBits;
  const double magnitude =
      std::ldexp(static_cast<double>(implicit + mantissa), power);
  return negative ? -magnitude : magnitude;
}

}  // namespace

namespace {

double decodeAny(const ElementTypeInfo& element, uint64_t bits) {
  switch (element.kind) {
    case TW_ELEMENT_KIND_UNSIGNED:
      return static_cast<double>(bits);
    case TW_ELEMENT_KIND_SIGNED: {
      const uint64_t sign = uint64_t{1} << (element.bits - 1);
      return static_cast<double>(static_cast<int64_t>((bits ^ sign) - sign));
    }
    case TW_ELEMENT_KIND_FLOAT:
      break;
  }
  return decodeFloat(formatOf(element.type), bits);
}

// All codes of each type of at most 16 bits, by type.
const std::vector<std::vector<double>>& decodeTables() {
  static const auto tables = [] {
    std::vector<std::vector<double>> result(TW_ELEMENT_COUNT);
    for (const ElementTypeInfo& element : elementTypes())
      if (element.bits <= 16)
        for (uint64_t bits = 0; bits <= lowMask(element.bits); ++bits)
          result[element.type].push_back(decodeAny(element, bits));
    return result;
  }();
  return tables;
}

}  // namespace

double decodeElement(tw_element_type_t type, uint64_t bits) {
  switch (type) {
    case TW_ELEMENT_F64: {
      double value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    case TW_ELEMENT_F32: {
      const uint32_t low = static_cast<uint32_t>(bits);
      float value;
      std::memcpy(&value, &low, sizeof value);
      return value;
    }
    case TW_ELEMENT_S32:
      return static_cast<int32_t>(static_cast<uint32_t>(bits));
    default: {
      const std::vector<double>& table = decodeTables()[type];
      return table[bits & (table.size() - 1)];
    }
  }
}

namespace {

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// 2^power, of a normal double.
double powerOfTwo(int power) {
  const uint64_t bits = static_cast<uint64_t>(power + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

uint64_t encodeFloat(tw_element_type_t type, double value) {
  if (type == TW_ELEMENT_F32) {
    const float rounded = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    return bits;
  }
  const Format f = formatOf(type);
  const uint64_t sign = static_cast<uint64_t>(std::signbit(value))
                        << (f.exponentBits + f.mantissaBits);
  const uint64_t infinity = lowMask(f.exponentBits) << f.mantissaBits;
  if (std::isnan(value))
    return sign | infinity | (uint64_t{1} << (f.mantissaBits - 1));
  if (std::isinf(value)) return sign | infinity;
  if (type == TW_ELEMENT_F64) return bitsOf(value);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int smallest = 1 - f.bias;  // exponent of the smallest normal
  const int exponent =
      std::max(static_cast<int>(bitsOf(magnitude) >> 52) - 1023, smallest);
  // In units of the last place; exact but for the rounding asked for, which is
  // that of adding what leaves no room for a fraction.
  const double scaled = magnitude * powerOfTwo(f.mantissaBits - exponent);
  const uint64_t units = static_cast<uint64_t>((scaled + 0x1p52) - 0x1p52);
  // A normal number's implicit bit adds the one that its biased exponent lacks
  // here (a denormal has neither), and a carry out of the mantissa runs into
  // the exponent, as it should.
  const uint64_t code =
      (static_cast<uint64_t>(exponent - smallest) << f.mantissaBits) + units;
  return sign | std::min(code, infinity);
}

double roundTo(tw_element_type_t type, double value) {
  if (type == TW_ELEMENT_F64) return value;
  if (type == TW_ELEMENT_F32) return static_cast<float>(value);
  return decodeElement(type, encodeFloat(type, value));
}

namespace detail {

uint64_t loadBits(const uint8_t* bytes, int64_t index, int bits) {
  const int64_t first = index * bits;
  // Most of them.
  if (bits == 4) return (bytes[first / 8] >> (first % 8)) & 15;
  uint64_t value = 0;
  for (int b = 0; b < bits; ++b) {
    const int64_t at = first + b;
    value |= static_cast<uint64_t>((bytes[at / 8] >> (at % 8)) & 1) << b;
  }
  return value;
}

void storeBits(uint8_t* bytes, int64_t index, int bits, uint64_t value) {
  for (int b = 0; b < bits; ++b) {
    const int64_t at = index * bits + b;
    const uint8_t mask = static_cast<uint8_t>(1u << (at % 8));
    if ((value >> b) & 1)
      bytes[at / 8] |= mask;
    else
      bytes[at / 8] &= static_cast<uint8_t>(~mask);
  }
}

}  // namespace detail

template <typename T>
std::vector<T> decodeElements(tw_element_type_t type, const uint8_t* bytes,
                              int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  const int bits = info(type).bits;
  if (bits <= 16) {
    const double* decoded = decodeTables()[type].data();
    for (int64_t i = 0; i < count; ++i)
      values[i] = static_cast<T>(decoded[loadElement(bytes, i, bits)]);
  } else {
    for (int64_t i = 0; i < count; ++i)
      values[i] =
          static_cast<T>(decodeElement(type, loadElement(bytes, i, bits)));
  }
  return values;
}

template std::vector<double> decodeElements(tw_element_type_t, const uint8_t*,
                                            int64_t);
template std::vector<int32_t> decodeElements(tw_element_type_t, const uint8_t*,
                                             int64_t);

std::vector<uint64_t> finiteEncodings(tw_element_type_t type) {
  std::vector<uint64_t> result;
  for (uint64_t bits = 0; bits <= lowMask(info(type).bits); ++bits)
    if (std::isfinite(decodeElement(type, bits))) result.push_back(bits);
  return result;
}

int mantissaBits(tw_element_type_t type) { return formatOf(type).mantissaBits; }

double smallestDenormal(tw_element_type_t type) {
  const Format f = formatOf(type);
  return std::ldexp(1.0, 1 - f.bias - f.mantissaBits);
}

double largestFinite(tw_element_type_t type) {
  const Format f = formatOf(type);
  uint64_t code = lowMask(f.exponentBits + f.mantissaBits);
  while (!std::isfinite(decodeFloat(f, code))) {
    // Skips the codes of infinity and NaN, a whole binade at a time for IEEE.
    code = f.special == Special::kIeee
               ? (lowMask(f.exponentBits) << f.mantissaBits) - 1
               : code - 1;
  }
  return decodeFloat(f, code);
}

bool hasInfinity(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT &&
         formatOf(type).special == Special::kIeee;
}

bool hasNaN(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT &&
         formatOf(type).special != Special::kNone;
}

}  // namespace tilewright::testing
