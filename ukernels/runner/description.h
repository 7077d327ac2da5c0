// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiled model says of itself to the runner of its executable. The
// compiler writes these structs word by word (Compile/Program/AddRunner.cpp).

#ifndef UKERNELS_RUNNER_DESCRIPTION_H_
#define UKERNELS_RUNNER_DESCRIPTION_H_

#include <stdint.h>

typedef struct tw_runner_value_t {
  const char* name;
  const char* element;   // "f32", "index"
  const char* shape;     // as the header has it, "[images_d0][64]"
  int64_t rank;          // -1: a scalar
  const int64_t* sizes;  // of each dimension, -1 where it is dynamic
} tw_runner_value_t;

// A parameter of an entry point: a pointer, or a number that its type reads.
typedef union tw_runner_slot_t {
  void* pointer;
  int64_t integer;
  double f64;
  float f32;
} tw_runner_slot_t;

// Slots are the parameters of the function for C, in order, without instance;
// of a model for several threads, a tw_parallel_for_t is the last.
typedef struct tw_runner_function_t {
  const char* name;
  int64_t argument_count;
  const tw_runner_value_t* arguments;
  int64_t result_count;
  const tw_runner_value_t* results;
  // The status of a call with these sizes. Results need no memory yet.
  int32_t (*check)(const tw_runner_slot_t* slots);
  // Every size of every result, of a call that is not refused.
  void (*result_sizes)(const tw_runner_slot_t* slots, int64_t* sizes);
  int32_t (*call)(void* instance, const tw_runner_slot_t* slots);
  // What a status of the model's own says; null if there is none.
  const char* (*message)(int32_t status);
} tw_runner_function_t;

typedef struct tw_runner_model_t {
  int64_t function_count;
  const tw_runner_function_t* functions;
  // Of tilewright/instance.h; null if the model has no instances, the first and
  // the last also where these have no parameters.
  int32_t (*open_parameters)(const char* path, void** parameters, char* message,
                             int64_t message_bytes);
  int32_t (*create)(const void* parameters, void** instance);
  void (*destroy)(void* instance);
  void (*close_parameters)(void* parameters);
  int64_t threads;  // that it was compiled for, 1 without --threads
  int64_t needs_amx;
} tw_runner_model_t;

// The compiler's.
extern const tw_runner_model_t tw_runner_model;

#endif  // UKERNELS_RUNNER_DESCRIPTION_H_
