// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: packing of a transposed matrix into tiles of several columns, and
// back.

#ifndef UKERNELS_INTERLEAVE_H_
#define UKERNELS_INTERLEAVE_H_

#include "ukernels/pack.h"

// Whether the whole tiles of a transposed matrix can be packed by zipping lines
// together.
int tw_can_interleave(const tw_packing_t* p);
// Packs them so.
void tw_interleave_lines(const tw_packing_t* p, const unsigned char* matrix,
                         unsigned char* packed);
// The first columns of tiles of all rows, whose runs of `run` bytes are less
// than a vector, by code for just these. Returns how many columns: none where
// there is no such code.
tw_index_t tw_interleave_straight(const tw_packing_t* p,
                                  const unsigned char* matrix,
                                  unsigned char* packed, tw_index_t run);
// The way back of tw_interleave_lines, of elements of bytes.
void tw_deinterleave_lines(const tw_packing_t* p, const unsigned char* packed,
                           unsigned char* matrix);

#endif  // UKERNELS_INTERLEAVE_H_
