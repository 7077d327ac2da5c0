// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: which of the tiles that are linked in runs, apart from saying why.

#ifndef UKERNELS_SELECT_H_
#define UKERNELS_SELECT_H_

#include "ukernels/element.h"
#include "ukernels/multiply.h"
#include "ukernels/registry.h"

// A tile that has the types and, for some vector length, the sizes asked for.
typedef struct tw_candidate_t {
  tw_linked_tile_t linked;
  int vector_bits;  // the length for scalable sizes, 0 for fixed ones
  // 1 if cpu_data has all but that vector length.
  int lacks_length;
  // Of its multiplies on the core of cpu_data; 0 if not known.
  double cost;
  tw_instruction_t multiply;
} tw_candidate_t;

typedef struct tw_search_t {
  tw_tile_key_t key;  // without ISA
  // As in the params, or this_cpu.
  const uint64_t* cpu_data;
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  // How many can run; whether some cannot.
  int found, missing;
  // The best of those that can run by ISA and by cost, and of the others.
  tw_candidate_t by_isa, by_cost, absent;
  // The one to run, null where none can; and for a core that is quicker with it
  // the one of a better ISA that it is preferred to, else null.
  const tw_candidate_t *best, *instead_of;
} tw_search_t;

// Finds the tile for params that tw_check_tile has checked.
void tw_search_tiles(const tw_mmt4d_params_t* params, const tw_triple_t* types,
                     tw_search_t* search);

#endif  // UKERNELS_SELECT_H_
