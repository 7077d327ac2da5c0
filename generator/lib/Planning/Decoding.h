// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector operations beside the idiom's own: what makes its operands of elements
// in memory, and what takes its place.

#ifndef TILEWRIGHT_PLANNING_DECODING_H
#define TILEWRIGHT_PLANNING_DECODING_H

#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {

/// Whether elements of `type` are not what multiplies take.
bool isConverted(tw_element_type_t type, ComputeType compute);

/// Vector operations that decode one vector.
int decodeOps(tw_element_type_t type, ComputeType compute, int offset,
              const Machine &machine);

/// The same for registers of even or odd elements; on average.
int splitOps(const OperandShape &operand, const TileShape &shape);

/// Vector operations that take all parts out of one vector of 4-bit elements:
/// a shift, a mask, and the sign's; fewer of words, where a shift goes either
/// way and the last part has nothing to be masked.
int nibbleOps(tw_element_type_t type, const TileShape &shape,
              const Machine &machine);

/// Vector operations that put a vector's worth of the broadcast operand in that
/// order: a shuffle within 16 bytes, or one across the vector as well. Chunks
/// of several vectors are transposed (10 counted on AVX2).
int orderOps(const TileShape &shape, const IsaInfo &isa);

/// Vector operations of a product beyond the idiom's own. Without a multiply of
/// 32-bit lanes (SSE2) LLVM makes it of two of 64 bits and four shuffles, but
/// of one pmaddwd where it sees that both operands have at most 16 bits: not
/// once they have been staged.
int emulatedOps(const TileShape &shape, const Machine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_DECODING_H
