// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/element.h"

#include <string.h>

int tw_element_bits(tw_element_type_t type) {
  switch (type) {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) \
  case TW_ELEMENT_##ENUM:                       \
    return bits;
#include "tilewright/element_types.def"
    case TW_ELEMENT_COUNT:
      break;
  }
  return 0;
}

// The element types by the lower-case names that type_triples.def uses.
enum {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) \
  tw_element_##name = TW_ELEMENT_##ENUM,
#include "tilewright/element_types.def"
};

int tw_triple_of(unsigned value, tw_triple_t* triple) {
  tw_triple_t t;
  switch (value) {
#define TW_TYPE_TRIPLE(value, lhs_type, rhs_type, out_type, ENUM) \
  case value:                                                     \
    t.lhs = (tw_element_type_t)tw_element_##lhs_type;             \
    t.rhs = (tw_element_type_t)tw_element_##rhs_type;             \
    t.out = (tw_element_type_t)tw_element_##out_type;             \
    t.name = #lhs_type #rhs_type #out_type;                       \
    break;
#include "tilewright/type_triples.def"
    default:
      return 0;
  }
  t.accumulator = t.out == TW_ELEMENT_S32 || t.out == TW_ELEMENT_F64
                      ? t.out
                      : TW_ELEMENT_F32;
  *triple = t;
  return 1;
}

int tw_triple_rounds(const tw_triple_t* triple) {
  return triple->out != triple->accumulator;
}

int tw_vnni_group(const tw_triple_t* triple) {
  switch (triple->lhs) {
    case TW_ELEMENT_S8:
    case TW_ELEMENT_U8:
      return triple->rhs == TW_ELEMENT_S8 || triple->rhs == TW_ELEMENT_U8 ? 4
                                                                          : 0;
    case TW_ELEMENT_BF16:
      return triple->rhs == TW_ELEMENT_BF16 ? 2 : 0;
    default:
      return 0;
  }
}

static float tw_float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t tw_bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

tw_float_format_t tw_float_format_of(tw_element_type_t type) {
  switch (type) {
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  case TW_ELEMENT_##ENUM:                                                   \
    return (tw_float_format_t){mantissa_bits, exponent_bits, bias,          \
                               TW_FLOAT_SPECIALS_##specials};
#include "tilewright/element_types.def"
    default:
      return (tw_float_format_t){0, 0, 0, TW_FLOAT_SPECIALS_NONE};
  }
}

static float tw_decode_small_float(tw_float_format_t f, uint32_t bits) {
  const uint32_t mantissa_mask = (1u << f.mantissa_bits) - 1;
  const uint32_t exponent_mask = (1u << f.exponent_bits) - 1;
  const int sign_at = f.mantissa_bits + f.exponent_bits;
  uint32_t mantissa = bits & mantissa_mask;
  int exponent = (int)(bits >> f.mantissa_bits & exponent_mask);
  const uint32_t sign = (bits >> sign_at & 1) << 31;
  const uint32_t nan = 0x7FC00000u;

  if (f.specials == TW_FLOAT_SPECIALS_FNUZ && bits == 1u << sign_at)
    return tw_float_of_bits(nan);
  if ((uint32_t)exponent == exponent_mask) {
    if (f.specials == TW_FLOAT_SPECIALS_IEEE)
      return tw_float_of_bits(mantissa ? sign | nan |
                                             mantissa << (23 - f.mantissa_bits)
                                       : sign | 0x7F800000u);
    if (f.specials == TW_FLOAT_SPECIALS_FN && mantissa == mantissa_mask)
      return tw_float_of_bits(sign | nan);
  }
  if (exponent == 0) {
    if (mantissa == 0) return tw_float_of_bits(sign);
    // A denormal of the small format is a normal f32: shift its leading one to
    // the implicit place.
    exponent = 1;
    while (!(mantissa >> f.mantissa_bits)) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= mantissa_mask;
  }
  return tw_float_of_bits(sign | (uint32_t)(exponent - f.bias + 127) << 23 |
                          mantissa << (23 - f.mantissa_bits));
}

float tw_decode_one_f32(tw_element_type_t type, uint32_t bits) {
  switch (type) {
    case TW_ELEMENT_F32:
      return tw_float_of_bits(bits);
    case TW_ELEMENT_BF16:
      return tw_float_of_bits(bits << 16);
    default:
      return tw_decode_small_float(tw_float_format_of(type), bits);
  }
}

// The bits of element `i` of a dense little-endian bit stream, at most 8. Reads
// only the bytes that hold some of them.
static uint32_t tw_stream_bits(const uint8_t* base, size_t i, int bits) {
  const size_t bit = i * (size_t)bits;
  const int shift = (int)(bit % 8);
  uint32_t raw = base[bit / 8];
  if (shift + bits > 8) raw |= (uint32_t)base[bit / 8 + 1] << 8;
  return raw >> shift & (bits < 8 ? (1u << bits) - 1 : 0xFFu);
}

// Elements that follow each other in a loop of their own, which compilers make
// vectors of.
#define TW_DECODE_LOOP(TYPE, value)                             \
  do {                                                          \
    const unsigned char* at =                                   \
        (const unsigned char*)base + first * sizeof(TYPE);      \
    if (stride == 1) {                                          \
      for (int i = 0; i < count; ++i) {                         \
        TYPE x;                                                 \
        memcpy(&x, at + (size_t)i * sizeof x, sizeof x);        \
        values[i] = (value);                                    \
      }                                                         \
      break;                                                    \
    }                                                           \
    for (int i = 0; i < count; ++i) {                           \
      TYPE x;                                                   \
      memcpy(&x, at + (size_t)i * stride * sizeof x, sizeof x); \
      values[i] = (value);                                      \
    }                                                           \
  } while (0)

void tw_decode_s32(tw_element_type_t type, const void* base, size_t first,
                   size_t stride, int count, int32_t* values) {
  switch (type) {
    case TW_ELEMENT_S32:
      TW_DECODE_LOOP(int32_t, x);
      return;
    case TW_ELEMENT_S16:
      TW_DECODE_LOOP(int16_t, x);
      return;
    case TW_ELEMENT_S8:
      TW_DECODE_LOOP(int8_t, x);
      return;
    case TW_ELEMENT_U8:
      TW_DECODE_LOOP(uint8_t, x);
      return;
    default:
      break;
  }
  // s4 and u4.
  const int32_t flip = type == TW_ELEMENT_S4 ? 8 : 0;
  for (int i = 0; i < count; ++i) {
    const int32_t x = (int32_t)tw_stream_bits((const uint8_t*)base,
                                              first + (size_t)i * stride, 4);
    values[i] = (x ^ flip) - flip;
  }
}

void tw_decode_f32(tw_element_type_t type, const void* base, size_t first,
                   size_t stride, int count, float* values) {
  const int bits = tw_element_bits(type);
  switch (type) {
    case TW_ELEMENT_F32:
      TW_DECODE_LOOP(float, x);
      return;
    case TW_ELEMENT_BF16:
      TW_DECODE_LOOP(uint16_t, tw_float_of_bits((uint32_t)x << 16));
      return;
    case TW_ELEMENT_F16:
      TW_DECODE_LOOP(uint16_t, tw_decode_one_f32(type, x));
      return;
    default:
      break;
  }
  for (int i = 0; i < count; ++i)
    values[i] = tw_decode_one_f32(
        type,
        tw_stream_bits((const uint8_t*)base, first + (size_t)i * stride, bits));
}

uint16_t tw_f32_to_bf16(float value) {
  const uint32_t bits = tw_bits_of_float(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

uint16_t tw_f32_to_f16(float value) {
  const uint32_t bits = tw_bits_of_float(value);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)  // NaN: keep the top payload bits
    return (uint16_t)(sign | 0x7E00u | (magnitude >> 13 & 0x1FFu));
  // From 65520 on, the halfway case above the largest f16, all is infinity.
  if (magnitude >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u);
  if (magnitude >= 0x38800000u) {  // a normal f16
    const uint32_t rebiased = magnitude - (112u << 23);
    return (uint16_t)(sign | (rebiased + 0xFFFu + (rebiased >> 13 & 1)) >> 13);
  }
  // A denormal f16 or zero: 2^-24 units. Below 2^-25 everything is zero.
  const int shift = 126 - (int)(magnitude >> 23);
  if (shift > 24) return sign;
  const uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
  const uint32_t half = (1u << (shift - 1)) - 1 + (significand >> shift & 1);
  return (uint16_t)(sign | (significand + half) >> shift);
}

// Without branches: compilers make vectors of it. What is below the least
// normal f16 is rounded by an addition, of the unit of 0.5 as an f32, which is
// that of a denormal f16.
static uint16_t tw_f16_of_bits(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t normal =
      (magnitude - (112u << 23) + 0xFFFu + (magnitude >> 13 & 1)) >> 13;
  const uint32_t denormal =
      tw_bits_of_float(tw_float_of_bits(magnitude) + 0.5f) - 0x3F000000u;
  const uint32_t nan = 0x7E00u | (magnitude >> 13 & 0x1FFu);
  const uint32_t finite = magnitude < 0x38800000u ? denormal : normal;
  const uint32_t most = magnitude >= 0x477FF000u ? 0x7C00u : finite;
  return (uint16_t)((bits >> 16 & 0x8000u) |
                    (magnitude > 0x7F800000u ? nan : most));
}

static uint16_t tw_bf16_of_bits(uint32_t bits) {
  const uint32_t nan = bits >> 16 | 0x40;
  const uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded);
}

void tw_encode_f32(tw_element_type_t type, const float* values,
                   tw_index_t count, uint16_t* bits) {
  if (type == TW_ELEMENT_BF16)
    for (tw_index_t i = 0; i < count; ++i)
      bits[i] = tw_bf16_of_bits(tw_bits_of_float(values[i]));
  else
    for (tw_index_t i = 0; i < count; ++i)
      bits[i] = tw_f16_of_bits(tw_bits_of_float(values[i]));
}
