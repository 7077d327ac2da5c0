// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as bits and as values, for tests: written from the formats'
// definitions and shared with no code under test. element_codec_test.cpp checks
// every encoding against LLVM's APFloat.

#ifndef TESTS_TILES_ELEMENT_CODEC_H_
#define TESTS_TILES_ELEMENT_CODEC_H_

#include <cstdint>
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

// Element `index` of the dense little-endian bit stream `bytes`
// (element_types.def): its bits, in the low bits.
uint64_t loadElement(const uint8_t* bytes, int64_t index, int bits);
void storeElement(uint8_t* bytes, int64_t index, int bits, uint64_t value);

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
