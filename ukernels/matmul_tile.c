// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile a matmul runs on.

#include <stdatomic.h>

#include "tilewright/contraction.h"
#include "ukernels/cpu.h"
#include "ukernels/generic_tile.h"
#include "ukernels/matmul_plan.h"
#include "ukernels/query.h"
#include "ukernels/registry.h"
#include "ukernels/vector_length.h"

// What types that have no tile of their own are widened to, best first. f64 and
// s32 are as wide as anything.
static const tw_type_triple_t kWideTypes[] = {
    TW_TYPES_S8S8S32, TW_TYPES_S16S16S32, TW_TYPES_F32F32F32};

static int tw_is_float(tw_element_type_t type) {
  switch (type) {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) \
  case TW_ELEMENT_##ENUM:                       \
    return TW_ELEMENT_KIND_##kind == TW_ELEMENT_KIND_FLOAT;
#include "tilewright/element_types.def"
    case TW_ELEMENT_COUNT:
      break;
  }
  return 0;
}

// Whether every value of `from` is one of `to`, one of kWideTypes' operands.
static int tw_widens(tw_element_type_t from, tw_element_type_t to) {
  if (from == to) return 1;
  return tw_is_float(from) == tw_is_float(to) &&
         tw_element_bits(from) < tw_element_bits(to);
}

// The tiles to choose from.
typedef struct tw_matmul_keys_t {
  tw_type_triple_t value;
  const uint64_t* cpu_data;
  const tw_prepacked_t* panels;
  int is_near;  // of tw_tile_question_t
} tw_matmul_keys_t;

static int tw_is_vnni(const tw_prepacked_t* panels) {
  return panels->layout == TW_PREPACKED_LAYOUT_VNNI;
}

static int tw_is_matmul_key(const tw_matmul_keys_t* keys,
                            const tw_tile_key_t* key) {
  if (key->step_rounding || !tw_isa_available(key->isa, keys->cpu_data))
    return 0;
  const int vector_bits = tw_vector_bits(key, keys->cpu_data);
  if (vector_bits == 0) return 0;
  const tw_tile_sizes_t sizes = tw_sizes_at(key, vector_bits);
  return sizes.M0 <= TW_MATMUL_MOST_TILE_ROWS &&
         sizes.N0 <= TW_MATMUL_MOST_TILE_ROWS &&
         (tw_index_t)sizes.M0 * sizes.N0 <= TW_MATMUL_MOST_TILE_ELEMENTS &&
         (tw_index_t)sizes.M0 * sizes.K0 <= TW_MATMUL_MOST_STEP_ELEMENTS &&
         (tw_index_t)sizes.N0 * sizes.K0 <= TW_MATMUL_MOST_STEP_ELEMENTS &&
         (!keys->panels ||
          (keys->panels->N0 == sizes.N0 && keys->panels->K0 == sizes.K0 &&
           tw_is_vnni(keys->panels) == key->vnni));
}

static int tw_matmul_key(const tw_matmul_keys_t* keys, size_t i,
                         tw_tile_key_t* key) {
  return tw_tile_key_of(i, keys->value, key) && tw_is_matmul_key(keys, key);
}

// ---- What was chosen before -------------------------------------------------
//
// Weighing the rows takes a microsecond or two, as long as a small matmul. So
// the choice is remembered, in words that threads share without locks: the
// numbers of both rows and 32 bits of a hash of all that it depends on. What
// comes out of it is checked like any row, so of two questions with one hash
// the second gets tiles that are right, if not the quickest. A question has two
// slots, the one that was chosen last in the first: a matmul of bytes asks
// twice, and would else ask in vain where both have one (s8 128 cubed three
// times as long).

enum {
  kRemembered = 64,
  kSlots = 2,
  kRowBits = 16,
  kRowMask = (1 << kRowBits) - 1
};

// Rows of the registry: of most tiles and of those of the last rows of M.
typedef struct tw_matmul_rows_t {
  size_t index, last;
} tw_matmul_rows_t;

static tw_tile_sizes_t tw_key_sizes(const tw_tile_key_t* key,
                                    const uint64_t* cpu_data) {
  return tw_sizes_at(key, tw_vector_bits(key, cpu_data));
}

// Whether both are tiles to choose from, and what the first one leaves of M
// rows can be left to the last one.
static int tw_goes_with(const tw_matmul_keys_t* self,
                        const tw_matmul_rows_t* rows, tw_index_t M) {
  const size_t count = tw_linked_tile_count();
  tw_tile_key_t key, last;
  if (rows->index >= count || rows->last >= count ||
      !tw_matmul_key(self, rows->index, &key))
    return 0;
  if (rows->index == rows->last) return 1;
  if (!tw_matmul_key(self, rows->last, &last)) return 0;
  const tw_tile_sizes_t a = tw_key_sizes(&key, self->cpu_data);
  const tw_tile_sizes_t b = tw_key_sizes(&last, self->cpu_data);
  return tw_have_same_panels(&key, &a, &last, &b) && M > a.M0 &&
         M % a.M0 != 0 && M % a.M0 <= b.M0 && b.M0 < a.M0;
}

static tw_matmul_body_t tw_body_of(const tw_linked_tile_t* linked,
                                   const uint64_t* cpu_data) {
  const tw_tile_sizes_t sizes = tw_key_sizes(&linked->key, cpu_data);
  const tw_in_place_fn_t in_place =
      linked->origin != TW_TILE_ORIGIN_HAND_WRITTEN || linked->key.step_rounding
          ? 0
          : tw_in_place_tile(linked->key.isa,
                             (tw_type_triple_t)linked->key.types, sizes.M0,
                             sizes.N0);
  const tw_matmul_body_t body = {linked->fn, 0, in_place, sizes.M0,
                                 linked->name};
  return body;
}

static uint64_t tw_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t tw_hash_question(const tw_matmul_keys_t* keys, tw_index_t M,
                                 tw_index_t N) {
  uint64_t hash = tw_mix((uint64_t)keys->value, (uint64_t)M);
  hash = tw_mix(hash, (uint64_t)keys->is_near);
  hash = tw_mix(hash, (uint64_t)N);
  if (keys->panels)
    hash = tw_mix(hash, (uint64_t)keys->panels->N0 << 32 |
                            (uint64_t)keys->panels->layout << 16 |
                            (uint64_t)keys->panels->K0);
  for (int w = 0; w < TW_CPU_DATA_WORDS; ++w)
    hash = tw_mix(hash, keys->cpu_data[w]);
  return hash;
}

static int tw_weigh_rows(const tw_matmul_keys_t* self, tw_index_t M,
                         tw_index_t N, tw_tile_choice_t* choice) {
  tw_measured_tile_t measured;
  const int is_measured =
      tw_measured_tile_for(self->cpu_data, self->value, M, &measured);
  const tw_tile_question_t question = {self->value,
                                       M,
                                       N,
                                       self->cpu_data,
                                       1,
                                       1,
                                       self->is_near,
                                       {&measured, is_measured ? 1u : 0u}};
  tw_choosing_t choosing;
  tw_begin_choosing(&choosing, &question);
  const size_t count = tw_linked_tile_count();
  tw_tile_key_t key;
  for (size_t i = tw_first_tile_of(self->value, &key); i < count;
       i = tw_next_tile_of(i, self->value, &key))
    if (tw_is_matmul_key(self, &key)) tw_weigh_tile(&choosing, i, &key);
  return tw_end_choosing(&choosing, choice);
}

// Those that `word` says, if it is of this question.
static int tw_remember(const tw_matmul_keys_t* self, tw_index_t M,
                       uint64_t hash, uint64_t word, tw_matmul_rows_t* rows) {
  // Numbers are stored plus one: 0 is an empty slot.
  rows->index = (size_t)(word & kRowMask) - 1;
  rows->last = (size_t)(word >> kRowBits & kRowMask) - 1;
  return word != 0 && word >> 2 * kRowBits == hash >> 2 * kRowBits &&
         tw_goes_with(self, rows, M);
}

// The numbers of the cheapest rows; 0 if there is none.
static int tw_choose_rows(const tw_matmul_keys_t* self, tw_index_t M,
                          tw_index_t N, tw_matmul_rows_t* rows) {
  static _Atomic(uint64_t) known[kRemembered][kSlots];
  const uint64_t hash = tw_hash_question(self, M, N);
  _Atomic(uint64_t)* slots = known[hash % kRemembered];
  for (int i = 0; i < kSlots; ++i)
    if (tw_remember(self, M, hash,
                    atomic_load_explicit(&slots[i], memory_order_relaxed),
                    rows))
      return 1;
  tw_tile_choice_t choice;
  if (!tw_weigh_rows(self, M, N, &choice)) return 0;
  rows->index = choice.index;
  rows->last = choice.last;
  if (rows->index >= kRowMask || rows->last >= kRowMask) return 1;
  atomic_store_explicit(&slots[1],
                        atomic_load_explicit(&slots[0], memory_order_relaxed),
                        memory_order_relaxed);
  atomic_store_explicit(&slots[0],
                        hash >> 2 * kRowBits << 2 * kRowBits |
                            (uint64_t)(rows->last + 1) << kRowBits |
                            (uint64_t)(rows->index + 1),
                        memory_order_relaxed);
  return 1;
}

// Whether the rhs is so small a part of L2 that it stays there.
static int tw_is_near(tw_type_triple_t value, const tw_matmul_question_t* q) {
  tw_triple_t types;
  if (!tw_triple_of(value, &types)) return 0;
  const tw_index_t most = q->caches->l2 / 2 * 8 / tw_element_bits(types.rhs);
  return q->K == 0 || q->N <= most / q->K;
}

static int tw_choose_of(tw_type_triple_t value, const tw_matmul_question_t* q,
                        tw_matmul_tile_t* tile) {
  const uint64_t* cpu_data = q->cpu_data;
  const tw_matmul_keys_t self = {value, cpu_data, q->panels,
                                 tw_is_near(value, q)};
  tw_matmul_rows_t rows;
  tw_linked_tile_t linked, last;
  if (!tw_choose_rows(&self, q->M, q->N, &rows) ||
      !tw_linked_tile(rows.index, &linked) || !tw_linked_tile(rows.last, &last))
    return 0;
  tile->value = value;
  tile->sizes = tw_key_sizes(&linked.key, cpu_data);
  tile->body = tw_body_of(&linked, cpu_data);
  tile->last = tw_body_of(&last, cpu_data);
  tile->resign = 0;
  tile->zip_groups = tw_zip_groups_for(cpu_data);
  tile->vnni = linked.key.vnni;
  tile->isa = linked.key.isa;
  return tw_triple_of(value, &tile->types);
}

static int tw_takes(const tw_prepacked_t* panels, tw_type_triple_t types) {
  return !panels || panels->tile_types == (uint32_t)types;
}

// Whether so much is multiplied that flipping and adding up the operands is
// quicker than what tiles for bytes of one sign do instead: from cubes of
// between 100 and 112 on (Zen 5). M of -1, to prepack: for most M.
static int tw_is_worth_flipping(tw_index_t M, tw_index_t N, tw_index_t K) {
  const double rhs = (double)N * (double)K;
  return M < 0 ? rhs >= 1 << 14 : (double)M * rhs >= 1 << 20;
}

static void tw_resign_body(const tw_matmul_tile_t* tile,
                           tw_matmul_body_t* body) {
  body->resign_fn = tile->resign->tile(body->M0, tile->sizes.N0,
                                       tile->types.lhs == TW_ELEMENT_S8);
}

// The tile for `value`, or the one that takes the rhs with flipped top bits: of
// the same instruction set where that is quicker, or where there is none for
// bytes of one sign.
static int tw_choose_signed(tw_type_triple_t value,
                            const tw_matmul_question_t* q,
                            tw_matmul_tile_t* tile) {
  const int found = tw_takes(q->panels, value) && tw_choose_of(value, q, tile);
  tw_type_triple_t mixed;
  tw_matmul_tile_t other;
  if (!tw_resigned_types(value, &mixed) || !tw_takes(q->panels, mixed) ||
      (found && !tw_is_worth_flipping(q->M, q->N, q->K)) ||
      !tw_choose_of(mixed, q, &other))
    return found;
  other.resign = tw_resign_for(other.isa);
  if (!other.resign || (found && tile->isa != other.isa) ||
      other.sizes.K0 != TW_RESIGN_K0 || other.sizes.M0 > other.resign->lanes ||
      other.sizes.N0 % other.resign->lanes != 0)
    return found;
  *tile = other;
  tw_resign_body(tile, &tile->body);
  tw_resign_body(tile, &tile->last);
  return 1;
}

// The triple of `types` with the accumulator's type as its out type: there is
// one for each.
static tw_type_triple_t tw_accumulating(tw_type_triple_t value,
                                        const tw_triple_t* types) {
  if (!tw_triple_rounds(types)) return value;
  for (unsigned each = 1; each <= TW_MMT4D_FLAG_TYPE_MASK; ++each) {
    tw_triple_t triple;
    if (tw_triple_of(each, &triple) && triple.lhs == types->lhs &&
        triple.rhs == types->rhs && !tw_triple_rounds(&triple))
      return (tw_type_triple_t)each;
  }
  return value;
}

int tw_choose_matmul_tile(tw_type_triple_t value, const tw_matmul_question_t* q,
                          int fallback, tw_matmul_tile_t* tile) {
  const tw_prepacked_t* panels = q->panels;
  tw_triple_t types;
  if (!tw_triple_of(value, &types)) return 0;
  const tw_type_triple_t own = tw_accumulating(value, &types);
  if (tw_choose_signed(own, q, tile)) return 1;
  for (size_t i = 0; i < sizeof kWideTypes / sizeof kWideTypes[0]; ++i) {
    tw_triple_t wide;
    if (tw_triple_of(kWideTypes[i], &wide) && tw_widens(types.lhs, wide.lhs) &&
        tw_widens(types.rhs, wide.rhs) &&
        tw_choose_signed(kWideTypes[i], q, tile))
      return 1;
  }
  // Its tile is of any sizes; these fill whole bytes with every type.
  if (!fallback || !tw_takes(panels, own)) return 0;
  tile->value = own;
  tile->sizes.M0 = 8;
  tile->sizes.N0 = panels ? panels->N0 : 16;
  tile->sizes.K0 = panels ? panels->K0 : 1;
  tile->body = (tw_matmul_body_t){tw_mmt4d_generic_tile, 0, 0, tile->sizes.M0,
                                  "generic"};
  tile->last = tile->body;
  tile->resign = 0;
  tile->zip_groups = tw_zip_groups_for(q->cpu_data);
  tile->vnni = panels && tw_is_vnni(panels);
  tile->isa = TW_ISA_GENERIC;
  return tw_triple_of(own, &tile->types);
}
