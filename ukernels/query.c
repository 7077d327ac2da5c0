// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile sizes suit a matmul: the cheapest of the tiles that can run.

#include "ukernels/query.h"

#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/fault.h"
#include "ukernels/registry.h"
#include "ukernels/vector_length.h"

// What is looked up for one tile and holds for the next: most have the same
// instruction. Begins as {0}.
typedef struct tw_cost_memo_t {
  tw_step_memo_t step;
  tw_multiply_t instruction;
  double rate;  // of it, on the one cpu_data that is asked for
} tw_cost_memo_t;

// Cost of one K step of a tile, divided by the elements of K that it covers.
// The multiply-accumulates bound wide tiles, each as long as the core takes for
// it. The loads mostly run beside them and cost a quarter of one each: that
// orders tiles of equal arithmetic by what they reuse (12x32 before 16x16
// before 8x16).
static double tw_step_cost(tw_cost_memo_t* memo, const tw_tile_key_t* key,
                           int vector_bits, const uint64_t* cpu_data) {
  const tw_step_t step = tw_next_step(&memo->step, key, vector_bits);
  if (step.instruction != memo->instruction) {
    memo->instruction = step.instruction;
    memo->rate = tw_core_rate(cpu_data, step.instruction);
  }
  const double rate = memo->rate > 0 ? memo->rate : 1;
  return (step.multiplies / rate + step.loads / 4) / key->k0;
}

// Tiles of `size` that cover `extent`; for an unknown extent, per element.
static double tw_tile_count(tw_index_t extent, int32_t size) {
  if (extent < 0) return 1.0 / size;
  const tw_index_t tiles = extent / size + (extent % size != 0);
  return (double)tiles;
}

// Of one row of tiles.
static double tw_cost_of_row(tw_cost_memo_t* memo, const tw_tile_key_t* key,
                             const tw_tile_sizes_t* sizes, int vector_bits,
                             tw_index_t N, const uint64_t* cpu_data) {
  return tw_tile_count(N, sizes->N0) *
         tw_step_cost(memo, key, vector_bits, cpu_data);
}

double tw_tile_cost(const tw_tile_key_t* key, int vector_bits, tw_index_t M,
                    tw_index_t N, const uint64_t* cpu_data) {
  tw_cost_memo_t memo = {0};
  const tw_tile_sizes_t sizes = tw_sizes_at(key, vector_bits);
  return tw_tile_count(M, sizes.M0) *
         tw_cost_of_row(&memo, key, &sizes, vector_bits, N, cpu_data);
}

// The measurement for a question; there is at most one.
static const tw_measured_tile_t* tw_find_measured(
    const tw_measured_tiles_t* measured, tw_type_triple_t types, tw_index_t M) {
  const tw_rows_t rows = tw_rows_of(M);
  for (size_t i = 0; i < measured->count; ++i)
    if (measured->tiles[i].rows == rows &&
        measured->tiles[i].tile.types == (unsigned)types)
      return &measured->tiles[i];
  return 0;
}

static int tw_is_same_key(const tw_tile_key_t* a, const tw_tile_key_t* b) {
  return a->types == b->types && a->isa == b->isa && a->m0 == b->m0 &&
         a->n0 == b->n0 && a->k0 == b->k0 && a->vnni == b->vnni &&
         a->step_rounding == b->step_rounding &&
         a->m0_scalable == b->m0_scalable && a->n0_scalable == b->n0_scalable;
}

const tw_measured_tile_t* tw_measured_tile_of(
    const tw_measured_tiles_t* measured, const tw_tile_key_t* key,
    tw_index_t M) {
  const tw_measured_tile_t* it =
      tw_find_measured(measured, (tw_type_triple_t)key->types, M);
  return it && tw_is_same_key(&it->tile, key) ? it : 0;
}

// The cost of one row of measured tiles of `sizes`: the cost that the tile
// beside it has for as many multiply-adds, by the ratio of their times. So it
// is weighed in the unit of those that were not measured, with what padding M
// and N costs.
static double tw_measured_cost(tw_cost_memo_t* memo,
                               const tw_measured_tile_t* measured,
                               const tw_tile_sizes_t* sizes, tw_index_t N,
                               const uint64_t* cpu_data) {
  const tw_tile_key_t* beside = &measured->beside;
  const int vector_bits = tw_vector_bits(beside, cpu_data);
  const tw_tile_sizes_t its = tw_sizes_at(beside, vector_bits);
  const double by_area =
      (double)sizes->M0 * sizes->N0 / ((double)its.M0 * its.N0);
  return tw_tile_count(N, sizes->N0) *
         tw_step_cost(memo, beside, vector_bits, cpu_data) * by_area *
         measured->per_mille / 1000;
}

// Vectors of the rhs that a row of tiles loads for an element of K.
static double tw_rhs_vectors(tw_type_triple_t types,
                             const tw_tile_sizes_t* sizes, int vector_bits,
                             tw_index_t N) {
  tw_triple_t triple;
  if (!tw_triple_of(types, &triple)) return 0;
  return tw_tile_count(N, sizes->N0) * sizes->N0 * tw_element_bits(triple.rhs) /
         vector_bits;
}

// A tile that can run, weighed.
typedef struct tw_weighed_t {
  size_t index;
  tw_tile_key_t key;
  tw_tile_sizes_t sizes;
  double row;      // the cost of one row of tiles
  double vectors;  // tw_rhs_vectors
  double rows;     // of tiles
} tw_weighed_t;

int tw_have_same_panels(const tw_tile_key_t* a, const tw_tile_sizes_t* a_sizes,
                        const tw_tile_key_t* b,
                        const tw_tile_sizes_t* b_sizes) {
  return a->isa == b->isa && a->vnni == b->vnni && a_sizes->N0 == b_sizes->N0 &&
         a_sizes->K0 == b_sizes->K0;
}

static int tw_share_panels(const tw_weighed_t* a, const tw_weighed_t* b) {
  return tw_have_same_panels(&a->key, &a->sizes, &b->key, &b->sizes);
}

static double tw_cost(const tw_weighed_t* a) { return a->rows * a->row; }

// The cost of a row of tiles among others with the same panels of the rhs,
// which those behind the first have from L2: vectors cost a half then, not a
// quarter, and come no quicker than every fourth multiply.
static double tw_pass(const tw_weighed_t* a, int is_first) {
  const double l2 = is_first ? 0 : 4 * a->vectors;
  return (a->row > l2 ? a->row : l2) + a->vectors / 4;
}

// Of `rows` rows of tiles, or, of an unknown M, of a part of one.
static double tw_passes(const tw_weighed_t* a, double rows) {
  if (rows < 1) return rows * tw_pass(a, 0);
  return tw_pass(a, 1) + (rows - 1) * tw_pass(a, 0);
}

// Whether `a` is preferred to `b`. Tiles of `generic` are C, counted in vectors
// of no CPU: they are for where nothing else runs. Of tiles with the same
// panels, those of fewer rows pass over the rhs more often. Of tiles that cost
// the same, one of the best ISA.
static int tw_is_better(const tw_weighed_t* a, const tw_weighed_t* b) {
  if ((a->key.isa == TW_ISA_GENERIC) != (b->key.isa == TW_ISA_GENERIC))
    return b->key.isa == TW_ISA_GENERIC;
  if (tw_share_panels(a, b))
    return tw_passes(a, a->rows) < tw_passes(b, b->rows);
  const double cost = tw_cost(a), than = tw_cost(b);
  return cost < than || (cost == than && a->key.isa < b->key.isa);
}

// Those to mix rows of: as many rows as a triple has on one CPU, by far. Of
// more the later ones have their tiles to themselves.
enum { TW_MOST_MIXED = 128 };

// Of all tiles and a smaller one for the rows left over, the cheapest two, if
// they are cheaper than `chosen`, or as cheap and of more rows: their first
// pass over the rhs, which brings it from memory, multiplies more.
static void tw_mix_rows(const tw_weighed_t* all, size_t count, tw_index_t M,
                        const tw_weighed_t* chosen, tw_tile_choice_t* choice) {
  const double kRounding = 1e-9;
  double least = tw_passes(chosen, chosen->rows);
  for (size_t i = 0; i < count; ++i) {
    const tw_weighed_t* tile = &all[i];
    const tw_index_t whole = M / tile->sizes.M0, rest = M % tile->sizes.M0;
    if (whole == 0 || rest == 0) continue;
    for (size_t j = 0; j < count; ++j) {
      const tw_weighed_t* last = &all[j];
      if (!tw_share_panels(tile, last) || last->sizes.M0 >= tile->sizes.M0 ||
          last->sizes.M0 < rest)
        continue;
      const double cost = tw_passes(tile, (double)whole) + tw_pass(last, 0);
      const int ties =
          cost <= least * (1 + kRounding) && tile->sizes.M0 > choice->sizes.M0;
      if (!ties && cost >= least * (1 - kRounding)) continue;
      least = cost;
      choice->index = tile->index;
      choice->sizes = tile->sizes;
      choice->last = last->index;
    }
  }
}

static int tw_choose_for(const tw_tile_keys_t* keys, tw_type_triple_t types,
                         tw_index_t M, tw_index_t N, const uint64_t* cpu_data,
                         tw_tile_choice_t* choice) {
  tw_cost_memo_t memo = {0};
  const tw_measured_tile_t* measured =
      tw_find_measured(&keys->measured, types, M);
  // Of vectors without a length there is nothing to compare with.
  if (measured && tw_vector_bits(&measured->beside, cpu_data) == 0)
    measured = 0;
  const int mixes = keys->mixes_rows && M > 0;
  tw_weighed_t to_mix[TW_MOST_MIXED], chosen = {0};
  size_t count = 0;
  int found = 0;
  for (size_t i = 0; i < keys->count; ++i) {
    tw_weighed_t tile = {.index = i};
    const tw_tile_key_t* key = &tile.key;
    if (!keys->get(keys->self, i, &tile.key) || key->types != (unsigned)types ||
        key->step_rounding || (key->vnni && !keys->with_vnni) ||
        !tw_isa_has_features(key->isa, cpu_data))
      continue;
    const int vector_bits = tw_vector_bits(key, cpu_data);
    if (vector_bits == 0) continue;
    tile.sizes = tw_sizes_at(key, vector_bits);
    tile.row =
        measured && tw_is_same_key(&measured->tile, key)
            ? tw_measured_cost(&memo, measured, &tile.sizes, N, cpu_data)
            : tw_cost_of_row(&memo, key, &tile.sizes, vector_bits, N, cpu_data);
    tile.vectors = tw_rhs_vectors(types, &tile.sizes, vector_bits, N);
    tile.rows = tw_tile_count(M, tile.sizes.M0);
    if (mixes && key->isa != TW_ISA_GENERIC && count < TW_MOST_MIXED)
      to_mix[count++] = tile;
    if (found && !tw_is_better(&tile, &chosen)) continue;
    found = 1;
    chosen = tile;
  }
  if (!found) return 0;
  choice->index = choice->last = chosen.index;
  choice->sizes = chosen.sizes;
  tw_mix_rows(to_mix, count, M, &chosen, choice);
  return 1;
}

int tw_choose_tile(const tw_tile_keys_t* keys, tw_type_triple_t types,
                   tw_index_t M, tw_index_t N, const uint64_t* cpu_data,
                   tw_tile_choice_t* choice) {
  tw_tile_choice_t chosen;
  if (!tw_choose_for(keys, types, M, N, cpu_data, &chosen)) return 0;
  chosen.index_without_core = chosen.index;
  if (tw_core_name(cpu_data)) {
    uint64_t no_core[TW_CPU_DATA_WORDS];
    for (int w = 0; w < TW_CPU_DATA_WORDS; ++w) no_core[w] = cpu_data[w];
    no_core[TW_CPU_WORD_CORE] = 0;
    tw_tile_keys_t unmeasured = *keys;
    unmeasured.measured.count = 0;
    tw_tile_choice_t other;
    if (tw_choose_for(&unmeasured, types, M, N, no_core, &other))
      chosen.index_without_core = other.index;
  }
  *choice = chosen;
  return 1;
}

// A generated tile linked in by mistake may be of another architecture.
typedef struct tw_own_keys_t {
  tw_type_triple_t types;
  const uint64_t* cpu_data;
} tw_own_keys_t;

static int tw_own_key(const void* self, size_t i, tw_tile_key_t* key) {
  const tw_own_keys_t* own = (const tw_own_keys_t*)self;
  return tw_tile_key_of(i, own->types, key) &&
         tw_isa_available(key->isa, own->cpu_data);
}

// The row of the tile whose sizes are handed out in *index.
static tw_status_t tw_query_row(tw_type_triple_t types, tw_index_t M,
                                tw_index_t N, const uint64_t* cpu_data,
                                int with_vnni, tw_tile_sizes_t* sizes,
                                size_t* index, tw_fault_t* fault) {
  tw_triple_t triple;
  if (!sizes)
    return tw_bad_pointer(fault, with_vnni ? "form" : "sizes",
                          "a struct to fill");
  if (!tw_triple_of(types, &triple))
    return tw_bad_number(fault, "types", (tw_index_t)types,
                         "the value of a row of type_triples.def");
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  const tw_own_keys_t own = {types, cpu_data};
  const tw_tile_keys_t keys = {
      tw_tile_row_count(), tw_own_key, &own,
      with_vnni,           0,          tw_measured_tiles_on(cpu_data)};
  tw_tile_choice_t choice;
  if (tw_choose_for(&keys, types, M, N, cpu_data, &choice)) {
    *index = choice.index;
    *sizes = choice.sizes;
    return TW_STATUS_OK;
  }
  tw_bad_number(fault, "types", (tw_index_t)types,
                "one for which a tile is linked in that cpu_data can run; link "
                "a generated one, or take any sizes with "
                "ALLOW_GENERIC_FALLBACK");
  return TW_STATUS_UNSUPPORTED;
}

tw_status_t tw_query_tile_sizes(tw_type_triple_t types, tw_index_t M,
                                tw_index_t N, const uint64_t* cpu_data,
                                tw_tile_sizes_t* sizes) {
  size_t index;
  return tw_query_row(types, M, N, cpu_data, 0, sizes, &index, 0);
}

tw_status_t tw_query_tile_form(tw_type_triple_t types, tw_index_t M,
                               tw_index_t N, const uint64_t* cpu_data,
                               tw_tile_form_t* form) {
  size_t index;
  const tw_status_t status = tw_query_row(types, M, N, cpu_data, 1,
                                          form ? &form->sizes : 0, &index, 0);
  tw_tile_row_t row;
  if (status == TW_STATUS_OK)
    form->flags =
        tw_tile_row(index, &row) && row.key.vnni ? TW_MMT4D_FLAG_RHS_VNNI : 0;
  return status;
}

// `answer`: what would be filled, and is not.
static tw_status_t tw_explain_query(tw_type_triple_t types, tw_index_t M,
                                    tw_index_t N, const uint64_t* cpu_data,
                                    int with_vnni, const void* answer,
                                    char* text, size_t size) {
  tw_tile_sizes_t chosen;
  size_t index = 0;
  tw_fault_t fault;
  const tw_status_t status = tw_query_row(types, M, N, cpu_data, with_vnni,
                                          answer ? &chosen : 0, &index, &fault);
  tw_tile_row_t row;
  const int is_known = status == TW_STATUS_OK && tw_tile_row(index, &row);
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  const tw_measured_tiles_t measured = tw_measured_tiles_on(cpu_data);
  tw_explain_status(status, &fault,
                    is_known && tw_measured_tile_of(&measured, &row.key, M)
                        ? "Measured to be the quickest is "
                        : "The cheapest is ",
                    is_known ? row.name : "a tile", text, size);
  return status;
}

tw_status_t tw_query_tile_sizes_explain(tw_type_triple_t types, tw_index_t M,
                                        tw_index_t N, const uint64_t* cpu_data,
                                        const tw_tile_sizes_t* sizes,
                                        char* text, size_t size) {
  return tw_explain_query(types, M, N, cpu_data, 0, sizes, text, size);
}

tw_status_t tw_query_tile_form_explain(tw_type_triple_t types, tw_index_t M,
                                       tw_index_t N, const uint64_t* cpu_data,
                                       const tw_tile_form_t* form, char* text,
                                       size_t size) {
  return tw_explain_query(types, M, N, cpu_data, 1, form, text, size);
}
