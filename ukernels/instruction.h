// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the rows of instructions.def as data, for C and C++.

#ifndef UKERNELS_INSTRUCTION_H_
#define UKERNELS_INSTRUCTION_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_instruction_t {
  TW_INSTRUCTION_NONE,
#define TW_INSTRUCTION(ENUM, ...) TW_INSTRUCTION_##ENUM,
#include "tilewright/instructions.def"
  TW_INSTRUCTION_COUNT
} tw_instruction_t;

typedef enum tw_form_t {
#define TW_INSTRUCTION_FORM(FORM, bits, scaling) TW_FORM_##FORM,
#include "tilewright/instructions.def"
  TW_FORM_COUNT
} tw_form_t;

// Classes of operands: a tile is of one of them (tw_operands_of), an
// instruction multiplies those of a set. F16_STEPS is none of tw_operands_of's.
typedef enum tw_operands_t {
  TW_OPERANDS_F64 = 1 << 0,
  TW_OPERANDS_F32 = 1 << 1,
  TW_OPERANDS_F16 = 1 << 2,
  TW_OPERANDS_BF16 = 1 << 3,
  TW_OPERANDS_F16_STEPS = 1 << 4,
  TW_OPERANDS_S32 = 1 << 5,
  TW_OPERANDS_S16 = 1 << 6,
  TW_OPERANDS_S8 = 1 << 7,
  TW_OPERANDS_S4 = 1 << 8,
  TW_OPERANDS_FLOATS = TW_OPERANDS_F32 | TW_OPERANDS_F16 | TW_OPERANDS_BF16,
  TW_OPERANDS_BYTES = TW_OPERANDS_S8 | TW_OPERANDS_S4,
  TW_OPERANDS_WORDS = TW_OPERANDS_S16 | TW_OPERANDS_BYTES,
  TW_OPERANDS_INTEGERS = TW_OPERANDS_S32 | TW_OPERANDS_WORDS
} tw_operands_t;

typedef enum tw_shape_t {
  TW_SHAPE_LANES,
  TW_SHAPE_WIDE,
  TW_SHAPE_NARROW,
  TW_SHAPE_BROADCAST,
  TW_SHAPE_PAIRS,
  TW_SHAPE_OUTER,
  TW_SHAPE_TILE
} tw_shape_t;

typedef enum tw_denormals_t {
  TW_DENORMALS_KEPT,
  TW_DENORMALS_FLUSHED
} tw_denormals_t;

typedef struct tw_instruction_row_t {
  const char* mnemonic;
  tw_isa_t isa;
  tw_form_t form;
  unsigned operands;  // a set of tw_operands_t
  tw_shape_t shape;
  int k, latency;
  tw_denormals_t denormals;
  tw_instruction_t rate;
  int instructions;  // 2 where another instruction adds the product, else 1
} tw_instruction_row_t;

// An initializer of it.
#define TW_INSTRUCTION_ROW(ENUM, mnemonic, ISA, FORM, OPERANDS, SHAPE, k, \
                           latency, DENORMALS, RATE, product, accumulate) \
  {mnemonic,                                                              \
   TW_ISA_##ISA,                                                          \
   TW_FORM_##FORM,                                                        \
   TW_OPERANDS_##OPERANDS,                                                \
   TW_SHAPE_##SHAPE,                                                      \
   k,                                                                     \
   latency,                                                               \
   TW_DENORMALS_##DENORMALS,                                              \
   TW_INSTRUCTION_##RATE,                                                 \
   sizeof product > 1 ? 2 : 1},

// The row; of NONE one of zeros.
const tw_instruction_row_t* tw_instruction_row(tw_instruction_t instruction);

typedef struct tw_form_row_t {
  int bits;
  tw_scaling_t scaling;
} tw_form_row_t;

tw_form_row_t tw_form_row(tw_form_t form);

// The class of tiles of these types, by the wider operand.
tw_operands_t tw_operands_of(tw_element_type_t lhs, tw_element_type_t rhs,
                             tw_element_type_t accumulator);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_INSTRUCTION_H_
