// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a matmul of which nothing is packed.

#ifndef UKERNELS_MATMUL_UNPACKED_H_
#define UKERNELS_MATMUL_UNPACKED_H_

#include "tilewright/matmul.h"
#include "ukernels/core.h"
#include "ukernels/element.h"
#include "ukernels/unpacked.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_unpacked_run_t {
  tw_unpacked_t all;
  tw_unpacked_fn_t fn;
  tw_index_t rows, columns;  // of a task; fewer of the last ones
  tw_index_t row_tasks, tasks;
  tw_index_t depth, width;  // K and columns of a block of the rhs
} tw_unpacked_run_t;

// Whether a matmul that tw_check_matmul has passed, with no size of 0 but K,
// whose rhs is not prepacked, is quicker without packing; then plans it, of at
// most params->threads tasks. `fn` may be null: it never is.
int tw_plan_unpacked(const tw_matmul_params_t* params, const tw_triple_t* types,
                     tw_unpacked_fn_t fn, const tw_caches_t* caches,
                     tw_unpacked_run_t* run);

// Task i of a tw_unpacked_run_t.
void tw_run_unpacked_task(void* run, tw_index_t i);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MATMUL_UNPACKED_H_
