// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: element types and type triples as data, and exact conversions
// between an element's bits and its accumulator type.

#ifndef UKERNELS_ELEMENT_H_
#define UKERNELS_ELEMENT_H_

#include "tilewright/tile.h"

// Storage bits of one element; 0 if `type` is none.
int tw_element_bits(tw_element_type_t type);

typedef struct tw_triple_t {
  tw_element_type_t lhs, rhs, out;
  // TW_ELEMENT_S32, _F64 or _F32.
  tw_element_type_t accumulator;
  const char* name;  // "s8s8s32"
} tw_triple_t;

// The triple with this value, or 0 if there is none; then *triple is untouched.
int tw_triple_of(unsigned value, tw_triple_t* triple);

// Whether the accumulator is wider than the output, so that rounding once and
// rounding per K step differ.
int tw_triple_rounds(const tw_triple_t* triple);

// Elements of a group of the variant `vnni` (tile.h); 0 for types that it is
// not for.
int tw_vnni_group(const tw_triple_t* triple);

// How a float format is laid out (element_types.def); of others all is 0.
typedef struct tw_float_format_t {
  int mantissa_bits, exponent_bits, bias;
  tw_float_specials_t specials;
} tw_float_format_t;

tw_float_format_t tw_float_format_of(tw_element_type_t type);

// Decode `count` elements of the array at `base`, numbers first, first+stride,
// and so on. `type` must be narrow enough for the result to be exact: every
// integer type for s32, every float type but f64 for f32.
void tw_decode_s32(tw_element_type_t type, const void* base, size_t first,
                   size_t stride, int count, int32_t* values);
void tw_decode_f32(tw_element_type_t type, const void* base, size_t first,
                   size_t stride, int count, float* values);
float tw_decode_one_f32(tw_element_type_t type, uint32_t bits);

// Rounds to the nearest f16 or bf16, ties to even; NaN stays NaN (made quiet).
uint16_t tw_f32_to_f16(float value);
uint16_t tw_f32_to_bf16(float value);
// The same of `count` elements that follow each other, in vectors.
void tw_encode_f32(tw_element_type_t type, const float* values,
                   tw_index_t count, uint16_t* bits);

#endif  // UKERNELS_ELEMENT_H_
