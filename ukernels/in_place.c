// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/in_place.h"

tw_in_place_fn_t tw_in_place_tile(tw_isa_t isa, tw_type_triple_t types,
                                  tw_index_t M0, tw_index_t N0) {
  switch (isa) {
#define TW_LEVELS_OF_THIS_CPU
#define TW_IN_PLACE_LEVEL(arch_isa, ENUM) \
  case TW_ISA_##ENUM:                     \
    return tw_in_place_##arch_isa(types, M0, N0);
#include "ukernels/matmul_levels.def"
    default:
      (void)types, (void)M0, (void)N0;
      return 0;
  }
}
