// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instance of a compiled model keeps between its calls.

#include "tilewright/instance.h"

#include <stdlib.h>

#include "tilewright/status.h"
#include "ukernels/instance/parameters.h"

typedef struct tw_state_t {
  void* current;
  void* next;
} tw_state_t;

struct tw_instance_t {
  const tw_parameters_t* parameters;
  void* arena;
  int64_t arena_bytes;
  void* memory;  // of the states
  void* kept;
  tw_state_t states[];
};

// To a multiple of the alignment, which is also what aligned_alloc wants.
static uint64_t tw_rounded(uint64_t bytes) {
  return (bytes + TW_PARAMETERS_ALIGNMENT - 1) / TW_PARAMETERS_ALIGNMENT *
         TW_PARAMETERS_ALIGNMENT;
}

static int32_t tw_place_states(const tw_model_t* model,
                               tw_instance_t* instance) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < model->state_count; ++i) {
    const uint64_t bytes = model->state_bytes[i];
    if (bytes > (SIZE_MAX - all) / 2 - TW_PARAMETERS_ALIGNMENT)
      return TW_STATUS_OUT_OF_MEMORY;
    all += 2 * tw_rounded(bytes);
  }
  if (all == 0) return TW_STATUS_OK;
  char* memory = aligned_alloc(TW_PARAMETERS_ALIGNMENT, (size_t)all);
  if (!memory) return TW_STATUS_OUT_OF_MEMORY;
  instance->memory = memory;
  for (uint32_t i = 0; i < model->state_count; ++i) {
    const size_t bytes = (size_t)tw_rounded(model->state_bytes[i]);
    instance->states[i].current = memory;
    instance->states[i].next = memory + bytes;
    memory += 2 * bytes;
  }
  return TW_STATUS_OK;
}

static int32_t tw_place_kept(const tw_model_t* model, tw_instance_t* instance) {
  const uint64_t bytes = model->kept_bytes;
  if (bytes == 0) return TW_STATUS_OK;
  if (bytes > SIZE_MAX - TW_PARAMETERS_ALIGNMENT)
    return TW_STATUS_OUT_OF_MEMORY;
  instance->kept =
      aligned_alloc(TW_PARAMETERS_ALIGNMENT, (size_t)tw_rounded(bytes));
  return instance->kept ? TW_STATUS_OK : TW_STATUS_OUT_OF_MEMORY;
}

int32_t tw_instance_create(const tw_model_t* model,
                           const tw_parameters_t* parameters,
                           tw_instance_t** result) {
  if (!model || !result || (!parameters && model->has_parameters))
    return TW_STATUS_INVALID_ARGUMENT;
  *result = NULL;
  if (parameters && parameters->model != model) return TW_STATUS_FOREIGN;
  tw_instance_t* instance =
      calloc(1, sizeof(*instance) + model->state_count * sizeof(tw_state_t));
  if (!instance) return TW_STATUS_OUT_OF_MEMORY;
  instance->parameters = parameters;
  int32_t status = tw_place_states(model, instance);
  if (status == TW_STATUS_OK) status = tw_place_kept(model, instance);
  if (status != TW_STATUS_OK) {
    tw_instance_destroy(instance);
    return status;
  }
  *result = instance;
  return TW_STATUS_OK;
}

void tw_instance_destroy(tw_instance_t* instance) {
  if (!instance) return;
  free(instance->arena);
  free(instance->memory);
  free(instance->kept);
  free(instance);
}

const void* tw_instance_state(const tw_instance_t* instance, uint32_t state) {
  return instance->states[state].current;
}

void* tw_instance_next_state(tw_instance_t* instance, uint32_t state) {
  return instance->states[state].next;
}

void tw_instance_advance(tw_instance_t* instance, uint32_t state) {
  tw_state_t* advanced = &instance->states[state];
  void* current = advanced->next;
  advanced->next = advanced->current;
  advanced->current = current;
}

const void* tw_instance_parameters(const tw_instance_t* instance) {
  return instance->parameters->data;
}

void* tw_instance_arena(tw_instance_t* instance, int64_t bytes) {
  if (bytes <= instance->arena_bytes) return instance->arena;
  // What it holds is of no use to another call.
  free(instance->arena);
  instance->arena_bytes = 0;
  instance->arena = NULL;
  const size_t rounded = (size_t)tw_rounded((uint64_t)bytes);
  instance->arena = aligned_alloc(TW_PARAMETERS_ALIGNMENT, rounded);
  if (instance->arena) instance->arena_bytes = (int64_t)rounded;
  return instance->arena;
}

void* tw_instance_kept(const tw_instance_t* instance) { return instance->kept; }
