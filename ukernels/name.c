// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/name.h"

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
  char sizes[TW_MOST_OF_A_NAME];
  tw_print_tile_sizes(key, sizes, sizeof sizes);
  tw_text_add(text, sizes);
}

void tw_text_add_key(tw_text_t* text, const tw_tile_key_t* key) {
  static const tw_word_t kPrefix = {"tw", 2};
  char name[TW_MOST_OF_A_NAME];
  tw_tile_key_t of_any_isa = *key;
  of_any_isa.isa = TW_ISA_COUNT;
  // Without the '_' that the ISA would follow.
  name[tw_print_tile_key(&of_any_isa, kPrefix, name, sizeof name) - 1] = 0;
  tw_text_add(text, name);
}
