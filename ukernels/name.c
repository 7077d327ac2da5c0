// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/name.h"

#include <string.h>

#include "ukernels/element.h"

// Takes `literal` off the front of *at.
static int tw_take(const char** at, const char* literal) {
  const size_t length = strlen(literal);
  if (strncmp(*at, literal, length) != 0) return 0;
  *at += length;
  return 1;
}

// Takes a canonical positive number up to 9999 off the front of *at.
static int tw_take_number(const char** at, int32_t* value) {
  const char* p = *at;
  if (*p < '1' || *p > '9') return 0;
  int32_t v = 0;
  for (; *p >= '0' && *p <= '9'; ++p) {
    v = v * 10 + (*p - '0');
    if (v > 9999) return 0;
  }
  *value = v;
  *at = p;
  return 1;
}

// Takes "<n>" or "<n>vl".
static int tw_take_size(const char** at, int32_t* value, uint8_t* scalable) {
  if (!tw_take_number(at, value)) return 0;
  *scalable = (uint8_t)tw_take(at, "vl");
  return !*scalable || *value <= TW_MAX_SCALE;
}

static int tw_take_types(const char** at, uint8_t* types) {
  // No triple's name is a prefix of another's followed by '_', so the order of
  // the table does not matter.
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) \
  if (tw_take(at, #lhs #rhs #out "_")) {           \
    *types = value;                                \
    return 1;                                      \
  }
#include "tilewright/type_triples.def"
  return 0;
}

int tw_parse_tile_name(const char* name, tw_tile_key_t* key) {
  static const char kOperation[] = "_mmt4d_tile_";
  const char* at = strstr(name, kOperation);
  if (!at) return 0;
  at += sizeof kOperation - 1;
  if (!tw_take_types(&at, &key->types)) return 0;
  if (!tw_take_size(&at, &key->m0, &key->m0_scalable) || !tw_take(&at, "x") ||
      !tw_take_size(&at, &key->n0, &key->n0_scalable) || !tw_take(&at, "x") ||
      !tw_take_number(&at, &key->k0) || !tw_take(&at, "_"))
    return 0;
  key->step_rounding = (uint8_t)tw_take(&at, "steprnd_");
  key->vnni = (uint8_t)(!key->step_rounding && tw_take(&at, "vnni_"));
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  if (strcmp(at, #arch_isa) == 0) {                                          \
    key->isa = TW_ISA_##ENUM;                                                \
    return TW_SCALING_##scaling != TW_SCALING_NONE ||                        \
           !(key->m0_scalable || key->n0_scalable);                          \
  }
#include "tilewright/isas.def"
  return 0;
}

tw_text_t tw_text_begin(char* array, size_t size) {
  array[0] = 0;
  return (tw_text_t){array, array + size - 1};
}

void tw_text_add(tw_text_t* text, const char* s) {
  while (*s && text->at != text->last) *text->at++ = *s++;
  *text->at = 0;
}

static void tw_text_add_digits(tw_text_t* text, uint64_t value, unsigned base) {
  char digits[24];
  char* p = digits + sizeof digits - 1;
  *p = 0;
  do {
    *--p = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  tw_text_add(text, p);
}

void tw_text_add_number(tw_text_t* text, int64_t value) {
  if (value < 0) tw_text_add(text, "-");
  tw_text_add_digits(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
                     10);
}

void tw_text_add_bits(tw_text_t* text, uint64_t value) {
  tw_text_add(text, "0x");
  tw_text_add_digits(text, value, 16);
}

void tw_text_add_sizes(tw_text_t* text, const tw_tile_key_t* key) {
  tw_text_add_number(text, key->m0);
  tw_text_add(text, key->m0_scalable ? "vlx" : "x");
  tw_text_add_number(text, key->n0);
  tw_text_add(text, key->n0_scalable ? "vlx" : "x");
  tw_text_add_number(text, key->k0);
}

void tw_text_add_key(tw_text_t* text, const tw_tile_key_t* key) {
  tw_triple_t triple;
  tw_text_add(text, "tw_mmt4d_tile_");
  if (tw_triple_of(key->types, &triple)) tw_text_add(text, triple.name);
  tw_text_add(text, "_");
  tw_text_add_sizes(text, key);
  if (key->step_rounding) tw_text_add(text, "_steprnd");
  if (key->vnni) tw_text_add(text, "_vnni");
}
