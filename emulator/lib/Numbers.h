// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of matrix instructions and conversions.

#ifndef TILEWRIGHT_EMULATOR_LIB_NUMBERS_H
#define TILEWRIGHT_EMULATOR_LIB_NUMBERS_H

#include <cstdint>
#include <cstring>

namespace tilewright::emulator {

template <typename To, typename From> To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

float halfToFloat(uint16_t bits);
inline float bf16ToFloat(uint16_t bits) {
  return bitsTo<float>(uint32_t(bits) << 16);
}
// To nearest, ties to even.
uint16_t floatToHalf(float value);
uint16_t floatToBf16(float value);
uint16_t doubleToHalf(double value);
uint16_t doubleToBf16(double value);

/// A float of at most 8 bits: sign, exponent, mantissa.
struct SmallFloat {
  int exponentBits, mantissaBits, bias;
  /// What the largest exponent means.
  enum Special {
    Ieee,    ///< infinities and NaNs
    NanOnly, ///< all ones is NaN, the rest are numbers
    Fnuz,    ///< numbers; minus zero's bits are NaN
    Finite   ///< numbers
  } special;

  constexpr int bits() const { return 1 + exponentBits + mantissaBits; }
  float decode(uint32_t bits) const;
  /// To nearest, ties to even. Beyond the largest number: with `saturate` that
  /// number, else infinity or NaN, as the format has it.
  uint32_t encode(float value, bool saturate) const;
};

inline constexpr SmallFloat kFp8Ocp{4, 3, 7, SmallFloat::NanOnly};
inline constexpr SmallFloat kBf8Ocp{5, 2, 15, SmallFloat::Ieee};
inline constexpr SmallFloat kFp8Fnuz{4, 3, 8, SmallFloat::Fnuz};
inline constexpr SmallFloat kBf8Fnuz{5, 2, 16, SmallFloat::Fnuz};
inline constexpr SmallFloat kFp6{2, 3, 1, SmallFloat::Finite};
inline constexpr SmallFloat kBf6{3, 2, 3, SmallFloat::Finite};
inline constexpr SmallFloat kFp4{2, 1, 1, SmallFloat::Finite};

/// 2^(scale - 127); NaN for 255.
float decodeE8M0(uint8_t scale);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_NUMBERS_H
