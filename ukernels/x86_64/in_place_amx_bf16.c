// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/in_place_amx.h"

TW_IN_PLACE_AMX_TILES(TW_AMX_BF16, F32)

tw_in_place_fn_t tw_in_place_x86_64_amx_bf16(tw_type_triple_t types,
                                             tw_index_t M0, tw_index_t N0) {
  return types == TW_TYPES_BF16BF16F32
             ? TW_IN_PLACE_AMX_CHOOSE(TW_AMX_BF16, M0, N0)
             : (tw_in_place_fn_t)0;
}
