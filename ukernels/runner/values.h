// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of one call.

#ifndef UKERNELS_RUNNER_VALUES_H_
#define UKERNELS_RUNNER_VALUES_H_

#include "tilewright/parallel_for.h"
#include "ukernels/runner/description.h"
#include "ukernels/runner/npy.h"

typedef struct tw_value_t {
  const tw_runner_value_t* description;
  const tw_element_t* element;
  int64_t rank;  // 0 of a scalar
  int64_t sizes[TW_NPY_RANK];
  uint8_t* data;
  const char* path;  // as given, of an argument's or result's file; may be null
  char* temporary;   // what the result is written to before it has its name
} tw_value_t;

typedef struct tw_call_t {
  const tw_runner_function_t* function;
  tw_value_t* arguments;
  tw_value_t* results;
  tw_runner_slot_t* slots;
  const tw_parallel_for_t* parallel_for;  // null: the calling thread
} tw_call_t;

// Prints "<program>: error: <text>" and ends the program with status 1.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
void tw_fail(const char* format, ...);

// Of `function`, before anything is read. Never null.
tw_call_t tw_new_call(const tw_runner_function_t* function);

// Reads the argument from its path, or from the number that this is.
void tw_read_argument(tw_call_t* call, tw_value_t* argument);

// Puts the arguments into slots, asks whether the call has such sizes, and
// makes memory for the results.
void tw_prepare(tw_call_t* call);

void tw_print_value(const tw_value_t* value);

// Writes the results that have a path; if one cannot be written, none.
void tw_write_results(tw_call_t* call);

// What a call returned, as a sentence.
const char* tw_status_text(const tw_call_t* call, int32_t status);

#endif  // UKERNELS_RUNNER_VALUES_H_
