// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what names said, remembered in one word each. A name is parsed by
// the first call that meets it; threads that race store the same word, so no
// lock is needed. C only.

#ifndef UKERNELS_KEY_WORD_H_
#define UKERNELS_KEY_WORD_H_

#include <stdatomic.h>

#include "ukernels/name.h"

// 0 where the name has not been read.
typedef _Atomic(uint64_t) tw_key_word_t;

// Fields, lowest first. What is compared before all else is at the top: whether
// the name was one, and its types.
enum {
  TW_WORD_M0_AT = 0,
  TW_WORD_N0_AT = 11,
  TW_WORD_K0_AT = 22,
  TW_WORD_M0_SCALABLE_AT = 31,
  TW_WORD_N0_SCALABLE_AT = 32,
  TW_WORD_VARIANTS_AT = 33,
  TW_WORD_ISA_AT = 46,
  TW_WORD_TYPES_AT = 54,
  TW_WORD_IS_READ_AT = 62,
  TW_WORD_IS_KEY_AT = 63,
};
_Static_assert(TW_MAX_M0 < 1 << 11 && TW_MAX_N0 < 1 << 11,
               "sizes take 11 bits");
_Static_assert(TW_MAX_K0_GPU < 1 << 9, "K0 takes 9 bits");
_Static_assert((int)TW_VARIANT_COUNT <= TW_WORD_ISA_AT - TW_WORD_VARIANTS_AT,
               "variants take 13 bits");
_Static_assert(TW_ISA_COUNT <= 256, "an ISA takes 8 bits");

static inline uint64_t tw_word_of_name(const char* name) {
  const uint64_t is_read = (uint64_t)1 << TW_WORD_IS_READ_AT;
  tw_tile_key_t k;
  if (!tw_parse_tile_name(name, &k)) return is_read;
  return is_read | (uint64_t)1 << TW_WORD_IS_KEY_AT |
         (uint64_t)k.m0 << TW_WORD_M0_AT | (uint64_t)k.n0 << TW_WORD_N0_AT |
         (uint64_t)k.k0 << TW_WORD_K0_AT |
         (uint64_t)k.m0_scalable << TW_WORD_M0_SCALABLE_AT |
         (uint64_t)k.n0_scalable << TW_WORD_N0_SCALABLE_AT |
         (uint64_t)tw_variants_of(&k) << TW_WORD_VARIANTS_AT |
         (uint64_t)k.isa << TW_WORD_ISA_AT |
         (uint64_t)k.types << TW_WORD_TYPES_AT;
}

// What `name` says, from *word where that has it.
static inline uint64_t tw_recall_name(tw_key_word_t* word, const char* name) {
  uint64_t value = atomic_load_explicit(word, memory_order_relaxed);
  if (value == 0) {
    value = tw_word_of_name(name);
    atomic_store_explicit(word, value, memory_order_relaxed);
  }
  return value;
}

static inline int tw_word_is_key(uint64_t word) {
  return (int)(word >> TW_WORD_IS_KEY_AT);
}

// Of a key.
static inline uint8_t tw_types_of_word(uint64_t word) {
  return (uint8_t)(word >> TW_WORD_TYPES_AT);
}

// Whether it is a key of `types`.
static inline int tw_word_has_types(uint64_t word, tw_type_triple_t types) {
  return word >> TW_WORD_TYPES_AT ==
         (3u << (TW_WORD_IS_READ_AT - TW_WORD_TYPES_AT) | (unsigned)types);
}

static inline void tw_key_of_word(uint64_t word, tw_tile_key_t* k) {
  k->m0 = (int32_t)(word >> TW_WORD_M0_AT & 0x7FF);
  k->n0 = (int32_t)(word >> TW_WORD_N0_AT & 0x7FF);
  k->k0 = (int32_t)(word >> TW_WORD_K0_AT & 0x1FF);
  k->types = tw_types_of_word(word);
  k->m0_scalable = word >> TW_WORD_M0_SCALABLE_AT & 1;
  k->n0_scalable = word >> TW_WORD_N0_SCALABLE_AT & 1;
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  k->field = word >> (TW_WORD_VARIANTS_AT + TW_VARIANT_AT_##ENUM) & 1;
#include "tilewright/variants.def"
  k->isa = (tw_isa_t)(word >> TW_WORD_ISA_AT & 0xFF);
}

#endif  // UKERNELS_KEY_WORD_H_
