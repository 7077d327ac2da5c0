// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that is kept between calls: hipMalloc and hipFree wait for the
// device, so that a model's buffers are asked for once.

#ifndef TILEWRIGHT_UKERNELS_HIP_POOL_H_
#define TILEWRIGHT_UKERNELS_HIP_POOL_H_

#include <stddef.h>

#include "ukernels/hip/api.h"

typedef struct tw_hip_block_t {
  void* pointer;
  size_t bytes;
  int is_used;
} tw_hip_block_t;

// Zero-initialised: empty.
typedef struct tw_hip_pool_t {
  tw_hip_block_t* blocks;
  size_t count, capacity;
} tw_hip_pool_t;

// New memory of `bytes`, which is the caller's; if the device has no more,
// after the free blocks were given back. Sets *pointer null on failure.
tw_status_t tw_hip_pool_new(const tw_hip_api_t* hip, tw_hip_pool_t* pool,
                            void* stream, size_t bytes, void** pointer);

// At least `bytes`, of a free block that is not much larger, else new ones; if
// the device has no more, after the free ones were given back. Sets *pointer
// null on failure.
tw_status_t tw_hip_pool_allocate(const tw_hip_api_t* hip, tw_hip_pool_t* pool,
                                 void* stream, size_t bytes, void** pointer);

void tw_hip_pool_release(tw_hip_pool_t* pool, void* pointer);

#endif  // TILEWRIGHT_UKERNELS_HIP_POOL_H_
