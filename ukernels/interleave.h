// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: packing of a transposed matrix into tiles of several columns, and
// back.

#ifndef UKERNELS_INTERLEAVE_H_
#define UKERNELS_INTERLEAVE_H_

#include "ukernels/pack.h"

// Packs the whole tiles of a transposed matrix by zipping lines together.
// Returns 0, having written nothing, where there is no loop for the shape.
int tw_interleave_lines(const tw_packing_t* p, const unsigned char* matrix,
                        unsigned char* packed);
// The way back, of elements of bytes.
int tw_deinterleave_lines(const tw_packing_t* p, const unsigned char* packed,
                          unsigned char* matrix);

#endif  // UKERNELS_INTERLEAVE_H_
