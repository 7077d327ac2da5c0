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
         a->n0 == b->n0 && a->k0 == b->k0 &&
         tw_variants_of(a) == tw_variants_of(b) &&
         a->m0_scalable == b->m0_scalable && a->n0_scalable == b->n0_scalable;
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
// quarter, and come no quicker than every fourth multiply, or, where L3 is slow
// and more of them come from there, sixth (f32 of 20 rows by 384 x 1536 by five
// rows of tiles of 4x32 takes 1.4 times as long as by two of 12x32, 20 and 28 x
// 4096 x 4096 from memory 1.5 and 1.6 times, 20 x 512 x 512 0.9 to 1.1; Granite
// Rapids).
static double tw_pass(const tw_weighed_t* a, int is_first) {
  return (is_first || a->row > a->from_l2 ? a->row : a->from_l2) +
         a->vectors / 4;
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

void tw_begin_choosing(tw_choosing_t* c, const tw_tile_question_t* question) {
  static const tw_cost_memo_t kNothing = {0};
  c->question = question;
  c->measured =
      tw_find_measured(&question->measured, question->types, question->M);
  // Of vectors without a length there is nothing to compare with.
  if (c->measured &&
      tw_vector_bits(&c->measured->beside, question->cpu_data) == 0)
    c->measured = 0;
  const int is_slow =
      !question->is_near && tw_caches_of(question->cpu_data).slow_l3;
  c->multiplies_a_vector = is_slow ? 6 : 4;
  c->memo = kNothing;
  c->found = 0;
  c->to_mix_count = 0;
}

void tw_weigh_tile(tw_choosing_t* c, size_t index, const tw_tile_key_t* key) {
  const tw_tile_question_t* q = c->question;
  if (key->types != (unsigned)q->types || key->step_rounding ||
      (key->vnni && !q->with_vnni) ||
      !tw_isa_has_features(key->isa, q->cpu_data))
    return;
  const int vector_bits = tw_vector_bits(key, q->cpu_data);
  if (vector_bits == 0) return;
  tw_weighed_t tile = {.index = index, .key = *key};
  tile.sizes = tw_sizes_at(key, vector_bits);
  tile.row = c->measured && tw_is_same_key(&c->measured->tile, key)
                 ? tw_measured_cost(&c->memo, c->measured, &tile.sizes, q->N,
                                    q->cpu_data)
                 : tw_cost_of_row(&c->memo, key, &tile.sizes, vector_bits, q->N,
                                  q->cpu_data);
  tile.vectors = tw_rhs_vectors(q->types, &tile.sizes, vector_bits, q->N);
  tile.from_l2 = c->multiplies_a_vector * tile.vectors;
  tile.rows = tw_tile_count(q->M, tile.sizes.M0);
  if (q->mixes_rows && q->M > 0 && key->isa != TW_ISA_GENERIC &&
      c->to_mix_count < TW_MOST_MIXED)
    c->to_mix[c->to_mix_count++] = tile;
  if (c->found && !tw_is_better(&tile, &c->chosen)) return;
  c->found = 1;
  c->chosen = tile;
}

int tw_end_choosing(const tw_choosing_t* c, tw_tile_choice_t* choice) {
  if (!c->found) return 0;
  choice->index = choice->last = c->chosen.index;
  choice->sizes = c->chosen.sizes;
  tw_mix_rows(c->to_mix, c->to_mix_count, c->question->M, &c->chosen, choice);
  return 1;
}

int tw_choose_tile(const tw_tile_question_t* question,
                   const tw_tile_key_t* keys, size_t count,
                   tw_tile_choice_t* choice) {
  tw_choosing_t choosing;
  tw_begin_choosing(&choosing, question);
  for (size_t i = 0; i < count; ++i) tw_weigh_tile(&choosing, i, &keys[i]);
  return tw_end_choosing(&choosing, choice);
}

// The number of the tile whose sizes are handed out in *index.
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
  tw_measured_tile_t measured;
  const int is_measured = tw_measured_tile_for(cpu_data, types, M, &measured);
  const tw_tile_question_t question = {
      types,     M, N, cpu_data,
      with_vnni, 0, 0, {&measured, is_measured ? 1u : 0u}};
  tw_choosing_t choosing;
  tw_begin_choosing(&choosing, &question);
  const size_t count = tw_linked_tile_count();
  tw_tile_key_t key;
  // A generated tile linked in by mistake may be of another architecture.
  for (size_t i = tw_first_tile_of(types, &key); i < count;
       i = tw_next_tile_of(i, types, &key))
    if (tw_isa_available(key.isa, cpu_data)) tw_weigh_tile(&choosing, i, &key);
  tw_tile_choice_t choice;
  if (tw_end_choosing(&choosing, &choice)) {
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
  tw_linked_tile_t tile;
  // Without a form the status is another one, which analyzers lose sight of.
  if (status == TW_STATUS_OK && form)
    form->flags = tw_linked_tile(index, &tile) && tile.key.vnni
                      ? TW_MMT4D_FLAG_RHS_VNNI
                      : 0;
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
  tw_linked_tile_t tile;
  const int is_known = status == TW_STATUS_OK && tw_linked_tile(index, &tile);
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  tw_measured_tile_t measured;
  const int is_measured = is_known &&
                          tw_measured_tile_for(cpu_data, types, M, &measured) &&
                          tw_is_same_key(&measured.tile, &tile.key);
  tw_explain_status(
      status, &fault,
      is_measured ? "Measured to be the quickest is " : "The cheapest is ",
      is_known ? tile.name : "a tile", text, size);
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
