// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tiles by AMX of any sizes are made from: compiled to bitcode, in which
// the generator binds M0 and N0 to a name's.

#include "ukernels/x86_64/amx_template.h"

#include "ukernels/x86_64/amx.h"

#define TW_AMX_TEMPLATE(types)                                      \
  void tw_amx_template_##types(                                     \
      void* out_tile, const void* lhs_panel, const void* rhs_panel, \
      const tw_mmt4d_params_t* params, int M0, int N0) {            \
    if (tw_keeps_out(params)) return;                               \
    types##_amx(out_tile, lhs_panel, rhs_panel, params, M0, N0);    \
  }
TW_AMX_TEMPLATE(s8s8s32)
TW_AMX_TEMPLATE(s8u8s32)
TW_AMX_TEMPLATE(u8s8s32)
TW_AMX_TEMPLATE(u8u8s32)
TW_AMX_TEMPLATE(bf16bf16f32)
TW_AMX_TEMPLATE(bf16bf16bf16)
