// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/multiply.h"

#include <string.h>

#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/vector_length.h"

// ---- Instructions -----------------------------------------------------------

typedef enum tw_operand_t {
  TW_OPERAND_F64,
  TW_OPERAND_F32,
  TW_OPERAND_F16,
  TW_OPERAND_BF16,
  TW_OPERAND_S32,
  TW_OPERAND_S16,
  TW_OPERAND_S8,
} tw_operand_t;

typedef enum tw_shape_t {
  TW_SHAPE_LANES,
  TW_SHAPE_PAIRS,
  TW_SHAPE_OUTER
} tw_shape_t;

typedef struct tw_multiply_row_t {
  tw_multiply_t instruction;
  uint8_t word, bit;  // of the feature
  tw_scaling_t scaling;
  tw_operand_t operand;
  tw_shape_t shape;
  int k;
} tw_multiply_row_t;

static const tw_multiply_row_t kRows[] = {
#define TW_MULTIPLY(INSTRUCTION, ARCH, FEATURE, scaling, operand, shape, k) \
  {TW_MULTIPLY_##INSTRUCTION,                                               \
   TW_CPU_WORD_##ARCH##_##FEATURE,                                          \
   TW_CPU_BIT_##ARCH##_##FEATURE,                                           \
   TW_SCALING_##scaling,                                                    \
   TW_OPERAND_##operand,                                                    \
   TW_SHAPE_##shape,                                                        \
   k},
#include "tilewright/multiplies.def"
};

const char* tw_multiply_name(tw_multiply_t instruction) {
  switch (instruction) {
#define TW_MULTIPLY_INSTRUCTION(ENUM, mnemonic) \
  case TW_MULTIPLY_##ENUM:                      \
    return mnemonic;
#include "tilewright/multiplies.def"
    case TW_MULTIPLY_NONE:
    case TW_MULTIPLY_COUNT:
      break;
  }
  return 0;
}

static tw_operand_t tw_operand_of(const tw_triple_t* triple) {
  const tw_element_type_t wider =
      tw_element_bits(triple->rhs) > tw_element_bits(triple->lhs) ? triple->rhs
                                                                  : triple->lhs;
  switch (wider) {
    case TW_ELEMENT_F64:
      return TW_OPERAND_F64;
    case TW_ELEMENT_F16:
      return TW_OPERAND_F16;
    case TW_ELEMENT_BF16:
      return TW_OPERAND_BF16;
    case TW_ELEMENT_S32:
      return TW_OPERAND_S32;
    case TW_ELEMENT_S16:
      return TW_OPERAND_S16;
    default:
      return triple->accumulator == TW_ELEMENT_S32 ? TW_OPERAND_S8
                                                   : TW_OPERAND_F32;
  }
}

static const tw_multiply_row_t* tw_row_of(const tw_tile_key_t* key,
                                          const tw_triple_t* triple) {
  const tw_operand_t operand = tw_operand_of(triple);
  const int scalable = key->m0_scalable || key->n0_scalable;
  const tw_multiply_row_t* best = 0;
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; ++i) {
    const tw_multiply_row_t* row = &kRows[i];
    if (row->operand != operand ||
        scalable != (row->scaling != TW_SCALING_NONE) ||
        key->k0 % row->k != 0 ||
        (scalable && row->scaling != tw_isa_scaling(key->isa)) ||
        !(tw_isa_features(key->isa, row->word) >> row->bit & 1))
      continue;
    // Of equal ones the later row's feature is the rarer.
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
         (a->m0_scalable || a->n0_scalable) ==
             (b->m0_scalable || b->n0_scalable);
}

tw_step_t tw_next_step(tw_step_memo_t* memo, const tw_tile_key_t* key,
                       int vector_bits) {
  tw_step_t step = {TW_MULTIPLY_NONE, 0, 0};
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
  const tw_multiply_row_t* row = memo->row;
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
  // Instructions take single rows from lanes of 128 bits.
  step.instruction = row->instruction;
  step.loads =
      tw_loads(
          key, rows, along_m ? types->rhs : types->lhs,
          row->shape == TW_SHAPE_OUTER ? vector_bits : TW_LEAST_VECTOR_BITS) +
      tw_loads(key, columns, along_m ? types->lhs : types->rhs, vector_bits);
  int multiplies = rows * vectors;
  if (row->shape == TW_SHAPE_PAIRS)
    multiplies = tw_parts(rows, 2) * tw_parts(columns, lanes / 2);
  else if (row->shape == TW_SHAPE_OUTER)
    multiplies = tw_parts(rows, lanes) * vectors;
  const int along_k = key->k0 / row->k;
  step.multiplies = multiplies * along_k;
  return step;
}

tw_step_t tw_step_of(const tw_tile_key_t* key, int vector_bits) {
  tw_step_memo_t memo = {0};
  return tw_next_step(&memo, key, vector_bits);
}

// ---- Cores ------------------------------------------------------------------

typedef enum tw_core_t {
  TW_CORE_UNKNOWN,
#define TW_CORE(ENUM, llvm_cpu) TW_CORE_##ENUM,
#include "tilewright/cores.def"
} tw_core_t;

static tw_core_t tw_core_of(const uint64_t* cpu_data) {
  switch (cpu_data[TW_CPU_WORD_CORE]) {
#define TW_CORE_PART(ENUM, implementer, part)                 \
  case (uint64_t)(implementer) << 24 | (uint64_t)(part) << 4: \
    return TW_CORE_##ENUM;
#include "tilewright/cores.def"
    default:
      return TW_CORE_UNKNOWN;
  }
}

const char* tw_core_name(const uint64_t* cpu_data) {
  switch (tw_core_of(cpu_data)) {
#define TW_CORE(ENUM, llvm_cpu) \
  case TW_CORE_##ENUM:          \
    return llvm_cpu;
#include "tilewright/cores.def"
    case TW_CORE_UNKNOWN:
      break;
  }
  return 0;
}

int tw_set_core(const char* llvm_cpu, uint64_t* cpu_data) {
  static const uint64_t kWords[] = {
#define TW_CORE_PART(ENUM, implementer, part) \
  (uint64_t)(implementer) << 24 | (uint64_t)(part) << 4,
#include "tilewright/cores.def"
  };
  uint64_t data[TW_CPU_DATA_WORDS] = {0};
  for (size_t i = 0; i < sizeof kWords / sizeof kWords[0]; ++i) {
    data[TW_CPU_WORD_CORE] = kWords[i];
    if (strcmp(tw_core_name(data), llvm_cpu) != 0) continue;
    cpu_data[TW_CPU_WORD_CORE] = kWords[i];
    return 1;
  }
  return 0;
}

typedef struct tw_rate_row_t {
  tw_core_t core;
  tw_multiply_t instruction;
  double per_cycle;
} tw_rate_row_t;

static const tw_rate_row_t kRates[] = {
#define TW_CORE_RATE(CORE, INSTRUCTION, per_cycle) \
  {TW_CORE_##CORE, TW_MULTIPLY_##INSTRUCTION, per_cycle},
#include "tilewright/core_rates.def"
};

double tw_core_rate(const uint64_t* cpu_data, tw_multiply_t instruction) {
  const tw_core_t core = tw_core_of(cpu_data);
  if (core == TW_CORE_UNKNOWN || instruction == TW_MULTIPLY_NONE) return 0;
  double rate = 0, fmla = 0;
  for (size_t i = 0; i < sizeof kRates / sizeof kRates[0]; ++i) {
    if (kRates[i].core != core) continue;
    if (kRates[i].instruction == instruction) rate = kRates[i].per_cycle;
    if (kRates[i].instruction == TW_MULTIPLY_FMLA) fmla = kRates[i].per_cycle;
  }
  if (fmla == 0) return 0;
  return rate > 0 ? rate / fmla : 1;
}
