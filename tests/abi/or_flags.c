// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags or-ed as callers do. C and C++: or_flags_test.cmake compiles it in
// either language, in every version of theirs.

#include "tilewright/tilewright.h"

void setMmt4dFlags(tw_mmt4d_params_t* params, tw_type_triple_t types);
void setMmt4dFlags(tw_mmt4d_params_t* params, tw_type_triple_t types) {
  params->flags = TW_TYPES_BF16BF16BF16 | TW_MMT4D_FLAG_ACCUMULATE |
                  TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK |
                  TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS |
                  TW_MMT4D_FLAG_OUT_ROW_STRIDE | TW_MMT4D_FLAG_BLOCK_SCALES;
  params->flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
  params->flags &= ~(uint32_t)TW_MMT4D_FLAG_TYPE_MASK & TW_MMT4D_FLAG_ALL;
  params->flags |= types | TW_MMT4D_FLAG_ACCUMULATE;
}

void setPackFlags(tw_pack_params_t* params, int transpose);
void setPackFlags(tw_pack_params_t* params, int transpose) {
  params->flags = transpose ? TW_PACK_FLAG_TRANSPOSE : 0;
  params->flags |= TW_PACK_FLAG_TRANSPOSE;
}

#ifdef TW_OR_ENUMERATORS
// What must not pass where this file does.
uint32_t enumerators(void);
uint32_t enumerators(void) {
  enum { kFlag = 0x100 };
  return (uint32_t)(TW_TYPES_F32F32F32 | kFlag);
}
#endif
