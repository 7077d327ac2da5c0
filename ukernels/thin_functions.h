// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the thin matmuls of each instruction set, by thin_body.h.

#ifndef UKERNELS_THIN_FUNCTIONS_H_
#define UKERNELS_THIN_FUNCTIONS_H_

#include "ukernels/thin.h"

#define TW_THIN_FUNCTION(name) \
  void name(const tw_thin_t* thin, tw_index_t n_begin, tw_index_t n_end)

TW_THIN_FUNCTION(tw_thin_generic);
#define TW_THIN_LEVEL(arch_isa, ENUM) TW_THIN_FUNCTION(tw_thin_##arch_isa);
#include "ukernels/matmul_levels.def"

#endif  // UKERNELS_THIN_FUNCTIONS_H_
