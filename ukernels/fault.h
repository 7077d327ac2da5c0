// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what a check found wrong, as data. The functions that do the work
// check with a null fault and learn the status only; the explaining ones let
// the same checks note more, and explain.c makes a sentence of it.

#ifndef UKERNELS_FAULT_H_
#define UKERNELS_FAULT_H_

#include "tilewright/status.h"
#include "tilewright/tile.h"

// "<field> is <value>: it must be <rule>[ <limit>]."
typedef struct tw_fault_t {
  const char* field;
  enum {
    TW_FAULT_NUMBER,
    TW_FAULT_BITS,     // value is written in hexadecimal
    TW_FAULT_POINTER,  // value is not written: the pointer is null
  } kind;
  tw_index_t value;
  const char* rule;
  int has_limit;
  tw_index_t limit;
} tw_fault_t;

// Each notes a fault, unless `fault` is null, and returns INVALID_ARGUMENT.
static inline tw_status_t tw_bad_number(tw_fault_t* fault, const char* field,
                                        tw_index_t value, const char* rule) {
  if (fault) *fault = (tw_fault_t){field, TW_FAULT_NUMBER, value, rule, 0, 0};
  return TW_STATUS_INVALID_ARGUMENT;
}

static inline tw_status_t tw_bad_limit(tw_fault_t* fault, const char* field,
                                       tw_index_t value, const char* rule,
                                       tw_index_t limit) {
  if (fault)
    *fault = (tw_fault_t){field, TW_FAULT_NUMBER, value, rule, 1, limit};
  return TW_STATUS_INVALID_ARGUMENT;
}

static inline tw_status_t tw_bad_bits(tw_fault_t* fault, const char* field,
                                      tw_index_t value, const char* rule) {
  if (fault) *fault = (tw_fault_t){field, TW_FAULT_BITS, value, rule, 0, 0};
  return TW_STATUS_INVALID_ARGUMENT;
}

static inline tw_status_t tw_bad_pointer(tw_fault_t* fault, const char* field,
                                         const char* rule) {
  if (fault) *fault = (tw_fault_t){field, TW_FAULT_POINTER, 0, rule, 0, 0};
  return TW_STATUS_INVALID_ARGUMENT;
}

// The same for a number that makes a size too large: OVERFLOW.
static inline tw_status_t tw_too_large(tw_fault_t* fault, const char* field,
                                       tw_index_t value, const char* rule) {
  tw_bad_number(fault, field, value, rule);
  return TW_STATUS_OVERFLOW;
}

// The sentence of a fault, in an array of `size` characters, at least 1: what
// does not fit is cut off, and it ends with a zero.
void tw_explain_fault(const tw_fault_t* fault, char* text, size_t size);

// The fault's sentence, or for OK "<fine><what>."; nothing if there is no room.
void tw_explain_status(tw_status_t status, const tw_fault_t* fault,
                       const char* fine, const char* what, char* text,
                       size_t size);

#endif  // UKERNELS_FAULT_H_
