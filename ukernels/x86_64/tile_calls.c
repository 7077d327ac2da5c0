// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX's tile registers are configured once around several calls.

#include "ukernels/tile_calls.h"

#include "tilewright/tilewright.h"
#include "ukernels/cpu.h"
#include "ukernels/x86_64/amx_config.h"

static int tw_has_amx(tw_isa_t isa) {
  return tw_isa_arch(isa) == TW_ARCH_X86_64 &&
         tw_isa_features(isa, 0) & TW_CPU_MASK(X86_64, AMXTILE, 0);
}

__attribute__((target("amx-tile"))) static void tw_begin_amx(void) {
  tw_amx_configure();
}

__attribute__((target("amx-tile"))) static void tw_end_amx(void) {
  tw_amx_release();
}

uint32_t tw_begin_tile_calls(tw_isa_t isa) {
  if (!tw_has_amx(isa)) return 0;
  tw_begin_amx();
  return TW_MMT4D_FLAG_CALLS_BEGUN;
}

void tw_end_tile_calls(uint32_t begun) {
  if (begun & TW_MMT4D_FLAG_CALLS_BEGUN) tw_end_amx();
}

tw_isa_t tw_isa_of_vnni(void) { return TW_ISA_X86_64_AMX_INT8; }
