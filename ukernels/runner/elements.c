// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/runner/elements.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What element_types.def says of floats.
enum {
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  TW_KIND_##ENUM = TW_ELEMENT_FLOAT_##specials,                             \
  TW_EXPONENT_BITS_##ENUM = exponent_bits,                                  \
  TW_MANTISSA_BITS_##ENUM = mantissa_bits, TW_BIAS_##ENUM = bias,
#include "tilewright/element_types.def"
};
#define TW_FLOAT(ENUM)                                         \
  (tw_element_kind_t) TW_KIND_##ENUM, TW_EXPONENT_BITS_##ENUM, \
      TW_MANTISSA_BITS_##ENUM, TW_BIAS_##ENUM

// numpy has no bf16 of its own: its extension ml_dtypes writes V2, and the bits
// are a u2. Its int4 and int2 are V1, a byte each. Integers of MLIR have no
// sign.
static const tw_element_t tw_elements[] = {
    {"f64", 8, TW_FLOAT(F64), "<f8", "<f8", "float64"},
    {"f32", 4, TW_FLOAT(F32), "<f4", "<f4", "float32"},
    {"f16", 2, TW_FLOAT(F16), "<f2", "<f2", "float16"},
    {"bf16", 2, TW_FLOAT(BF16), "<u2", "<u2 <V2 |V2",
     "uint16 with the bits of bf16, or bfloat16 of ml_dtypes"},
    {"f8E4M3FN", 1, TW_FLOAT(F8E4M3FN), "|u1", "|u1 <V1 |V1", "uint8"},
    {"f8E5M2", 1, TW_FLOAT(F8E5M2), "|u1", "|u1 <V1 |V1", "uint8"},
    {"f8E4M3FNUZ", 1, TW_FLOAT(F8E4M3FNUZ), "|u1", "|u1 <V1 |V1", "uint8"},
    {"f8E5M2FNUZ", 1, TW_FLOAT(F8E5M2FNUZ), "|u1", "|u1 <V1 |V1", "uint8"},
    {"f8E8M0FNU", 1, TW_ELEMENT_FLOAT_SCALE, 8, 0, 127, "|u1", "|u1 <V1 |V1",
     "uint8"},
    {"f6E2M3FN", 1, TW_FLOAT(F6E2M3FN), "|u1", "|u1 <V1 |V1",
     "uint8 whose lowest 6 bits count"},
    {"f6E3M2FN", 1, TW_FLOAT(F6E3M2FN), "|u1", "|u1 <V1 |V1",
     "uint8 whose lowest 6 bits count"},
    {"f4E2M1FN", 1, TW_FLOAT(F4E2M1FN), "|u1", "|u1 <V1 |V1",
     "uint8 whose lowest 4 bits count"},
    {"i64", 8, TW_ELEMENT_INTEGER, 0, 0, 0, "<i8", "<i8 <u8", "int64"},
    {"index", 8, TW_ELEMENT_INTEGER, 0, 0, 0, "<i8", "<i8 <u8", "int64"},
    {"i32", 4, TW_ELEMENT_INTEGER, 0, 0, 0, "<i4", "<i4 <u4", "int32"},
    {"i16", 2, TW_ELEMENT_INTEGER, 0, 0, 0, "<i2", "<i2 <u2", "int16"},
    {"i8", 1, TW_ELEMENT_INTEGER, 0, 0, 0, "|i1", "|i1 |u1", "int8"},
    {"i4", 1, TW_ELEMENT_INTEGER, 0, 0, 0, "|i1", "|i1 |u1 <V1 |V1",
     "int8 of -8 to 7"},
    {"i2", 1, TW_ELEMENT_INTEGER, 0, 0, 0, "|i1", "|i1 |u1 <V1 |V1",
     "int8 of -2 to 1"},
    {"i1", 1, TW_ELEMENT_INTEGER, 0, 0, 0, "|b1", "|b1 |u1 |i1", "bool"},
};

const tw_element_t* tw_find_element(const char* name) {
  for (size_t i = 0; i < sizeof(tw_elements) / sizeof(*tw_elements); ++i)
    if (strcmp(tw_elements[i].name, name) == 0) return &tw_elements[i];
  return NULL;
}

int tw_accepts_descr(const tw_element_t* element, const char* descr) {
  const size_t length = strlen(descr);
  for (const char* at = element->accepted; *at; at += *at == ' ') {
    const size_t word = strcspn(at, " ");
    if (word == length && memcmp(at, descr, word) == 0) return 1;
    at += word;
  }
  return 0;
}

static uint64_t tw_bits(const tw_element_t* element, const uint8_t* bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < element->bytes; ++i)
    bits |= (uint64_t)bytes[i] << (8 * i);
  return bits;
}

static double tw_float_value(const tw_element_t* element, uint64_t bits) {
  const int mantissa_bits = element->mantissa_bits;
  const int largest = (1 << element->exponent_bits) - 1;
  const int bias = element->bias;
  const uint64_t ones = ((uint64_t)1 << mantissa_bits) - 1;
  const uint64_t mantissa = bits & ones;
  const int exponent = (int)(bits >> mantissa_bits) & largest;
  const double sign =
      bits >> (mantissa_bits + element->exponent_bits) & 1 ? -1.0 : 1.0;
  if (element->kind == TW_ELEMENT_FLOAT_IEEE && exponent == largest)
    return mantissa ? NAN : sign * INFINITY;
  if (element->kind == TW_ELEMENT_FLOAT_FN && exponent == largest &&
      mantissa == ones)
    return NAN;
  if (element->kind == TW_ELEMENT_FLOAT_FNUZ && sign < 0 && exponent == 0 &&
      mantissa == 0)
    return NAN;
  if (element->kind == TW_ELEMENT_FLOAT_SCALE)
    return exponent == largest ? NAN : ldexp(1.0, exponent - bias);
  const double fraction = ldexp((double)mantissa, -mantissa_bits);
  if (exponent == 0) return sign * ldexp(fraction, 1 - bias);
  return sign * ldexp(1.0 + fraction, exponent - bias);
}

void tw_print_element(const tw_element_t* element, const uint8_t* bytes,
                      char* text, size_t text_bytes) {
  const uint64_t bits = tw_bits(element, bytes);
  if (element->kind != TW_ELEMENT_INTEGER) {
    snprintf(text, text_bytes, "%.*g", element->bytes > 4 ? 12 : 6,
             tw_float_value(element, bits));
    return;
  }
  const int unused = 64 - 8 * element->bytes;
  snprintf(text, text_bytes, "%" PRId64, (int64_t)(bits << unused) >> unused);
}

int tw_parse_scalar(const tw_element_t* element, const char* text,
                    tw_runner_slot_t* slot) {
  char* end;
  errno = 0;
  if (element->kind != TW_ELEMENT_INTEGER) {
    const double value = strtod(text, &end);
    if (element->bytes == 8)
      slot->f64 = value;
    else if (element->bytes == 4)
      slot->f32 = (float)value;
    else
      return 0;
  } else {
    const long long value = strtoll(text, &end, 10);
    const int unused = 64 - 8 * element->bytes;
    slot->integer = value;
    // What the type holds, with a sign or without.
    if (unused &&
        (value < INT64_MIN >> unused || value > INT64_MAX >> (unused - 1)))
      return 0;
  }
  return end != text && *end == 0 && errno == 0;
}
