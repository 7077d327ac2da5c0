// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: runs of elements to wide ones, in C that compilers vectorise: no
// branch depends on a value. element.h decodes single ones, of any type.

#ifndef UKERNELS_THIN_DECODE_H_
#define UKERNELS_THIN_DECODE_H_

#include <string.h>

#include "ukernels/element.h"
#include "ukernels/thin_wide.h"

typedef uint16_t __attribute__((may_alias)) tw_any_u16_t;
typedef uint32_t __attribute__((may_alias)) tw_any_u32_t;

static inline uint32_t tw_thin_bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The bits of the f32 that `code` stands for. `specials` is a constant.
TW_INLINE uint32_t tw_thin_f32_bits(tw_float_format_t f, int specials,
                                    uint32_t code) {
  const int sign_at = f.mantissa_bits + f.exponent_bits;
  const int shift = 23 - f.mantissa_bits;
  const uint32_t magnitude = code & ((1u << sign_at) - 1);
  const uint32_t sign = (code >> sign_at & 1) << 31;
  const uint32_t top = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  // The exponent of the lowest mantissa bit of a denormal, as an f32 power.
  const uint32_t unit_bits = (uint32_t)(127 + 1 - f.bias - f.mantissa_bits)
                             << 23;
  float unit;
  memcpy(&unit, &unit_bits, sizeof unit);
  const uint32_t denormal = tw_thin_bits_of((float)(int32_t)magnitude * unit);
  const uint32_t normal =
      (magnitude << shift) + ((uint32_t)(127 - f.bias) << 23);
  uint32_t bits = magnitude >> f.mantissa_bits ? normal : denormal;
  if (specials == TW_FLOAT_SPECIALS_IEEE)
    bits = magnitude >= top ? 0x7F800000u | magnitude << shift : bits;
  bits |= sign;
  if (specials == TW_FLOAT_SPECIALS_FN)
    bits = magnitude == (1u << sign_at) - 1 ? 0x7FC00000u : bits;
  if (specials == TW_FLOAT_SPECIALS_FNUZ)
    bits = code == 1u << sign_at ? 0x7FC00000u : bits;
  return bits;
}

TW_INLINE void tw_thin_decode_floats(tw_float_format_t f, int specials,
                                     int bits, const char* from,
                                     tw_index_t count, tw_any_u32_t* to) {
  if (bits == 16) {
    for (tw_index_t i = 0; i < count; ++i)
      to[i] = tw_thin_f32_bits(f, specials, ((const tw_any_u16_t*)from)[i]);
  } else if (bits == 8) {
    for (tw_index_t i = 0; i < count; ++i)
      to[i] = tw_thin_f32_bits(f, specials, ((const uint8_t*)from)[i]);
  } else {
    for (tw_index_t i = 0; i + 2 <= count; i += 2) {
      const uint32_t pair = ((const uint8_t*)from)[i / 2];
      to[i] = tw_thin_f32_bits(f, specials, pair & 15);
      to[i + 1] = tw_thin_f32_bits(f, specials, pair >> 4);
    }
    if (count % 2 != 0)
      to[count - 1] =
          tw_thin_f32_bits(f, specials, ((const uint8_t*)from)[count / 2] & 15);
  }
}

// `flip` is 8 for s4, 0 for u4.
static void tw_thin_decode_nibbles(int flip, const char* from, tw_index_t count,
                                   tw_wide_s16_t* to) {
  const uint8_t* bytes = (const uint8_t*)from;
  for (tw_index_t i = 0; i + 2 <= count; i += 2) {
    to[i] = (int16_t)(((bytes[i / 2] & 15) ^ flip) - flip);
    to[i + 1] = (int16_t)((bytes[i / 2] >> 4 ^ flip) - flip);
  }
  if (count % 2 != 0)
    to[count - 1] = (int16_t)(((bytes[count / 2] & 15) ^ flip) - flip);
}

// Decodes `count` elements of a narrow type, the first of which begins a byte.
// A wide type is copied.
static void tw_thin_decode(tw_element_type_t type, const char* from,
                           tw_index_t count, char* to) {
  const int bits = tw_element_bits(type);
  const tw_float_format_t format = tw_float_format_of(type);
  tw_any_u32_t* floats = (tw_any_u32_t*)to;
  tw_wide_s16_t* integers = (tw_wide_s16_t*)to;
  switch (type) {
    case TW_ELEMENT_S8:
      for (tw_index_t i = 0; i < count; ++i)
        integers[i] = ((const tw_any_i8_t*)from)[i];
      return;
    case TW_ELEMENT_U8:
      for (tw_index_t i = 0; i < count; ++i)
        integers[i] = ((const uint8_t*)from)[i];
      return;
    case TW_ELEMENT_S4:
    case TW_ELEMENT_U4:
      tw_thin_decode_nibbles(type == TW_ELEMENT_S4 ? 8 : 0, from, count,
                             integers);
      return;
    case TW_ELEMENT_BF16:
      for (tw_index_t i = 0; i < count; ++i)
        floats[i] = (uint32_t)((const tw_any_u16_t*)from)[i] << 16;
      return;
    case TW_ELEMENT_F64:
    case TW_ELEMENT_F32:
    case TW_ELEMENT_S32:
    case TW_ELEMENT_S16:
      memcpy(to, from, (size_t)(count * bits / 8));
      return;
    default:
      break;
  }
  switch (format.specials) {
    case TW_FLOAT_SPECIALS_IEEE:
      tw_thin_decode_floats(format, TW_FLOAT_SPECIALS_IEEE, bits, from, count,
                            floats);
      return;
    case TW_FLOAT_SPECIALS_FN:
      tw_thin_decode_floats(format, TW_FLOAT_SPECIALS_FN, bits, from, count,
                            floats);
      return;
    case TW_FLOAT_SPECIALS_FNUZ:
      tw_thin_decode_floats(format, TW_FLOAT_SPECIALS_FNUZ, bits, from, count,
                            floats);
      return;
    case TW_FLOAT_SPECIALS_NONE:
      tw_thin_decode_floats(format, TW_FLOAT_SPECIALS_NONE, bits, from, count,
                            floats);
      return;
  }
}

#endif  // UKERNELS_THIN_DECODE_H_
