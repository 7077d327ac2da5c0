// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_find_tile.

#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/generic_tile.h"
#include "ukernels/multiply.h"
#include "ukernels/registry.h"
#include "ukernels/vector_length.h"

// A row that has the types and, for some vector length, the sizes asked for.
typedef struct tw_candidate_t {
  tw_tile_row_t row;
  int vector_bits;  // the length for scalable sizes, 0 for fixed ones
  // 1 if cpu_data has all but that vector length.
  int lacks_length;
  // Of its multiplies on the core of cpu_data; 0 if not known.
  double cost;
  tw_multiply_t multiply;
} tw_candidate_t;

typedef struct tw_search_t {
  tw_tile_key_t key;  // without ISA
  const uint64_t* cpu_data;
  int found, missing, unrated;
  // The best of those that can run by ISA and by cost, and of the others.
  tw_candidate_t by_isa, by_cost, absent;
} tw_search_t;

// Whether `row` is a candidate for `key`; fills all but `cost`.
static int tw_is_candidate(const tw_tile_row_t* row, const tw_tile_key_t* key,
                           tw_candidate_t* candidate) {
  if (row->key.types != key->types || row->key.k0 != key->k0 ||
      row->key.step_rounding != key->step_rounding)
    return 0;
  candidate->row = *row;
  candidate->vector_bits = 0;
  if (!row->key.m0_scalable && !row->key.n0_scalable)
    return row->key.m0 == key->m0 && row->key.n0 == key->n0;
  const tw_tile_sizes_t sizes = {key->m0, key->n0, key->k0};
  candidate->vector_bits = tw_vector_bits_for(&row->key, &sizes);
  return candidate->vector_bits != 0;
}

static void tw_weigh(const tw_search_t* search, tw_candidate_t* candidate) {
  const tw_tile_key_t* key = &candidate->row.key;
  const tw_step_t step = tw_step_of(key, tw_vector_bits(key, search->cpu_data));
  const double rate = tw_core_rate(search->cpu_data, step.instruction);
  candidate->multiply = step.instruction;
  candidate->cost = rate > 0 ? step.multiplies / rate : 0;
}

static void tw_search_rows(tw_search_t* search) {
  const size_t count = tw_tile_row_count();
  for (size_t i = 0; i < count; ++i) {
    tw_tile_row_t row;
    tw_candidate_t c;
    if (!tw_tile_row(i, &row) || !tw_is_candidate(&row, &search->key, &c))
      continue;
    const tw_isa_t isa = row.key.isa;
    const int has_isa = tw_isa_available(isa, search->cpu_data);
    c.lacks_length =
        has_isa && c.vector_bits != 0 &&
        c.vector_bits != tw_vector_bits(&row.key, search->cpu_data);
    if (!has_isa || c.lacks_length) {
      // One that lacks only the length says more than one that lacks the ISA.
      const tw_candidate_t* absent = &search->absent;
      if (search->missing && (absent->lacks_length > c.lacks_length ||
                              (absent->lacks_length == c.lacks_length &&
                               absent->row.key.isa <= isa)))
        continue;
      search->missing = 1;
      search->absent = c;
      continue;
    }
    tw_weigh(search, &c);
    if (c.cost == 0) search->unrated = 1;
    // ISAs are numbered best first, and hand-written rows come before generated
    // ones, so the first row with the least ISA wins.
    if (!search->found || isa < search->by_isa.row.key.isa) search->by_isa = c;
    if (!search->found || c.cost < search->by_cost.cost ||
        (c.cost == search->by_cost.cost && isa < search->by_cost.row.key.isa))
      search->by_cost = c;
    search->found = 1;
  }
}

static void tw_explain_found(const tw_candidate_t* found,
                             const tw_candidate_t* instead_of,
                             const uint64_t* cpu_data, tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, found->row.origin == TW_TILE_ORIGIN_HAND_WRITTEN
                         ? "Hand-written, for "
                         : "Generated, for ");
  tw_text_add(&text, tw_isa_name(found->row.key.isa));
  if (found->vector_bits) {
    tw_text_add(&text, " with ");
    tw_text_add_number(&text, found->vector_bits);
    tw_text_add(&text, "-bit vectors");
  }
  if (!instead_of) {
    tw_text_add(&text,
                ", the best instruction set in cpu_data for which this tile is "
                "linked in.");
    return;
  }
  tw_text_add(&text, ": ");
  tw_text_add(&text, tw_core_name(cpu_data));
  tw_text_add(&text, " is quicker with its `");
  tw_text_add(&text, tw_multiply_name(found->multiply));
  tw_text_add(&text, "` than with the `");
  tw_text_add(&text, tw_multiply_name(instead_of->multiply));
  tw_text_add(&text, "` of ");
  tw_text_add(&text, tw_isa_name(instead_of->row.key.isa));
  tw_text_add(&text, ".");
}

// `missing`: the best row for the key that cpu_data cannot run, or null.
static void tw_explain_missing(const tw_tile_key_t* key,
                               const tw_candidate_t* missing,
                               const uint64_t* cpu_data, int fallback,
                               tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, fallback ? "The portable fallback, as " : "No ");
  tw_text_add_key(&text, key);
  if (!missing) {
    tw_text_add(&text, fallback ? " is linked in for no instruction set."
                                : " is linked in for any instruction set.");
    return;
  }
  tw_text_add(&text, fallback ? " needs " : " that can run: it needs ");
  if (!missing->lacks_length) {
    tw_text_add(&text, tw_isa_name(missing->row.key.isa));
    tw_text_add(&text, ", which cpu_data lacks.");
    return;
  }
  const int bits = tw_vector_bits(&missing->row.key, cpu_data);
  tw_text_add_number(&text, missing->vector_bits);
  tw_text_add(&text, "-bit vectors, for ");
  tw_text_add_sizes(&text, &missing->row.key);
  tw_text_add(&text, " of ");
  tw_text_add(&text, tw_isa_name(missing->row.key.isa));
  tw_text_add(&text, "; cpu_data says ");
  if (bits)
    tw_text_add_number(&text, bits);
  else
    tw_text_add(&text, "no length");
  tw_text_add(&text, ".");
}

static void tw_explain_invalid(const char* why, tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, why);
}

tw_status_t tw_find_tile(const tw_mmt4d_params_t* params,
                         tw_tile_info_t* info) {
  if (!info) return TW_STATUS_INVALID_ARGUMENT;
  info->fn = 0;
  info->origin = TW_TILE_ORIGIN_NONE;
  info->isa = TW_ISA_GENERIC;
  info->name = "";
  if (!params) {
    tw_explain_invalid("params is null.", info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  if (params->flags & ~(uint32_t)TW_MMT4D_FLAG_ALL) {
    tw_explain_invalid("params->flags has a bit that no flag of tile.h has.",
                       info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  const unsigned types = params->flags & TW_MMT4D_FLAG_TYPE_MASK;
  tw_triple_t triple;
  if (!tw_triple_of(types, &triple)) {
    tw_explain_invalid(
        "The low byte of params->flags is no row of type_triples.def.", info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  tw_status_t status =
      tw_validate_tile_sizes(types, params->M0, params->N0, params->K0);
  if (status != TW_STATUS_OK) {
    tw_explain_invalid(
        "M0 and N0 must be in 1..1024, K0 in 1..64, and M0*K0 lhs elements and "
        "N0*K0 rhs elements must each fill whole bytes.",
        info);
    return status;
  }

  const int once =
      !!(params->flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS);
  tw_search_t search = {0};
  search.key.m0 = params->M0;
  search.key.n0 = params->N0;
  search.key.k0 = params->K0;
  search.key.types = (uint8_t)types;
  search.key.step_rounding = (uint8_t)(tw_triple_rounds(&triple) && !once);
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  search.cpu_data = params->cpu_data;
  if (!search.cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    search.cpu_data = this_cpu;
  }
  tw_search_rows(&search);
  if (search.found) {
    const int preferred =
        !search.unrated && search.by_cost.cost < search.by_isa.cost;
    const tw_candidate_t* best = preferred ? &search.by_cost : &search.by_isa;
    info->fn = best->row.fn;
    info->origin = best->row.origin;
    info->isa = best->row.key.isa;
    info->name = best->row.name;
    tw_explain_found(best, preferred ? &search.by_isa : 0, search.cpu_data,
                     info);
    return TW_STATUS_OK;
  }
  const int fallback = !!(params->flags & TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK);
  tw_explain_missing(&search.key, search.missing ? &search.absent : 0,
                     search.cpu_data, fallback, info);
  if (!fallback) return TW_STATUS_UNSUPPORTED;
  info->fn = tw_mmt4d_generic_tile;
  info->origin = TW_TILE_ORIGIN_GENERIC;
  info->name = "generic";
  return TW_STATUS_OK;
}
