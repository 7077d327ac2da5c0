// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the instructions a tile takes (multiplies.def), and how quick the
// core is with them (cores.def, core_rates.def).

#ifndef UKERNELS_MULTIPLY_H_
#define UKERNELS_MULTIPLY_H_

#include "ukernels/element.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_multiply_t {
  TW_MULTIPLY_NONE,  // no row of multiplies.def fits
#define TW_MULTIPLY_INSTRUCTION(ENUM, mnemonic) TW_MULTIPLY_##ENUM,
#include "tilewright/multiplies.def"
  TW_MULTIPLY_COUNT
} tw_multiply_t;

// "sdot"; null for NONE.
const char* tw_multiply_name(tw_multiply_t instruction);

// What one K step takes, in vectors of some length.
typedef struct tw_step_t {
  tw_multiply_t instruction;
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
  const struct tw_multiply_row_t* row;
} tw_step_memo_t;

tw_step_t tw_next_step(tw_step_memo_t* memo, const tw_tile_key_t* key,
                       int vector_bits);

// LLVM's name of the core in cpu_data; null if it is unknown.
const char* tw_core_name(const uint64_t* cpu_data);

// Sets the core in cpu_data to the one of that name; 0 if there is none.
int tw_set_core(const char* llvm_cpu, uint64_t* cpu_data);

// How many of `instruction` the core of cpu_data completes while it completes
// one fmla; 1 if only that is known of it, 0 for an unknown core or no
// instruction.
double tw_core_rate(const uint64_t* cpu_data, tw_multiply_t instruction);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MULTIPLY_H_
