/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#ifndef CONSUMER_CALL_H
#define CONSUMER_CALL_H

#include <tilewright/tile.h>

#define TILE(name)                                            \
  void name(void* out_tile, const void* lhs, const void* rhs, \
            const tw_mmt4d_params_t* params)

/* Number of wrong elements of one f32 tile, M0 x N0 x 1, over 4 K steps. */
int check_tile(tw_mmt4d_tile_fn_t tile, int M0, int N0);

/* Sums of check_tile over some tiles. */
int call_tiles(void);
int call_helper_tiles(void);

#endif
