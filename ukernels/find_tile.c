// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_find_tile: which tile runs, and why.

#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/generic_tile.h"
#include "ukernels/mmt4d_check.h"
#include "ukernels/select.h"
#include "ukernels/vector_length.h"

static void tw_explain_found(const tw_candidate_t* found,
                             const tw_candidate_t* instead_of,
                             const uint64_t* cpu_data, tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, found->linked.origin == TW_TILE_ORIGIN_HAND_WRITTEN
                         ? "Hand-written, for "
                         : "Generated, for ");
  tw_text_add(&text, tw_isa_name(found->linked.key.isa));
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
  tw_text_add(&text, tw_instruction_row(found->multiply)->mnemonic);
  tw_text_add(&text, "` than with the `");
  tw_text_add(&text, tw_instruction_row(instead_of->multiply)->mnemonic);
  tw_text_add(&text, "` of ");
  tw_text_add(&text, tw_isa_name(instead_of->linked.key.isa));
  tw_text_add(&text, ".");
}

// `missing`: the best tile for the key that cpu_data cannot run, or null.
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
    tw_text_add(&text, tw_isa_name(missing->linked.key.isa));
    tw_text_add(&text, ", which cpu_data lacks.");
    return;
  }
  const int bits = tw_vector_bits(&missing->linked.key, cpu_data);
  tw_text_add_number(&text, missing->vector_bits);
  tw_text_add(&text, "-bit vectors, for ");
  tw_text_add_sizes(&text, &missing->linked.key);
  tw_text_add(&text, " of ");
  tw_text_add(&text, tw_isa_name(missing->linked.key.isa));
  tw_text_add(&text, "; cpu_data says ");
  if (bits)
    tw_text_add_number(&text, bits);
  else
    tw_text_add(&text, "no length");
  tw_text_add(&text, ".");
}

tw_status_t tw_find_tile(const tw_mmt4d_params_t* params,
                         tw_tile_info_t* info) {
  if (!info) return TW_STATUS_INVALID_ARGUMENT;
  info->fn = 0;
  info->origin = TW_TILE_ORIGIN_NONE;
  info->isa = TW_ISA_GENERIC;
  info->name = "";
  tw_triple_t types;
  tw_fault_t fault;
  const tw_status_t status = tw_check_tile(params, &types, &fault);
  if (status != TW_STATUS_OK) {
    tw_explain_fault(&fault, info->reason, sizeof info->reason);
    return status;
  }
  tw_search_t search;
  tw_search_tiles(params, &types, &search);
  if (search.best) {
    info->fn = search.best->linked.fn;
    info->origin = search.best->linked.origin;
    info->isa = search.best->linked.key.isa;
    info->name = search.best->linked.name;
    tw_explain_found(search.best, search.instead_of, search.cpu_data, info);
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
