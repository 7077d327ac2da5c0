// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// numpy's files of one array, .npy.

#ifndef UKERNELS_RUNNER_NPY_H_
#define UKERNELS_RUNNER_NPY_H_

#include <stdint.h>
#include <stdio.h>

#include "ukernels/runner/elements.h"

#define TW_NPY_RANK 32

typedef struct tw_npy_t {
  char descr[16];
  int64_t rank;
  int64_t sizes[TW_NPY_RANK];
  uint8_t* data;  // of malloc
} tw_npy_t;

// Both return 0, or 1 and a sentence in `message` that goes on after the file's
// name. The first reads up to the elements, and says what they are; the second
// reads them, of a type that is known, and wants nothing behind them.
int tw_npy_read_header(FILE* file, tw_npy_t* array, char* message,
                       size_t message_bytes);
int tw_npy_read_elements(FILE* file, const tw_element_t* element,
                         tw_npy_t* array, char* message, size_t message_bytes);

// The bytes of an array's elements; -1 if sizes are negative or no memory has
// room.
int64_t tw_npy_bytes(const tw_element_t* element, int64_t rank,
                     const int64_t* sizes);

// Returns 0, or errno.
int tw_npy_write(FILE* file, const tw_element_t* element, int64_t rank,
                 const int64_t* sizes, const void* data);

#endif  // UKERNELS_RUNNER_NPY_H_
