// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element values: integers that every type holds exactly, and reals.

#ifndef MEASURE_ELEMENTS_H_
#define MEASURE_ELEMENTS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "tilewright/key.h"

namespace tilewright::bench {

using Random = std::mt19937_64;

// Random integer values for elements of `type`: the whole range for integers,
// {-2, -1, 0, 1, 2} for floats (which the narrowest, f4e2m1fn, holds).
std::vector<int64_t> randomValues(tw_element_type_t type, int64_t count,
                                  Random& random);

// The values as elements of `type`, from the start of `bytes`; types narrower
// than a byte as a dense little-endian bit stream. Float values must be in
// {-2, ..., 2}.
void encode(tw_element_type_t type, const std::vector<int64_t>& values,
            uint8_t* bytes);

// Element `index` of an out tile: s32, f64, f32, f16 or bf16.
double decode(tw_element_type_t type, const uint8_t* bytes, int64_t index);

// Random normal numbers of a float type, of either sign, at least 1/4 and less
// than 2, with all of its mantissa bits in use: from the start of `bytes` as
// encode() has them, and as doubles, which hold them exactly.
std::vector<double> randomReals(tw_element_type_t type, int64_t count,
                                Random& random, uint8_t* bytes);

// Bits of the mantissa of a float type, without the leading one.
int mantissaBits(tw_element_type_t type);

}  // namespace tilewright::bench

#endif  // MEASURE_ELEMENTS_H_
