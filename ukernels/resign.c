// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/resign.h"

int tw_resigned_types(tw_type_triple_t types, tw_type_triple_t* mixed) {
  switch (types) {
    case TW_TYPES_S8S8S32:
      *mixed = TW_TYPES_S8U8S32;
      return 1;
    case TW_TYPES_U8U8S32:
      *mixed = TW_TYPES_U8S8S32;
      return 1;
    default:
      return 0;
  }
}

const tw_resign_t* tw_resign_for(tw_isa_t isa) {
  switch (isa) {
#define TW_LEVELS_OF_THIS_CPU
#define TW_RESIGN_LEVEL(arch_isa, ENUM) \
  case TW_ISA_##ENUM:                   \
    return &tw_resign_##arch_isa;
#include "ukernels/matmul_levels.def"
    default:
      return 0;
  }
}
