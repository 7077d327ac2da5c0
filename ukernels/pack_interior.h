// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the fast loops of pack and unpack, over whole tiles.

#ifndef UKERNELS_PACK_INTERIOR_H_
#define UKERNELS_PACK_INTERIOR_H_

#include "ukernels/pack.h"

// Packs tiles inside the matrix, those with a column index below
// cols / tile_cols, and returns how many rows of them: rows / tile_rows, or all
// of outer_rows where the loop pads the last one itself, or 0 (having written
// nothing) where there is no loop for this shape. `padding`: the bits of one
// element, repeated to fill 64.
tw_index_t tw_pack_interior(const tw_packing_t* p, uint64_t padding,
                            const unsigned char* matrix, unsigned char* packed);

// Unpacks likewise.
tw_index_t tw_unpack_interior(const tw_packing_t* p,
                              const unsigned char* packed,
                              unsigned char* matrix);

#endif  // UKERNELS_PACK_INTERIOR_H_
