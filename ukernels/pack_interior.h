// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the fast loops of pack and unpack, over whole tiles.

#ifndef UKERNELS_PACK_INTERIOR_H_
#define UKERNELS_PACK_INTERIOR_H_

#include "ukernels/pack.h"

// Whether there is a loop for the layout.
int tw_has_pack_loop(const tw_packing_t* p);
int tw_has_unpack_loop(const tw_packing_t* p);

// Packs tiles inside the matrix, those with a column index below
// cols / tile_cols, where there is a loop for the layout, and returns how many
// rows of them: rows / tile_rows, or all of outer_rows where the loop pads the
// last one itself. `padding`: the bits of one element, repeated to fill 64.
tw_index_t tw_pack_interior(const tw_packing_t* p, uint64_t padding,
                            const unsigned char* matrix, unsigned char* packed);

// Unpacks likewise.
tw_index_t tw_unpack_interior(const tw_packing_t* p,
                              const unsigned char* packed,
                              unsigned char* matrix);

#endif  // UKERNELS_PACK_INTERIOR_H_
