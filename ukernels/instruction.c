// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/instruction.h"

#include "ukernels/cpu.h"
#include "ukernels/element.h"

static const tw_instruction_row_t kInstructions[] = {
    {0},
#define TW_INSTRUCTION TW_INSTRUCTION_ROW
#include "tilewright/instructions.def"
};

static const tw_form_row_t kForms[] = {
#define TW_INSTRUCTION_FORM(FORM, bits, scaling) {bits, TW_SCALING_##scaling},
#include "tilewright/instructions.def"
};

const tw_instruction_row_t* tw_instruction_row(tw_instruction_t instruction) {
  return &kInstructions[instruction];
}

tw_form_row_t tw_form_row(tw_form_t form) { return kForms[form]; }

tw_operands_t tw_operands_of(tw_element_type_t lhs, tw_element_type_t rhs,
                             tw_element_type_t accumulator) {
  switch (tw_element_bits(rhs) > tw_element_bits(lhs) ? rhs : lhs) {
    case TW_ELEMENT_F64:
      return TW_OPERANDS_F64;
    case TW_ELEMENT_F16:
      return TW_OPERANDS_F16;
    case TW_ELEMENT_BF16:
      return TW_OPERANDS_BF16;
    case TW_ELEMENT_S32:
      return TW_OPERANDS_S32;
    case TW_ELEMENT_S16:
      return TW_OPERANDS_S16;
    default:
      break;
  }
  if (accumulator != TW_ELEMENT_S32) return TW_OPERANDS_F32;
  return tw_element_bits(lhs) == 4 || tw_element_bits(rhs) == 4
             ? TW_OPERANDS_S4
             : TW_OPERANDS_S8;
}
