// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a matmul of which nothing is packed.

#ifndef UKERNELS_MATMUL_UNPACKED_H_
#define UKERNELS_MATMUL_UNPACKED_H_

#include "tilewright/matmul.h"
#include "ukernels/element.h"
#include "ukernels/matmul_run.h"
#include "ukernels/unpacked.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_unpacked_run_t {
  tw_unpacked_t all;
  const tw_unpacked_variant_t* variant;
  tw_index_t rows, columns;  // of a task; fewer of the last ones
  tw_index_t row_tasks, tasks;
  tw_index_t depth, width;  // K and columns of a block of the rhs
} tw_unpacked_run_t;

// Whether a matmul that tw_check_matmul has passed, with no size of 0 but K, is
// quicker if nothing is packed; then plans it, of at most params->threads
// tasks. `prepacked`: how a prepacked rhs would be multiplied, whose panels do
// as well as rows; else null.
int tw_plan_unpacked(const tw_matmul_params_t* params, const tw_triple_t* types,
                     const uint64_t* cpu_data, const tw_matmul_run_t* prepacked,
                     tw_unpacked_run_t* run);

// N as the choice of panels should have it: in whole tiles of the unpacked
// matmul, which then reads these panels. Narrower ones would save little: of
// its last tile it computes only the vectors that are there.
tw_index_t tw_in_unpacked_tiles(const tw_matmul_params_t* params,
                                const tw_triple_t* types,
                                const uint64_t* cpu_data);

// Task i of a tw_unpacked_run_t.
void tw_run_unpacked_task(void* run, tw_index_t i);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MATMUL_UNPACKED_H_
