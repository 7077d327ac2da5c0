// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of tile names.

#include "tilewright/tile_name.h"

// ---- The tables -------------------------------------------------------------

typedef struct tw_name_row_t {
  const char* text;
  uint8_t length;
} tw_name_row_t;

#define TW_NAME_ROW(text) {text, sizeof text - 1}

static const tw_name_row_t kOperation = TW_NAME_ROW("_mmt4d_tile_");
static const tw_name_row_t kScalable = TW_NAME_ROW("vl");

static const tw_name_row_t kVariants[] = {
#define TW_VARIANT(name, ENUM, field, excludes, doc) TW_NAME_ROW(#name),
#include "tilewright/variants.def"
};

static const uint8_t kExcludes[] = {
#define TW_VARIANT(name, ENUM, field, excludes, doc) excludes,
#include "tilewright/variants.def"
};

// By the lower-case names that rows of triples use.
enum {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) tw_name_##name,
#include "tilewright/element_types.def"
};

static const uint8_t kElementBits[] = {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) bits,
#include "tilewright/element_types.def"
};

typedef struct tw_types_row_t {
  tw_name_row_t name;
  uint8_t value, lhs, rhs, out;  // out: tw_element_type_t, as the others
} tw_types_row_t;

static const tw_types_row_t kTypes[] = {
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM)                   \
  {TW_NAME_ROW(#lhs #rhs #out), value, tw_name_##lhs, tw_name_##rhs, \
   tw_name_##out},
#include "tilewright/type_triples.def"
};
enum { kTypesCount = sizeof kTypes / sizeof kTypes[0] };

// The architectures' numbers, and what names ask of each.
enum { TW_NAME_KIND_CPU, TW_NAME_KIND_GPU, TW_NAME_KIND_ANY };
typedef struct tw_arch_row_t {
  int kind, max_k0;
} tw_arch_row_t;
enum {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple, \
                        march, max_k0, processors)                       \
  TW_NAME_ARCH_##ARCH,
#include "tilewright/architectures.def"
};
static const tw_arch_row_t kArchs[] = {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple, \
                        march, max_k0, processors)                       \
  {TW_NAME_KIND_##kind, max_k0},
#include "tilewright/architectures.def"
};

typedef struct tw_isa_row_t {
  tw_name_row_t name;
  uint8_t arch, scaling;
  uint16_t vector_bits;
  // Of its architecture, in the word that has AMX.
  uint64_t features;
} tw_isa_row_t;

// The word, which macros compare with.
#define TW_NAME_AMX_WORD 0
_Static_assert((int)TW_CPU_WORD_X86_64_AMXINT8 == TW_NAME_AMX_WORD &&
                   (int)TW_CPU_WORD_X86_64_AMXBF16 == TW_NAME_AMX_WORD,
               "the word that has AMX is another one");
#define TW_NAME_AMX_INT8 TW_CPU_MASK(X86_64, AMXINT8, TW_NAME_AMX_WORD)
#define TW_NAME_AMX_BF16 TW_CPU_MASK(X86_64, AMXBF16, TW_NAME_AMX_WORD)

static const tw_isa_row_t kIsas[] = {
#define TW_ISA_FEATURE(ARCH, FEATURE) \
  | TW_CPU_MASK(ARCH, FEATURE, TW_NAME_AMX_WORD)
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               list)                                                         \
  {TW_NAME_ROW(#arch_isa), TW_NAME_ARCH_##ARCH, TW_SCALING_##scaling,        \
   vector_bits, (uint64_t)0 list},
#include "tilewright/isas.def"
#undef TW_ISA_FEATURE
};

// Whether both have these characters, so many of them. No libc.
static int tw_is_same_text(const char* a, const char* b, size_t length) {
  for (; length > 0; --length)
    if (*a++ != *b++) return 0;
  return 1;
}

static int tw_is_word(tw_word_t word, const tw_name_row_t* row) {
  return word.length == row->length &&
         tw_is_same_text(word.at, row->text, row->length);
}

static int tw_starts_with(tw_word_t text, const tw_name_row_t* row) {
  return text.length >= row->length &&
         tw_is_same_text(text.at, row->text, row->length);
}

static const tw_types_row_t* tw_types_named(tw_word_t word) {
  for (int i = 0; i < kTypesCount; ++i)
    if (tw_is_word(word, &kTypes[i].name)) return &kTypes[i];
  return 0;
}

static const tw_types_row_t* tw_types_of(uint8_t value) {
  for (int i = 0; i < kTypesCount; ++i)
    if (kTypes[i].value == value) return &kTypes[i];
  return 0;
}

// ---- Whether a key is valid -------------------------------------------------

static int tw_wrong(tw_name_fault_t* fault, tw_name_fault_kind_t kind,
                    tw_name_part_t part, int variant, int32_t value) {
  *fault = (tw_name_fault_t){kind, part, variant, value, 0, 0};
  return 0;
}

static int tw_check_size(tw_name_part_t part, int32_t size, int scalable,
                         int32_t most, const tw_isa_row_t* isa,
                         tw_name_fault_t* fault) {
  if (scalable && isa->scaling == TW_SCALING_NONE)
    return tw_wrong(fault, TW_NAME_FAULT_FIXED_VECTORS, part, 0, 0);
  if (scalable) most = TW_MAX_SCALE;
  if (size >= 1 && size <= most) return 1;
  return tw_wrong(fault, scalable ? TW_NAME_FAULT_SCALE : TW_NAME_FAULT_SIZE,
                  part, 0, most);
}

// A K step of the lhs or rhs panel fills whole bytes. Any number of vectors
// does if one of the least length does, for lengths are multiples of it.
static int tw_check_panel(tw_name_part_t part, int32_t size, int scalable,
                          int32_t k0, uint8_t type, int lanes,
                          tw_name_fault_t* fault) {
  const int64_t bits =
      (int64_t)size * (scalable ? lanes : 1) * k0 * kElementBits[type];
  if (bits % 8 == 0) return 1;
  int32_t multiple = 1;
  while (multiple * kElementBits[type] % 8 != 0) ++multiple;
  return tw_wrong(fault, TW_NAME_FAULT_PART_OF_A_BYTE, part, 0, multiple);
}

// The row above that `variant` cannot be together with, if the key has it.
static int tw_check_exclusion(const tw_tile_key_t* key, int variant,
                              tw_name_fault_t* fault) {
  const unsigned both = tw_variants_of(key) & kExcludes[variant];
  for (int other = 0; other < variant; ++other)
    if (both >> other & 1)
      return tw_wrong(fault, TW_NAME_FAULT_EXCLUDED, TW_NAME_PART_VARIANTS,
                      variant, other);
  return 1;
}

static int tw_check_step_rounding(const tw_types_row_t* types,
                                  tw_name_fault_t* fault) {
  // Accumulators have 32 bits or more, and are the out type if that has.
  if (kElementBits[types->out] < 32) return 1;
  return tw_wrong(fault, TW_NAME_FAULT_VARIANT_TYPES, TW_NAME_PART_TYPES,
                  TW_VARIANT_AT_STEP_ROUNDING, types->out);
}

// Whether elements of `type` may have block scales.
static int tw_is_mx_type(uint8_t type) {
  switch (type) {
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  case TW_ELEMENT_##ENUM:                                                   \
    return mx;
#include "tilewright/element_types.def"
    default:
      return 0;
  }
}

static int tw_check_block_scales(const tw_tile_key_t* key,
                                 const tw_types_row_t* types,
                                 const tw_isa_row_t* isa,
                                 tw_name_fault_t* fault) {
  const int variant = TW_VARIANT_AT_BLOCK_SCALED;
  if (kArchs[isa->arch].kind != TW_NAME_KIND_GPU)
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_ISA, TW_NAME_PART_ISA, variant,
                    0);
  if (!tw_is_mx_type(types->lhs) || !tw_is_mx_type(types->rhs))
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_TYPES, TW_NAME_PART_TYPES,
                    variant,
                    tw_is_mx_type(types->lhs) ? types->rhs : types->lhs);
  if (!tw_check_exclusion(key, variant, fault)) return 0;
  if (key->k0 % TW_SCALE_BLOCK != 0)
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_K0, TW_NAME_PART_K0, variant,
                    TW_SCALE_BLOCK);
  return 1;
}

static int tw_is_byte(uint8_t type) {
  return type == TW_ELEMENT_S8 || type == TW_ELEMENT_U8;
}

// The instructions that take rhs panels so are AMX's, with registers of rows of
// 64 bytes.
static int tw_check_vnni(const tw_tile_key_t* key, const tw_types_row_t* types,
                         const tw_isa_row_t* isa, tw_name_fault_t* fault) {
  const int variant = TW_VARIANT_AT_VNNI;
  const int bytes = tw_is_byte(types->lhs) && tw_is_byte(types->rhs);
  if (!bytes &&
      (types->lhs != TW_ELEMENT_BF16 || types->rhs != TW_ELEMENT_BF16))
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_TYPES, TW_NAME_PART_TYPES,
                    variant, 0);
  if (!tw_check_exclusion(key, variant, fault)) return 0;
  if (isa->arch != TW_NAME_ARCH_X86_64 ||
      !(isa->features & (bytes ? TW_NAME_AMX_INT8 : TW_NAME_AMX_BF16)))
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_ISA, TW_NAME_PART_ISA, variant,
                    0);
  const int32_t k0 = TW_VNNI_STEP_BYTES / (kElementBits[types->rhs] / 8);
  if (key->k0 != k0)
    return tw_wrong(fault, TW_NAME_FAULT_VARIANT_K0, TW_NAME_PART_K0, variant,
                    k0);
  return 1;
}

static int tw_check_key(const tw_tile_key_t* key, const tw_types_row_t* types,
                        tw_name_fault_t* fault) {
  const tw_isa_row_t* isa = &kIsas[key->isa];
  const int32_t most_k0 = kArchs[isa->arch].max_k0;
  const int lanes = isa->vector_bits / (types->out == TW_ELEMENT_F64 ? 64 : 32);
  return tw_check_size(TW_NAME_PART_M0, key->m0, key->m0_scalable, TW_MAX_M0,
                       isa, fault) &&
         tw_check_size(TW_NAME_PART_N0, key->n0, key->n0_scalable, TW_MAX_N0,
                       isa, fault) &&
         tw_check_size(TW_NAME_PART_K0, key->k0, 0, most_k0, isa, fault) &&
         tw_check_panel(TW_NAME_PART_M0, key->m0, key->m0_scalable, key->k0,
                        types->lhs, lanes, fault) &&
         tw_check_panel(TW_NAME_PART_N0, key->n0, key->n0_scalable, key->k0,
                        types->rhs, lanes, fault) &&
         (!key->step_rounding || tw_check_step_rounding(types, fault)) &&
         (!key->block_scaled ||
          tw_check_block_scales(key, types, isa, fault)) &&
         (!key->vnni || tw_check_vnni(key, types, isa, fault));
}

int tw_check_tile_key(const tw_tile_key_t* key, tw_name_fault_t* fault) {
  const tw_types_row_t* types = tw_types_of(key->types);
  if (!types)
    return tw_wrong(fault, TW_NAME_FAULT_UNKNOWN_TYPES, TW_NAME_PART_TYPES, 0,
                    0);
  if ((unsigned)key->isa >= TW_ISA_COUNT)
    return tw_wrong(fault, TW_NAME_FAULT_UNKNOWN_ISA, TW_NAME_PART_ISA, 0, 0);
  return tw_check_key(key, types, fault);
}

// ---- Names to keys ----------------------------------------------------------

static void tw_drop(tw_word_t* text, size_t count) {
  text->at += count;
  text->length -= count;
}

// The text up to the first `stop`, or all of it.
static tw_word_t tw_up_to(tw_word_t text, char stop) {
  tw_word_t word = {text.at, 0};
  while (word.length < text.length && text.at[word.length] != stop)
    ++word.length;
  return word;
}

static int tw_bad_size(tw_name_fault_t* fault, tw_name_fault_kind_t kind,
                       size_t length) {
  *fault = (tw_name_fault_t){kind, TW_NAME_PART_COUNT, 0, 0, 0, length};
  return 0;
}

int tw_take_size(tw_word_t* text, char stop, int32_t* value, uint8_t* scalable,
                 tw_name_fault_t* fault) {
  tw_word_t rest = *text;
  int32_t v = 0;
  while (rest.length > 0 && *rest.at >= '0' && *rest.at <= '9') {
    if (v < 1000000) v = v * 10 + (*rest.at - '0');
    tw_drop(&rest, 1);
  }
  const size_t digits = text->length - rest.length;
  if (digits == 0) return tw_bad_size(fault, TW_NAME_FAULT_NO_NUMBER, 0);
  if (digits > 1 && *text->at == '0')
    return tw_bad_size(fault, TW_NAME_FAULT_LEADING_ZERO, digits);
  *scalable = (uint8_t)tw_starts_with(rest, &kScalable);
  if (*scalable) tw_drop(&rest, kScalable.length);
  if (rest.length == 0 || *rest.at != stop)
    return tw_bad_size(fault, TW_NAME_FAULT_NO_STOP,
                       text->length - rest.length);
  tw_drop(&rest, 1);
  *value = v;
  *text = rest;
  return 1;
}

// What is being read: all of the name, what is left of it, and where its parts
// were.
typedef struct tw_reading_t {
  tw_word_t name, rest;
  tw_word_t parts[TW_NAME_PART_COUNT];
  tw_name_fault_t* fault;
} tw_reading_t;

static int tw_bad_name(tw_reading_t* r, tw_name_fault_kind_t kind,
                       tw_name_part_t part, tw_word_t word) {
  tw_wrong(r->fault, kind, part, 0, 0);
  r->fault->offset = (size_t)(word.at - r->name.at);
  r->fault->length = word.length;
  return 0;
}

static int tw_read_prefix(tw_reading_t* r, tw_word_t prefix) {
  if (!prefix.at)
    while (r->rest.length > 0 && !tw_starts_with(r->rest, &kOperation))
      tw_drop(&r->rest, 1);
  else if (r->rest.length >= prefix.length &&
           tw_is_same_text(r->rest.at, prefix.at, prefix.length))
    tw_drop(&r->rest, prefix.length);
  else
    r->rest.length = 0;
  if (!tw_starts_with(r->rest, &kOperation))
    return tw_bad_name(r, TW_NAME_FAULT_OTHER_PREFIX, TW_NAME_PART_PREFIX,
                       r->name);
  tw_drop(&r->rest, kOperation.length);
  return 1;
}

static const tw_types_row_t* tw_read_types(tw_reading_t* r) {
  const tw_word_t word = tw_up_to(r->rest, '_');
  const tw_types_row_t* types = tw_types_named(word);
  if (!types) {
    tw_bad_name(r, TW_NAME_FAULT_UNKNOWN_TYPES, TW_NAME_PART_TYPES, word);
    return 0;
  }
  r->parts[TW_NAME_PART_TYPES] = word;
  tw_drop(&r->rest, word.length);
  if (r->rest.length == 0) {
    tw_bad_name(r, TW_NAME_FAULT_NO_SIZES, TW_NAME_PART_M0, r->rest);
    return 0;
  }
  tw_drop(&r->rest, 1);
  return types;
}

static int tw_read_size(tw_reading_t* r, tw_name_part_t part, char stop,
                        int32_t* value, uint8_t* scalable) {
  tw_word_t word = r->rest;
  uint8_t is_scalable = 0;
  if (!tw_take_size(&r->rest, stop, value, &is_scalable, r->fault)) {
    word.length = r->fault->length;
    return tw_bad_name(r, r->fault->kind, part, word);
  }
  word.length = (size_t)(r->rest.at - word.at) - 1;
  r->parts[part] = word;
  if (is_scalable && !scalable)
    return tw_bad_name(r, TW_NAME_FAULT_SCALABLE_K0, part, word);
  if (scalable) *scalable = is_scalable;
  return 1;
}

// Takes "<variant>_" off the front of what is left, if it is there.
static uint8_t tw_take_variant(tw_reading_t* r, const tw_name_row_t* variant) {
  if (!tw_starts_with(r->rest, variant) || r->rest.length == variant->length ||
      r->rest.at[variant->length] != '_')
    return 0;
  tw_drop(&r->rest, (size_t)variant->length + 1);
  return 1;
}

static void tw_read_variants(tw_reading_t* r, tw_tile_key_t* key) {
  tw_word_t word = r->rest;
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  key->field = tw_take_variant(r, &kVariants[TW_VARIANT_AT_##ENUM]);
#include "tilewright/variants.def"
  word.length -= r->rest.length;
  if (word.length > 0) --word.length;
  r->parts[TW_NAME_PART_VARIANTS] = word;
}

static int tw_read_isa(tw_reading_t* r, tw_isa_t* isa) {
  for (int i = 0; i < TW_ISA_COUNT; ++i)
    if (tw_is_word(r->rest, &kIsas[i].name)) {
      r->parts[TW_NAME_PART_ISA] = r->rest;
      *isa = (tw_isa_t)i;
      return 1;
    }
  return tw_bad_name(r, TW_NAME_FAULT_UNKNOWN_ISA, TW_NAME_PART_ISA, r->rest);
}

int tw_parse_tile_key(tw_word_t name, tw_word_t prefix, tw_tile_key_t* key,
                      tw_name_fault_t* fault) {
  tw_reading_t r = {.name = name, .rest = name, .fault = fault};
  *key = (tw_tile_key_t){.isa = TW_ISA_GENERIC};
  if (!tw_read_prefix(&r, prefix)) return 0;
  const tw_types_row_t* types = tw_read_types(&r);
  if (!types) return 0;
  key->types = types->value;
  if (!tw_read_size(&r, TW_NAME_PART_M0, 'x', &key->m0, &key->m0_scalable) ||
      !tw_read_size(&r, TW_NAME_PART_N0, 'x', &key->n0, &key->n0_scalable) ||
      !tw_read_size(&r, TW_NAME_PART_K0, '_', &key->k0, 0))
    return 0;
  tw_read_variants(&r, key);
  if (!tw_read_isa(&r, &key->isa)) return 0;
  if (tw_check_key(key, types, fault)) return 1;
  const tw_word_t part = r.parts[fault->part];
  fault->offset = (size_t)(part.at - name.at);
  fault->length = part.length;
  return 0;
}

// ---- Keys to names ----------------------------------------------------------

typedef struct tw_printing_t {
  char* at;
  size_t left;  // characters that `at` has room for
  size_t length;
} tw_printing_t;

static void tw_put(tw_printing_t* p, const char* text, size_t length) {
  p->length += length;
  for (; length > 0 && p->left > 1; --length, --p->left) *p->at++ = *text++;
  if (p->left > 0) *p->at = 0;
}

static void tw_put_row(tw_printing_t* p, const tw_name_row_t* row) {
  tw_put(p, row->text, row->length);
}

static void tw_put_number(tw_printing_t* p, int32_t value) {
  char digits[12];
  char* at = digits + sizeof digits;
  uint32_t v = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
  do {
    *--at = (char)('0' + v % 10);
    v /= 10;
  } while (v);
  if (value < 0) *--at = '-';
  tw_put(p, at, (size_t)(digits + sizeof digits - at));
}

static void tw_put_size(tw_printing_t* p, int32_t value, int scalable) {
  tw_put_number(p, value);
  if (scalable) tw_put_row(p, &kScalable);
}

static void tw_put_sizes(tw_printing_t* p, const tw_tile_key_t* key) {
  tw_put_size(p, key->m0, key->m0_scalable);
  tw_put(p, "x", 1);
  tw_put_size(p, key->n0, key->n0_scalable);
  tw_put(p, "x", 1);
  tw_put_size(p, key->k0, 0);
}

size_t tw_print_tile_sizes(const tw_tile_key_t* key, char* text, size_t size) {
  tw_printing_t p = {text, size, 0};
  tw_put_sizes(&p, key);
  return p.length;
}

size_t tw_print_tile_key(const tw_tile_key_t* key, tw_word_t prefix, char* text,
                         size_t size) {
  tw_printing_t p = {text, size, 0};
  const tw_types_row_t* types = tw_types_of(key->types);
  tw_put(&p, prefix.at, prefix.length);
  tw_put_row(&p, &kOperation);
  if (types) tw_put_row(&p, &types->name);
  tw_put(&p, "_", 1);
  tw_put_sizes(&p, key);
  tw_put(&p, "_", 1);
  const unsigned variants = tw_variants_of(key);
  for (int i = 0; i < TW_VARIANT_COUNT; ++i) {
    if (!(variants >> i & 1)) continue;
    tw_put_row(&p, &kVariants[i]);
    tw_put(&p, "_", 1);
  }
  if ((unsigned)key->isa < TW_ISA_COUNT) tw_put_row(&p, &kIsas[key->isa].name);
  return p.length;
}
