// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for work, as a tw_parallel_for_t.

#ifndef UKERNELS_RUNNER_POOL_H_
#define UKERNELS_RUNNER_POOL_H_

#include "tilewright/parallel_for.h"

typedef struct tw_pool_t tw_pool_t;

// For work in `threads` threads, the calling one and others that are started.
// Null if there is no memory left, or the system starts no more.
tw_pool_t* tw_pool_create(int64_t threads);
// Ends its threads. Null is accepted.
void tw_pool_destroy(tw_pool_t* pool);

// Used by one thread at a time; not from within what it runs.
tw_parallel_for_t tw_pool_parallel_for(tw_pool_t* pool);

#endif  // UKERNELS_RUNNER_POOL_H_
