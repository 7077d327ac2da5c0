// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what tiles of the variant `vnni` (tilewright/tile.h) are made from,
// by their types.

#ifndef UKERNELS_X86_64_AMX_TEMPLATE_H_
#define UKERNELS_X86_64_AMX_TEMPLATE_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TW_AMX_TEMPLATE_FUNCTION(types)                             \
  void tw_amx_template_##types(                                     \
      void* out_tile, const void* lhs_panel, const void* rhs_panel, \
      const tw_mmt4d_params_t* params, int M0, int N0);
TW_AMX_TEMPLATE_FUNCTION(s8s8s32)
TW_AMX_TEMPLATE_FUNCTION(s8u8s32)
TW_AMX_TEMPLATE_FUNCTION(u8s8s32)
TW_AMX_TEMPLATE_FUNCTION(u8u8s32)
TW_AMX_TEMPLATE_FUNCTION(bf16bf16f32)
TW_AMX_TEMPLATE_FUNCTION(bf16bf16bf16)
#undef TW_AMX_TEMPLATE_FUNCTION

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_X86_64_AMX_TEMPLATE_H_
