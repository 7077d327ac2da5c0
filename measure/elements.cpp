// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding and decoding.

#include "measure/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilewright::bench {
namespace {

uint64_t encodeOne(const ElementTypeInfo& type, int64_t value) {
  if (type.kind != TW_ELEMENT_KIND_FLOAT)
    return uint64_t(value) & ((uint64_t(1) << type.bits) - 1);
  if (value == 0) return 0;
  const FloatFormat& format = floatFormat(type.type);
  uint64_t exponent = format.bias + (std::abs(value) == 2 ? 1 : 0);
  uint64_t sign = value < 0;
  return sign << (format.exponentBits + format.mantissaBits) |
         exponent << format.mantissaBits;
}

// Element `index` of an array whose bytes were zero.
void storeBits(int width, uint64_t bits, int64_t index, uint8_t* bytes) {
  if (width >= 8) {
    std::memcpy(bytes + index * (width / 8), &bits, width / 8);
    return;
  }
  for (int bit = 0; bit < width; ++bit)
    bytes[(index * width + bit) / 8] |=
        uint8_t((bits >> bit & 1) << ((index * width + bit) % 8));
}

double decodeSmallFloat(uint32_t bits, const FloatFormat& format) {
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  int exponent = int(bits >> format.mantissaBits & exponentMask);
  double mantissa =
      (bits & mantissaMask) / double(mantissaMask + 1) + (exponent != 0);
  double value = std::ldexp(mantissa, std::max(exponent, 1) - format.bias);
  if (exponent == int(exponentMask)) value = std::nan("");
  return bits >> (format.mantissaBits + format.exponentBits) ? -value : value;
}

}  // namespace

std::vector<int64_t> randomValues(tw_element_type_t type, int64_t count,
                                  Random& random) {
  const ElementTypeInfo& element = info(type);
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    uint64_t bits = random() >> 32;
    if (element.kind == TW_ELEMENT_KIND_FLOAT)
      value = int64_t(bits % 5) - 2;
    else
      value = int64_t(bits & ((uint64_t(1) << element.bits) - 1));
    if (element.kind == TW_ELEMENT_KIND_SIGNED &&
        value >> (element.bits - 1) & 1)
      value -= int64_t(1) << element.bits;
  }
  return values;
}

void encode(tw_element_type_t type, const std::vector<int64_t>& values,
            uint8_t* bytes) {
  const ElementTypeInfo& element = info(type);
  int64_t size = (int64_t(values.size()) * element.bits + 7) / 8;
  std::memset(bytes, 0, size);
  for (int64_t i = 0; i < int64_t(values.size()); ++i)
    storeBits(element.bits, encodeOne(element, values[i]), i, bytes);
}

double decode(tw_element_type_t type, const uint8_t* bytes, int64_t index) {
  const uint8_t* at = bytes + index * (info(type).bits / 8);
  switch (type) {
    case TW_ELEMENT_S32: {
      int32_t value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    case TW_ELEMENT_F64: {
      double value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    case TW_ELEMENT_F32: {
      float value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    default: {
      uint16_t value;
      std::memcpy(&value, at, sizeof(value));
      return decodeSmallFloat(value, floatFormat(type));
    }
  }
}

std::vector<double> randomReals(tw_element_type_t type, int64_t count,
                                Random& random, uint8_t* bytes) {
  const ElementTypeInfo& element = info(type);
  const FloatFormat& format = floatFormat(type);
  std::memset(bytes, 0, (count * element.bits + 7) / 8);
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t drawn = random();
    const int below = int(drawn >> 62) % 3;
    const int exponent = std::max(1, format.bias - below);
    const uint64_t mantissa =
        drawn & ((uint64_t(1) << format.mantissaBits) - 1);
    const bool negative = drawn >> 61 & 1;
    storeBits(element.bits,
              uint64_t(negative)
                      << (format.exponentBits + format.mantissaBits) |
                  uint64_t(exponent) << format.mantissaBits | mantissa,
              i, bytes);
    const double magnitude =
        std::ldexp(1 + std::ldexp(double(mantissa), -format.mantissaBits),
                   exponent - format.bias);
    values[i] = negative ? -magnitude : magnitude;
  }
  return values;
}

int mantissaBits(tw_element_type_t type) {
  return floatFormat(type).mantissaBits;
}

}  // namespace tilewright::bench
