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

static double tw_cost_of(tw_cost_memo_t* memo, const tw_tile_key_t* key,
                         const tw_tile_sizes_t* sizes, int vector_bits,
                         tw_index_t M, tw_index_t N, const uint64_t* cpu_data) {
  return tw_tile_count(M, sizes->M0) * tw_tile_count(N, sizes->N0) *
         tw_step_cost(memo, key, vector_bits, cpu_data);
}

double tw_tile_cost(const tw_tile_key_t* key, int vector_bits, tw_index_t M,
                    tw_index_t N, const uint64_t* cpu_data) {
  tw_cost_memo_t memo = {0};
  const tw_tile_sizes_t sizes = tw_sizes_at(key, vector_bits);
  return tw_cost_of(&memo, key, &sizes, vector_bits, M, N, cpu_data);
}

// Whether a tile is preferred to another one. Tiles of `generic` are C, counted
// in vectors of no CPU: they are for where nothing else runs. Of tiles that
// cost the same, one of the best ISA.
static int tw_is_better(tw_isa_t isa, double cost, tw_isa_t than_isa,
                        double than_cost) {
  if ((isa == TW_ISA_GENERIC) != (than_isa == TW_ISA_GENERIC))
    return than_isa == TW_ISA_GENERIC;
  return cost < than_cost || (cost == than_cost && isa < than_isa);
}

static int tw_choose_for(const tw_tile_keys_t* keys, tw_type_triple_t types,
                         tw_index_t M, tw_index_t N, const uint64_t* cpu_data,
                         size_t* index, tw_tile_sizes_t* sizes) {
  int found = 0;
  double least = 0;
  tw_cost_memo_t memo = {0};
  tw_isa_t isa = TW_ISA_GENERIC;
  for (size_t i = 0; i < keys->count; ++i) {
    tw_tile_key_t key;
    if (!keys->get(keys->self, i, &key) || key.types != (unsigned)types ||
        key.step_rounding || (key.vnni && !keys->with_vnni) ||
        !tw_isa_has_features(key.isa, cpu_data))
      continue;
    const int vector_bits = tw_vector_bits(&key, cpu_data);
    if (vector_bits == 0) continue;
    const tw_tile_sizes_t these = tw_sizes_at(&key, vector_bits);
    const double cost =
        tw_cost_of(&memo, &key, &these, vector_bits, M, N, cpu_data);
    if (found && !tw_is_better(key.isa, cost, isa, least)) continue;
    found = 1;
    least = cost;
    isa = key.isa;
    *index = i;
    *sizes = these;
  }
  return found;
}

int tw_choose_tile(const tw_tile_keys_t* keys, tw_type_triple_t types,
                   tw_index_t M, tw_index_t N, const uint64_t* cpu_data,
                   tw_tile_choice_t* choice) {
  tw_tile_choice_t chosen;
  if (!tw_choose_for(keys, types, M, N, cpu_data, &chosen.index, &chosen.sizes))
    return 0;
  chosen.index_without_core = chosen.index;
  if (tw_core_name(cpu_data)) {
    uint64_t no_core[TW_CPU_DATA_WORDS];
    for (int w = 0; w < TW_CPU_DATA_WORDS; ++w) no_core[w] = cpu_data[w];
    no_core[TW_CPU_WORD_CORE] = 0;
    tw_tile_sizes_t sizes;
    tw_choose_for(keys, types, M, N, no_core, &chosen.index_without_core,
                  &sizes);
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
  const tw_tile_keys_t keys = {tw_tile_row_count(), tw_own_key, &own,
                               with_vnni};
  if (tw_choose_for(&keys, types, M, N, cpu_data, index, sizes))
    return TW_STATUS_OK;
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
  tw_explain_status(
      status, &fault, "The cheapest is ",
      status == TW_STATUS_OK && tw_tile_row(index, &row) ? row.name : "a tile",
      text, size);
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
