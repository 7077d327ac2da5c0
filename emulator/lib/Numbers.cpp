// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats.

#include "Numbers.h"
#include <cmath>
#include <limits>

namespace tilewright::emulator {

float halfToFloat(uint16_t bits) { return float(bitsTo<_Float16>(bits)); }

uint16_t floatToHalf(float value) { return bitsTo<uint16_t>(_Float16(value)); }

uint16_t doubleToHalf(double value) {
  return bitsTo<uint16_t>(_Float16(value));
}

uint16_t floatToBf16(float value) {
  uint32_t bits = bitsTo<uint32_t>(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t doubleToBf16(double value) {
  // Rounded to odd first, so that the two roundings are one.
  float near = float(value);
  if (double(near) != value && !std::isnan(value)) {
    uint32_t bits = bitsTo<uint32_t>(near);
    if (std::fabs(double(near)) > std::fabs(value))
      --bits;
    near = bitsTo<float>(bits | 1);
  }
  return floatToBf16(near);
}

float SmallFloat::decode(uint32_t bits) const {
  uint32_t exponentMask = (1u << exponentBits) - 1;
  uint32_t mantissaMask = (1u << mantissaBits) - 1;
  uint32_t exponent = bits >> mantissaBits & exponentMask;
  uint32_t mantissa = bits & mantissaMask;
  bool negative = bits >> (exponentBits + mantissaBits) & 1;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (special == Fnuz && negative && exponent == 0 && mantissa == 0)
    return nan;
  if (special == NanOnly && exponent == exponentMask &&
      mantissa == mantissaMask)
    return nan;
  if (special == Ieee && exponent == exponentMask)
    return mantissa ? nan : negative ? -infinity : infinity;
  float fraction = float(mantissa) / float(1u << mantissaBits);
  float value = exponent ? std::ldexp(1 + fraction, int(exponent) - bias)
                         : std::ldexp(fraction, 1 - bias);
  return negative ? -value : value;
}

uint32_t SmallFloat::encode(float value, bool saturate) const {
  uint32_t signBit = 1u << (exponentBits + mantissaBits);
  uint32_t sign = std::signbit(value) ? signBit : 0;
  // The largest number's bits, and what stands for NaN and infinity.
  uint32_t largest = signBit - 1, nan = signBit - 1, infinite = signBit - 1;
  switch (special) {
  case Ieee:
    infinite = ((1u << exponentBits) - 1) << mantissaBits;
    largest = infinite - 1;
    break;
  case NanOnly:
    largest -= 1;
    break;
  case Fnuz:
    nan = infinite = signBit;
    break;
  case Finite:
    nan = infinite = largest;
    saturate = true;
    break;
  }
  if (std::isnan(value))
    return special == Fnuz ? nan : sign | nan;
  float magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return saturate ? sign | largest : special == Fnuz ? nan : sign | infinite;
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : 1 - bias;
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  // The mantissa with its leading one, rounded; a carry moves the exponent on.
  double steps =
      std::nearbyint(std::ldexp(double(magnitude), mantissaBits - exponent));
  uint32_t bits =
      uint32_t(steps) + (uint32_t(exponent + bias - 1) << mantissaBits);
  if (bits > largest)
    return saturate ? sign | largest : special == Fnuz ? nan : sign | infinite;
  if (special == Fnuz && bits == 0)
    return 0;
  return sign | bits;
}

float decodeE8M0(uint8_t scale) {
  if (scale == 255)
    return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, int(scale) - 127);
}

} // namespace tilewright::emulator
