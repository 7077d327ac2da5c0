// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of tile functions (tile.h): the one parser, checker and printer.
// Freestanding C11, which C++ has as TileKey (key.h). No API: the functions are
// linked into libtilewright.a, where they are hidden, and into what C++ has of
// names.
//
// What is wrong with a name is data, of which callers make sentences.

#ifndef TILEWRIGHT_TILE_NAME_H_
#define TILEWRIGHT_TILE_NAME_H_

#include "tilewright/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  // Largest inner sizes of a key.
  TW_MAX_M0 = 1024,
  TW_MAX_N0 = 1024,
  TW_MAX_K0 = 64,
  // On GPUs, whose widest instructions take 128 elements along K.
  TW_MAX_K0_GPU = 256,
  // Largest `<n>vl`, for which M0 and N0 are at most 1024 where vectors have
  // TW_MAX_VECTOR_BITS.
  TW_MAX_SCALE = 16,
  TW_MAX_VECTOR_BITS = 2048,
  // Of vectors of any length: all others are multiples of it.
  TW_LEAST_VECTOR_BITS = 128,
  // Bytes along K of a row of a K step (variant `vnni`).
  TW_VNNI_STEP_BYTES = 64,
  // Elements along K0 that share a block scale (variant `mx`).
  TW_SCALE_BLOCK = 32,
};

// The variants' numbers, and TW_VARIANT_STEP_ROUNDING, ...: their bits.
enum {
#define TW_VARIANT(name, ENUM, field, excludes, doc) TW_VARIANT_AT_##ENUM,
#include "tilewright/variants.def"
  TW_VARIANT_COUNT
};
enum {
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  TW_VARIANT_##ENUM = 1 << TW_VARIANT_AT_##ENUM,
#include "tilewright/variants.def"
};

// What a tile function's name says.
typedef struct tw_tile_key_t {
  int32_t m0, n0, k0;
  uint8_t types;  // tw_type_triple_t
  // 1 for a scalable size: m0, n0 then count vectors (`<n>vl`).
  uint8_t m0_scalable, n0_scalable;
  // 1 for a variant: step_rounding, block_scaled, vnni.
#define TW_VARIANT(name, ENUM, field, excludes, doc) uint8_t field;
#include "tilewright/variants.def"
  tw_isa_t isa;
} tw_tile_key_t;

// The variants of a key as bits.
static inline unsigned tw_variants_of(const tw_tile_key_t* key) {
  return 0u
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  | (key->field ? (unsigned)TW_VARIANT_##ENUM : 0u)
#include "tilewright/variants.def"
      ;
}

// Text that need not end with a zero.
typedef struct tw_word_t {
  const char* at;
  size_t length;
} tw_word_t;

typedef enum tw_name_part_t {
  TW_NAME_PART_PREFIX,
  TW_NAME_PART_TYPES,
  TW_NAME_PART_M0,
  TW_NAME_PART_N0,
  TW_NAME_PART_K0,
  TW_NAME_PART_VARIANTS,
  TW_NAME_PART_ISA,
  TW_NAME_PART_COUNT
} tw_name_part_t;

// What can be wrong with a name, or with a key that has none yet.
typedef enum tw_name_fault_kind_t {
  TW_NAME_FAULT_NONE,
  // Of the text.
  TW_NAME_FAULT_OTHER_PREFIX,   // no `<prefix>_mmt4d_tile_`
  TW_NAME_FAULT_UNKNOWN_TYPES,  // no row of type_triples.def
  TW_NAME_FAULT_NO_SIZES,       // ends behind the types
  TW_NAME_FAULT_NO_NUMBER,      // no digit where a size should be
  TW_NAME_FAULT_LEADING_ZERO,
  TW_NAME_FAULT_NO_STOP,      // a size, without the character that ends it
  TW_NAME_FAULT_SCALABLE_K0,  // only M0 and N0 may be scalable
  TW_NAME_FAULT_UNKNOWN_ISA,  // neither a variant nor a row of isas.def
  // Of the key.
  TW_NAME_FAULT_SIZE,           // not in 1..`value`
  TW_NAME_FAULT_SCALE,          // not in 1vl..`value`vl
  TW_NAME_FAULT_FIXED_VECTORS,  // a scalable size, on an ISA without
  // M0*K0 or N0*K0 is no multiple of `value`, and fills no whole bytes.
  TW_NAME_FAULT_PART_OF_A_BYTE,
  TW_NAME_FAULT_EXCLUDED,       // `variant` and that of the number `value`
  TW_NAME_FAULT_VARIANT_TYPES,  // `variant` is not for them; mx: for `value`
  TW_NAME_FAULT_VARIANT_ISA,    // `variant` is not for it
  TW_NAME_FAULT_VARIANT_K0,     // `variant` needs K0 = `value`, or a multiple
} tw_name_fault_kind_t;

typedef struct tw_name_fault_t {
  tw_name_fault_kind_t kind;
  tw_name_part_t part;
  int variant;    // TW_VARIANT_AT_...
  int32_t value;  // what would be accepted, or is in the way
  // The characters that are wrong; of a key that was not parsed 0.
  size_t offset, length;
} tw_name_fault_t;

// Takes `<n>` or `<n>vl`, without leading zeros, and `stop` behind it off the
// front of *text; a larger number than 9999999 is another one, but larger than
// all limits. Otherwise returns 0, with the fault's kind and its place in the
// text.
int tw_take_size(tw_word_t* text, char stop, int32_t* value, uint8_t* scalable,
                 tw_name_fault_t* fault);

// Parses "<prefix>_mmt4d_tile_...", with a null prefix any that comes before
// the first "_mmt4d_tile_". Accepts exactly what tw_print_tile_key prints of
// valid keys. Returns 0 if `name` is no such name; then *key is what was read
// of it before *fault.
int tw_parse_tile_key(tw_word_t name, tw_word_t prefix, tw_tile_key_t* key,
                      tw_name_fault_t* fault);

// Whether `key` is valid; 0 if not, with *fault.
int tw_check_tile_key(const tw_tile_key_t* key, tw_name_fault_t* fault);

// Enough for every name of a valid key behind the prefix, and the zero.
#define TW_MOST_OF_A_NAME 128

// Writes the name and a zero, as far as `size` characters hold them. Returns
// the length of the whole name. With TW_ISA_COUNT it ends where the ISA would
// begin.
size_t tw_print_tile_key(const tw_tile_key_t* key, tw_word_t prefix, char* text,
                         size_t size);

// The same of the sizes alone: "16x16x4", "8x2vlx1".
size_t tw_print_tile_sizes(const tw_tile_key_t* key, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_TILE_NAME_H_
