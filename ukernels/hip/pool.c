// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list: a model has tens of buffers.

#include "ukernels/hip/pool.h"

#include <stdint.h>
#include <stdlib.h>

// Sizes are rounded up to this, so that nearly equal ones share.
enum { GRANULE = 256 };

static tw_hip_block_t* find_free(tw_hip_pool_t* pool, size_t bytes) {
  tw_hip_block_t* best = NULL;
  for (size_t i = 0; i < pool->count; ++i) {
    tw_hip_block_t* block = &pool->blocks[i];
    if (!block->is_used && block->bytes >= bytes && block->bytes / 2 <= bytes &&
        (!best || block->bytes < best->bytes))
      best = block;
  }
  return best;
}

static tw_status_t free_unused(const tw_hip_api_t* hip, tw_hip_pool_t* pool,
                               void* stream) {
  tw_status_t status =
      tw_hip_check(hip, hip->StreamSynchronize(stream), "hipStreamSynchronize");
  size_t kept = 0;
  for (size_t i = 0; i < pool->count; ++i) {
    if (status != TW_STATUS_OK || pool->blocks[i].is_used)
      pool->blocks[kept++] = pool->blocks[i];
    else
      status = tw_hip_check(hip, hip->Free(pool->blocks[i].pointer), "hipFree");
  }
  pool->count = kept;
  return status;
}

static int grow(tw_hip_pool_t* pool) {
  if (pool->count < pool->capacity) return 1;
  size_t capacity = pool->capacity ? 2 * pool->capacity : 16;
  tw_hip_block_t* blocks =
      realloc(pool->blocks, capacity * sizeof(tw_hip_block_t));
  if (!blocks) return 0;
  pool->blocks = blocks;
  pool->capacity = capacity;
  return 1;
}

tw_status_t tw_hip_pool_new(const tw_hip_api_t* hip, tw_hip_pool_t* pool,
                            void* stream, size_t bytes, void** pointer) {
  *pointer = NULL;
  void* memory = NULL;
  tw_hip_error_t error = hip->Malloc(&memory, bytes);
  if (error == TW_HIP_ERROR_OUT_OF_MEMORY) {
    tw_status_t status = free_unused(hip, pool, stream);
    if (status != TW_STATUS_OK) return status;
    error = hip->Malloc(&memory, bytes);
  }
  if (error == TW_HIP_ERROR_OUT_OF_MEMORY)
    return tw_hip_fail(TW_STATUS_OUT_OF_MEMORY,
                       "The device has no memory for a buffer of %zu bytes.",
                       bytes);
  tw_status_t status = tw_hip_check(hip, error, "hipMalloc");
  if (status == TW_STATUS_OK) *pointer = memory;
  return status;
}

tw_status_t tw_hip_pool_allocate(const tw_hip_api_t* hip, tw_hip_pool_t* pool,
                                 void* stream, size_t bytes, void** pointer) {
  *pointer = NULL;
  if (bytes > SIZE_MAX - GRANULE)
    return tw_hip_fail(TW_STATUS_OVERFLOW, "A buffer has too many bytes.");
  bytes = bytes ? (bytes + GRANULE - 1) / GRANULE * GRANULE : GRANULE;
  tw_hip_block_t* block = find_free(pool, bytes);
  if (!block) {
    if (!grow(pool))
      return tw_hip_fail(TW_STATUS_OUT_OF_MEMORY,
                         "There is no host memory for a list of buffers.");
    void* memory = NULL;
    tw_status_t status = tw_hip_pool_new(hip, pool, stream, bytes, &memory);
    if (status != TW_STATUS_OK) return status;
    block = &pool->blocks[pool->count++];
    block->pointer = memory;
    block->bytes = bytes;
  }
  block->is_used = 1;
  *pointer = block->pointer;
  return TW_STATUS_OK;
}

void tw_hip_pool_release(tw_hip_pool_t* pool, void* pointer) {
  for (size_t i = 0; pointer && i < pool->count; ++i)
    if (pool->blocks[i].pointer == pointer) pool->blocks[i].is_used = 0;
}
