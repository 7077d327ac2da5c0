// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin matmul for any CPU.

#include "ukernels/thin_body.h"

static int tw_thin_native(const tw_thin_block_t* block,
                          tw_element_type_t type) {
  return tw_thin_wide(block, type);
}

TW_THIN_FUNCTION(tw_thin_generic) { tw_thin_run(thin, n_begin, n_end); }
