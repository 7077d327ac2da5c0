// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the tiles that are linked in runs.

#include "ukernels/select.h"

#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/vector_length.h"

// Whether tile `i`, which has the key `own`, is a candidate for `key`; fills
// all but `cost`.
static int tw_is_candidate(size_t i, const tw_tile_key_t* own,
                           const tw_tile_key_t* key,
                           tw_candidate_t* candidate) {
  if (own->k0 != key->k0 || tw_variants_of(own) != tw_variants_of(key))
    return 0;
  candidate->vector_bits = 0;
  if (!own->m0_scalable && !own->n0_scalable)
    return own->m0 == key->m0 && own->n0 == key->n0 &&
           tw_linked_tile(i, &candidate->linked);
  const tw_tile_sizes_t sizes = {key->m0, key->n0, key->k0};
  candidate->vector_bits = tw_vector_bits_for(own, &sizes);
  return candidate->vector_bits != 0 && tw_linked_tile(i, &candidate->linked);
}

static void tw_weigh(const tw_search_t* search, tw_candidate_t* candidate) {
  const tw_tile_key_t* key = &candidate->linked.key;
  const tw_step_t step = tw_step_of(key, tw_vector_bits(key, search->cpu_data));
  const double rate = tw_core_rate(search->cpu_data, step.instruction);
  candidate->multiply = step.instruction;
  candidate->cost = rate > 0 ? step.multiplies / rate : 0;
}

// One that lacks only the length says more than one that lacks the ISA.
static void tw_note_absent(tw_search_t* search, const tw_candidate_t* c) {
  const tw_candidate_t* absent = &search->absent;
  if (search->missing && (absent->lacks_length > c->lacks_length ||
                          (absent->lacks_length == c->lacks_length &&
                           absent->linked.key.isa <= c->linked.key.isa)))
    return;
  search->missing = 1;
  search->absent = *c;
}

static void tw_consider(tw_search_t* search, size_t i,
                        const tw_tile_key_t* key) {
  tw_candidate_t c;
  if (!tw_is_candidate(i, key, &search->key, &c)) return;
  const tw_isa_t isa = key->isa;
  const int has_isa = tw_isa_available(isa, search->cpu_data);
  c.lacks_length = has_isa && c.vector_bits != 0 &&
                   c.vector_bits != tw_vector_bits(key, search->cpu_data);
  if (!has_isa || c.lacks_length) {
    tw_note_absent(search, &c);
    return;
  }
  c.cost = 0;
  c.multiply = TW_INSTRUCTION_NONE;
  // Costs are for comparing, on a core that is known.
  if (search->cpu_data[TW_CPU_WORD_CORE] != 0) {
    if (search->found == 1) {
      tw_weigh(search, &search->by_isa);
      search->by_cost = search->by_isa;
    }
    if (search->found > 0) tw_weigh(search, &c);
  }
  // ISAs are numbered best first, and hand-written tiles come before generated
  // ones, so the first one with the least ISA wins.
  if (search->found == 0 || isa < search->by_isa.linked.key.isa)
    search->by_isa = c;
  if (search->found == 0 || c.cost < search->by_cost.cost ||
      (c.cost == search->by_cost.cost && isa < search->by_cost.linked.key.isa))
    search->by_cost = c;
  ++search->found;
}

void tw_search_tiles(const tw_mmt4d_params_t* params, const tw_triple_t* types,
                     tw_search_t* search) {
  const uint32_t flags = params->flags;
  const uint8_t value = flags & TW_MMT4D_FLAG_TYPE_MASK;
  const int once = !!(flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS);
  search->key = (tw_tile_key_t){
      .m0 = params->M0,
      .n0 = params->N0,
      .k0 = params->K0,
      .types = value,
      .step_rounding = (uint8_t)(tw_triple_rounds(types) && !once),
      .vnni = (uint8_t)!!(flags & TW_MMT4D_FLAG_RHS_VNNI),
      .isa = TW_ISA_GENERIC};
  search->cpu_data = params->cpu_data;
  if (!search->cpu_data) {
    tw_cpu_data_of_this_cpu(search->this_cpu);
    search->cpu_data = search->this_cpu;
  }
  search->found = search->missing = 0;

  const tw_type_triple_t of = (tw_type_triple_t)value;
  const size_t count = tw_linked_tile_count();
  tw_tile_key_t key;
  for (size_t i = tw_first_tile_of(of, &key); i < count;
       i = tw_next_tile_of(i, of, &key))
    tw_consider(search, i, &key);

  search->best = search->found ? &search->by_isa : 0;
  search->instead_of = 0;
  // Of a cost that is not known (0) no other is quicker; both are known, then.
  if (search->found > 1 && search->by_cost.cost > 0 &&
      search->by_cost.cost < search->by_isa.cost) {
    search->best = &search->by_cost;
    search->instead_of = &search->by_isa;
  }
}
