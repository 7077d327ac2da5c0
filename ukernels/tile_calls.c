// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of architectures whose tiles are called without more ado.

#include "ukernels/tile_calls.h"

#include "tilewright/tilewright.h"

uint32_t tw_begin_tile_calls(tw_isa_t isa) {
  (void)isa;
  return 0;
}

void tw_end_tile_calls(uint32_t begun) { (void)begun; }

tw_isa_t tw_isa_of_vnni(void) { return TW_ISA_GENERIC; }
