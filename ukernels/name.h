// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: tile keys in C, their names, and text in caller-owned arrays.

#ifndef UKERNELS_NAME_H_
#define UKERNELS_NAME_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a tile function's name says. The C++ parser of abi/ is the grammar's
// reference; the runtime needs no more than to recognise valid names.
typedef struct tw_tile_key_t {
  int32_t m0, n0, k0;
  uint8_t types;          // tw_type_triple_t
  uint8_t step_rounding;  // 1 for the variant `steprnd`
  uint8_t vnni;           // 1 for the variant `vnni`
  // 1 for a scalable size: m0, n0 then count vectors (`<n>vl`).
  uint8_t m0_scalable, n0_scalable;
  tw_isa_t isa;
} tw_tile_key_t;

// Largest `<n>vl`, and the longest vectors, for which it is at most 1024.
enum {
  TW_MAX_SCALE = 16,
  TW_LEAST_VECTOR_BITS = 128,
  TW_MAX_VECTOR_BITS = 2048
};

// Parses "<any prefix>_mmt4d_tile_...". Returns 0 if `name` is no such name;
// then *key is unspecified.
int tw_parse_tile_name(const char* name, tw_tile_key_t* key);

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
