// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as bits and as values, for tests: written from the formats'
// definitions and shared with no code under test. element_codec_test.cpp checks
// every encoding against LLVM's APFloat.

#ifndef TESTS_TILES_ELEMENT_CODEC_H_
#define TESTS_TILES_ELEMENT_CODEC_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "tilewright/types.h"

namespace tilewright::testing {

// The value of the low bits of `bits`; exact for every type. Any NaN gives a
// quiet NaN.
double decodeElement(tw_element_type_t type, uint64_t bits);

// The bits of the value of `type` nearest to `value`, ties to even: overflow
// gives infinity. `type` is f64, f32, f16 or bf16.
uint64_t encodeFloat(tw_element_type_t type, double value);

// decodeElement(type, encodeFloat(type, value)).
double roundTo(tw_element_type_t type, double value);

namespace detail {

// memcpy of a size known to the compiler: most of the tests' elements pass
// here.
template <typename T>
uint64_t loadAs(const uint8_t* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void storeAs(uint8_t* bytes, int64_t index, uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(bytes + index * sizeof(T), &narrow, sizeof(T));
}

uint64_t loadBits(const uint8_t* bytes, int64_t index, int bits);
void storeBits(uint8_t* bytes, int64_t index, int bits, uint64_t value);

}  // namespace detail

// Element `index` of the dense little-endian bit stream `bytes`
// (element_types.def): its bits, in the low bits.
inline uint64_t loadElement(const uint8_t* bytes, int64_t index, int bits) {
  switch (bits) {
    case 8:
      return bytes[index];
    case 16:
      return detail::loadAs<uint16_t>(bytes, index);
    case 32:
      return detail::loadAs<uint32_t>(bytes, index);
    case 64:
      return detail::loadAs<uint64_t>(bytes, index);
    default:
      return detail::loadBits(bytes, index, bits);
  }
}

inline void storeElement(uint8_t* bytes, int64_t index, int bits,
                         uint64_t value) {
  switch (bits) {
    case 8:
      return detail::storeAs<uint8_t>(bytes, index, value);
    case 16:
      return detail::storeAs<uint16_t>(bytes, index, value);
    case 32:
      return detail::storeAs<uint32_t>(bytes, index, value);
    case 64:
      return detail::storeAs<uint64_t>(bytes, index, value);
    default:
      return detail::storeBits(bytes, index, bits, value);
  }
}

// The values of the first `count` elements of `bytes`, as of loadElement and
// decodeElement. T is double, or int32_t for an integer type.
template <typename T>
std::vector<T> decodeElements(tw_element_type_t type, const uint8_t* bytes,
                              int64_t count);

// All encodings of a type of at most 16 bits whose value is finite.
std::vector<uint64_t> finiteEncodings(tw_element_type_t type);

// Mantissa bits (without the implicit one), for a float type.
int mantissaBits(tw_element_type_t type);
// The smallest positive denormal, for a float type.
double smallestDenormal(tw_element_type_t type);
// Largest finite value of a float type.
double largestFinite(tw_element_type_t type);
bool hasInfinity(tw_element_type_t type);
bool hasNaN(tw_element_type_t type);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_ELEMENT_CODEC_H_
