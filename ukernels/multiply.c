// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/multiply.h"

#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/vector_length.h"

// Of TILE.
enum { TW_TILE_SHAPE_ROWS = 16, TW_TILE_SHAPE_COUNT = 32 };

// Whether tiles of `isa` can multiply with what `least` has.
static int tw_isa_implies(tw_isa_t isa, tw_isa_t least) {
  return tw_isa_arch(isa) == tw_isa_arch(least) &&
         !(tw_isa_features(least, 0) & ~tw_isa_features(isa, 0)) &&
         !(tw_isa_features(least, 1) & ~tw_isa_features(isa, 1));
}

static const tw_instruction_row_t* tw_row_of(const tw_tile_key_t* key,
                                             const tw_triple_t* triple) {
  const unsigned operands =
      tw_operands_of(triple->lhs, triple->rhs, triple->accumulator);
  const int scalable = key->m0_scalable || key->n0_scalable;
  const tw_scaling_t scaling =
      scalable ? tw_isa_scaling(key->isa) : TW_SCALING_NONE;
  const tw_instruction_row_t* best = 0;
  for (int i = TW_INSTRUCTION_NONE + 1; i < TW_INSTRUCTION_COUNT; ++i) {
    const tw_instruction_row_t* row = tw_instruction_row((tw_instruction_t)i);
    if (row->rate == TW_INSTRUCTION_NONE || !(row->operands & operands) ||
        tw_form_row(row->form).scaling != scaling || key->k0 % row->k != 0 ||
        !!key->vnni != (row->shape == TW_SHAPE_TILE) ||
        !tw_isa_implies(key->isa, row->isa))
      continue;
    // Of equal ones the later row's ISA is the rarer.
    if (!best || row->k >= best->k) best = row;
  }
  return best;
}

static int tw_parts(int extent, int part) { return (extent + part - 1) / part; }

// Loads of the panel of `rows` rows.
static double tw_loads(const tw_tile_key_t* key, int rows,
                       tw_element_type_t type, int load_bits) {
  return tw_parts(rows * key->k0 * tw_element_bits(type), load_bits);
}

// Whether tiles of both keys multiply by the same instruction.
static int tw_same_family(const tw_tile_key_t* a, const tw_tile_key_t* b) {
  return a->types == b->types && a->isa == b->isa && a->k0 == b->k0 &&
         a->vnni == b->vnni &&
         (a->m0_scalable || a->n0_scalable) ==
             (b->m0_scalable || b->n0_scalable);
}

tw_step_t tw_next_step(tw_step_memo_t* memo, const tw_tile_key_t* key,
                       int vector_bits) {
  tw_step_t step = {TW_INSTRUCTION_NONE, 0, 0};
  if (!memo->valid || !tw_same_family(&memo->key, key)) {
    memo->valid = tw_triple_of(key->types, &memo->triple);
    if (!memo->valid) return step;
    memo->key = *key;
    memo->row = tw_row_of(key, &memo->triple);
  }
  const tw_triple_t* types = &memo->triple;
  const int lanes = vector_bits / tw_element_bits(types->accumulator);
  const int m0 = key->m0 * (key->m0_scalable ? lanes : 1);
  const int n0 = key->n0 * (key->n0_scalable ? lanes : 1);
  const tw_instruction_row_t* row = memo->row;
  // The vectors lie along N, unless only M is a number of them.
  const int along_m = key->m0_scalable && !key->n0_scalable;
  const int rows = along_m ? n0 : m0;
  const int columns = along_m ? m0 : n0;
  const int vectors = tw_parts(columns, lanes);
  if (!row) {
    step.multiplies = rows * vectors;
    step.loads = rows + vectors;
    return step;
  }
  step.instruction = row->rate;
  const int along_k = key->k0 / row->k;
  // Instructions take single rows from lanes of 128 bits, or from all lanes of
  // a vector.
  step.loads =
      (row->shape == TW_SHAPE_BROADCAST
           ? rows * along_k
           : tw_loads(
                 key, rows, along_m ? types->rhs : types->lhs,
                 row->shape == TW_SHAPE_OUTER || row->shape == TW_SHAPE_TILE
                     ? vector_bits
                     : TW_LEAST_VECTOR_BITS)) +
      tw_loads(key, columns, along_m ? types->lhs : types->rhs, vector_bits);
  int multiplies = rows * vectors;
  if (row->shape == TW_SHAPE_WIDE)
    multiplies = rows * tw_parts(columns, lanes / 2);
  else if (row->shape == TW_SHAPE_PAIRS)
    multiplies = tw_parts(rows, 2) * tw_parts(columns, lanes / 2);
  else if (row->shape == TW_SHAPE_OUTER)
    multiplies = tw_parts(rows, lanes) * vectors;
  else if (row->shape == TW_SHAPE_TILE)
    multiplies =
        tw_parts(rows, TW_TILE_SHAPE_ROWS) * vectors * TW_TILE_SHAPE_COUNT;
  step.multiplies = multiplies * along_k;
  return step;
}

tw_step_t tw_step_of(const tw_tile_key_t* key, int vector_bits) {
  tw_step_memo_t memo = {0};
  return tw_next_step(&memo, key, vector_bits);
}
