// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what a thread does once around several calls of tiles, beside
// tw_begin_tile_calls and tw_end_tile_calls. An architecture where it does
// anything has its own (<arch>/tile_calls.c); elsewhere it is nothing.

#ifndef UKERNELS_TILE_CALLS_H_
#define UKERNELS_TILE_CALLS_H_

#include "tilewright/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// One of the ISAs that tiles of the variant `vnni` are of, all of which begin
// alike; TW_ISA_GENERIC if there are none.
tw_isa_t tw_isa_of_vnni(void);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_TILE_CALLS_H_
