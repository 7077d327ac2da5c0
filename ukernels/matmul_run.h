// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a planned multiplication at work.

#ifndef UKERNELS_MATMUL_RUN_H_
#define UKERNELS_MATMUL_RUN_H_

#include "ukernels/matmul_plan.h"

// A call, for all of its tasks.
typedef struct tw_matmul_run_t {
  const tw_matmul_params_t* params;
  tw_matmul_plan_t plan;
  // Panels in the caller's memory: those of a prepacked rhs.
  const char* panels;
  char* workspace;                // of the first task, aligned
  const tw_epilogue_t* epilogue;  // or null
} tw_matmul_run_t;

// Task `i` of plan.lhs.parts * plan.rhs.parts; `context` is a tw_matmul_run_t.
void tw_run_matmul_task(void* context, tw_index_t i);

#endif  // UKERNELS_MATMUL_RUN_H_
