// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what pack functions (tilewright/pack_tile.h) are made from.

#ifndef UKERNELS_PACK_TEMPLATE_H_
#define UKERNELS_PACK_TEMPLATE_H_

#include "tilewright/pack_tile.h"
#include "ukernels/pack.h"

// A pack (unpack) function whose name says `bits`, `cols` if `transpose`,
// else `rows`, and <tile_rows>x<tile_cols>.
void tw_pack_template(int bits, int transpose, tw_index_t tile_rows,
                      tw_index_t tile_cols, void* packed, const void* matrix,
                      const tw_pack_tile_params_t* params);
void tw_unpack_template(int bits, int transpose, tw_index_t tile_rows,
                        tw_index_t tile_cols, void* matrix, const void* packed,
                        const tw_pack_tile_params_t* params);

#endif  // UKERNELS_PACK_TEMPLATE_H_
