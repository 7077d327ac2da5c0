// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: between out and a scratch of accumulators.

#ifndef UKERNELS_MATMUL_OUT_H_
#define UKERNELS_MATMUL_OUT_H_

#include "tilewright/matmul.h"

// Rows x cols of out from (row, col) on, of which those inside out are touched,
// and a scratch [rows][cols] of accumulators.
typedef struct tw_out_t {
  const tw_matmul_params_t* params;
  tw_element_type_t accumulator;
  tw_index_t row, col;
  tw_index_t rows, cols;
} tw_out_t;

// out -> scratch, exactly; zeros where there is no out.
void tw_load_out(const tw_out_t* out, void* scratch);
// scratch -> out, rounded to nearest even where out's type is narrower.
void tw_store_out(const tw_out_t* out, const void* scratch);

#endif  // UKERNELS_MATMUL_OUT_H_
