// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a matmul of few rows, whose rhs is read where it lies.

#ifndef UKERNELS_MATMUL_THIN_H_
#define UKERNELS_MATMUL_THIN_H_

#include "tilewright/contraction.h"
#include "tilewright/matmul.h"
#include "ukernels/thin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_thin_run_t {
  tw_thin_t thin;
  tw_thin_fn_t fn;
  tw_index_t columns;  // of a task
  tw_index_t tasks;
  const tw_epilogue_t* epilogue;  // or null
} tw_thin_run_t;

// Of 1 to TW_THIN_MOST_ROWS rows, no empty N, and a rhs that is not prepacked.
// There are at most params->threads tasks. asks_pages: tw_thin_t's.
void tw_plan_thin(const tw_matmul_params_t* params, tw_thin_fn_t fn,
                  int asks_pages, tw_thin_run_t* run);

// Task i of a tw_thin_run_t.
void tw_run_thin_task(void* run, tw_index_t i);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MATMUL_THIN_H_
