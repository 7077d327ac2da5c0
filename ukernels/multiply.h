// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the instructions that a tile takes.

#ifndef UKERNELS_MULTIPLY_H_
#define UKERNELS_MULTIPLY_H_

#include "ukernels/element.h"
#include "ukernels/instruction.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

// What one K step takes, in vectors of some length.
typedef struct tw_step_t {
  // One that core_rates.def may speak of; NONE: no row of instructions.def
  // fits.
  tw_instruction_t instruction;
  double multiplies, loads;
} tw_step_t;

tw_step_t tw_step_of(const tw_tile_key_t* key, int vector_bits);

// The same for one tile after another, of which those that follow each other in
// a table mostly share types and instruction: these are looked up again only
// where they change. Begins as {0}.
typedef struct tw_step_memo_t {
  int valid;
  tw_tile_key_t key;
  tw_triple_t triple;
  const tw_instruction_row_t* row;
} tw_step_memo_t;

tw_step_t tw_next_step(tw_step_memo_t* memo, const tw_tile_key_t* key,
                       int vector_bits);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MULTIPLY_H_
