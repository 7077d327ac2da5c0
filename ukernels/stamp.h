// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TW_STAMP(name, isa, family, M0, N0) defines the tile function `name` if
// TW_STAMP_ISA_<isa> is defined as `~, 1`, and is nothing otherwise.
// stamp_tiles.h applies it to the rows of a CPU, with tile_body.h.

#ifndef UKERNELS_STAMP_H_
#define UKERNELS_STAMP_H_

#include "ukernels/tile_function.h"

// 1 if TW_STAMP_ISA_<isa> is defined as `~, 1`, else 0: an undefined name is
// one token, which leaves the 0 in second place.
#define TW_SECOND_OF(first, second, ...) second
#define TW_SECOND(...) TW_SECOND_OF(__VA_ARGS__, 0, 0)
#define TW_IS_STAMPED(isa) TW_SECOND(TW_STAMP_ISA_##isa)

#define TW_CONCAT_(a, b) a##b
#define TW_CONCAT(a, b) TW_CONCAT_(a, b)
#define TW_STAMP_0(name, family, M0, N0)
#define TW_STAMP_1(name, family, M0, N0)                    \
  TW_TILE_FUNCTION(name) {                                  \
    if (tw_keeps_out(params)) return;                       \
    family(out_tile, lhs_panel, rhs_panel, params, M0, N0); \
  }
#define TW_STAMP(name, isa, family, M0, N0) \
  TW_CONCAT(TW_STAMP_, TW_IS_STAMPED(isa))(name, family, M0, N0)

#endif  // UKERNELS_STAMP_H_
