// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instance of a compiled model keeps between its calls.

#include "tilewright/instance.h"

#include <stdlib.h>

#include "tilewright/status.h"
#include "ukernels/instance/parameters.h"

struct tw_instance_t {
  const tw_parameters_t* parameters;
  void* arena;
  int64_t arena_bytes;
};

int32_t tw_instance_create(const tw_model_t* model,
                           const tw_parameters_t* parameters,
                           tw_instance_t** result) {
  if (!model || !parameters || !result) return TW_STATUS_INVALID_ARGUMENT;
  *result = NULL;
  if (parameters->model != model) return TW_STATUS_FOREIGN;
  tw_instance_t* instance = calloc(1, sizeof(*instance));
  if (!instance) return TW_STATUS_OUT_OF_MEMORY;
  instance->parameters = parameters;
  *result = instance;
  return TW_STATUS_OK;
}

void tw_instance_destroy(tw_instance_t* instance) {
  if (!instance) return;
  free(instance->arena);
  free(instance);
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
  // aligned_alloc wants a multiple of the alignment.
  const size_t rounded = ((size_t)bytes + TW_PARAMETERS_ALIGNMENT - 1) /
                         TW_PARAMETERS_ALIGNMENT * TW_PARAMETERS_ALIGNMENT;
  instance->arena = aligned_alloc(TW_PARAMETERS_ALIGNMENT, rounded);
  if (instance->arena) instance->arena_bytes = (int64_t)rounded;
  return instance->arena;
}
