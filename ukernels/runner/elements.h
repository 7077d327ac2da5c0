// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a model's tensors, in files of numpy and as text.

#ifndef UKERNELS_RUNNER_ELEMENTS_H_
#define UKERNELS_RUNNER_ELEMENTS_H_

#include <stddef.h>
#include <stdint.h>

#include "ukernels/runner/description.h"

typedef enum tw_element_kind_t {
  TW_ELEMENT_INTEGER,
  // The column `specials` of element_types.def. Floats of less than a byte are
  // its lowest bits.
  TW_ELEMENT_FLOAT_IEEE,
  TW_ELEMENT_FLOAT_FN,
  TW_ELEMENT_FLOAT_FNUZ,
  TW_ELEMENT_FLOAT_NONE,
  TW_ELEMENT_FLOAT_SCALE,  // an exponent alone; NaN is all ones
} tw_element_kind_t;

typedef struct tw_element_t {
  const char* name;  // as the model has it
  int bytes;         // of one element in a file and in memory
  tw_element_kind_t kind;
  int exponent_bits, mantissa_bits, bias;  // of floats
  // How numpy says it: what is written, and what is read, with spaces between.
  const char* descr;
  const char* accepted;
  const char* said;  // for people
} tw_element_t;

// Null if there is none: then the runner is older than the compiler.
const tw_element_t* tw_find_element(const char* name);

// Whether numpy's `descr` is one of `accepted`.
int tw_accepts_descr(const tw_element_t* element, const char* descr);

// The element at `bytes` as text.
void tw_print_element(const tw_element_t* element, const uint8_t* bytes,
                      char* text, size_t text_bytes);

// A number as an argument of the function. Returns 0 if `text` is none of this
// type.
int tw_parse_scalar(const tw_element_t* element, const char* text,
                    tw_runner_slot_t* slot);

#endif  // UKERNELS_RUNNER_ELEMENTS_H_
