// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/in_place_amx.h"

TW_IN_PLACE_AMX_TILES(TW_AMX_S8S8, S32)
TW_IN_PLACE_AMX_TILES(TW_AMX_S8U8, S32)
TW_IN_PLACE_AMX_TILES(TW_AMX_U8S8, S32)
TW_IN_PLACE_AMX_TILES(TW_AMX_U8U8, S32)

tw_in_place_fn_t tw_in_place_x86_64_amx_int8(tw_type_triple_t types,
                                             tw_index_t M0, tw_index_t N0) {
  switch (types) {
    case TW_TYPES_S8S8S32:
      return TW_IN_PLACE_AMX_CHOOSE(TW_AMX_S8S8, M0, N0);
    case TW_TYPES_S8U8S32:
      return TW_IN_PLACE_AMX_CHOOSE(TW_AMX_S8U8, M0, N0);
    case TW_TYPES_U8S8S32:
      return TW_IN_PLACE_AMX_CHOOSE(TW_AMX_U8S8, M0, N0);
    case TW_TYPES_U8U8S32:
      return TW_IN_PLACE_AMX_CHOOSE(TW_AMX_U8U8, M0, N0);
    default:
      return 0;
  }
}
