// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: names of tile functions in C strings, and text in caller-owned
// arrays.

#ifndef UKERNELS_NAME_H_
#define UKERNELS_NAME_H_

#include "tilewright/tile_name.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parses "<any prefix>_mmt4d_tile_...". Returns 0 if `name` is no such name;
// then *key is unspecified.
static inline int tw_parse_tile_name(const char* name, tw_tile_key_t* key) {
  const tw_word_t any_prefix = {0, 0};
  tw_word_t word = {name, 0};
  tw_name_fault_t fault;
  while (name[word.length]) ++word.length;
  return tw_parse_tile_key(word, any_prefix, key, &fault);
}

// Text that ends where its array ends: what does not fit is cut off. Always
// zero-terminated.
typedef struct tw_text_t {
  char* at;
  char* last;  // the terminator's last possible place
} tw_text_t;

tw_text_t tw_text_begin(char* array, size_t size);
void tw_text_add(tw_text_t* text, const char* s);
void tw_text_add_number(tw_text_t* text, int64_t value);
// "0x1001".
void tw_text_add_bits(tw_text_t* text, uint64_t value);
// "16x16x4", "8x2vlx1".
void tw_text_add_sizes(tw_text_t* text, const tw_tile_key_t* key);
// "tw_mmt4d_tile_s8s8s32_16x16x4", "..._steprnd", "..._vnni", without the ISA.
void tw_text_add_key(tw_text_t* text, const tw_tile_key_t* key);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_NAME_H_
