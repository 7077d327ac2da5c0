// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: validation of calls of tw_matmul and its relatives.

#ifndef UKERNELS_MATMUL_CHECK_H_
#define UKERNELS_MATMUL_CHECK_H_

#include "tilewright/matmul.h"
#include "ukernels/element.h"
#include "ukernels/fault.h"

// Notes a fault of another status than INVALID_ARGUMENT and returns that.
static inline tw_status_t tw_fault(tw_fault_t* fault, tw_status_t status,
                                   const char* field, tw_index_t value,
                                   const char* rule) {
  tw_bad_number(fault, field, value, rule);
  return status;
}
static inline tw_status_t tw_fault_limit(tw_fault_t* fault, tw_status_t status,
                                         const char* field, tw_index_t value,
                                         const char* rule, tw_index_t limit) {
  tw_bad_limit(fault, field, value, rule, limit);
  return status;
}

// No tile runs these types.
static inline tw_status_t tw_no_matmul_tile(tw_fault_t* fault, unsigned types) {
  return tw_fault(fault, TW_STATUS_UNSUPPORTED, "flags: type triple",
                  (tw_index_t)types,
                  "one for which a tile, of its own or of wider types, is "
                  "linked in that cpu_data can run; or set "
                  "ALLOW_GENERIC_FALLBACK");
}

// The parts of a call that a function reads.
enum {
  TW_READS_LHS = 1,
  TW_READS_RHS = 2,
  TW_READS_OUT = 4,
  TW_READS_BUFFERS = 8,  // of those; else sizes and strides only
};

// Checks all of `params` that does not depend on the tile; fills *types.
tw_status_t tw_check_matmul(const tw_matmul_params_t* params, int reads,
                            tw_triple_t* types, tw_fault_t* fault);

// Checks the descriptor of a prepacked rhs of `bytes` bytes by itself.
tw_status_t tw_check_descriptor(const void* prepacked, tw_index_t bytes,
                                tw_fault_t* fault);

#endif  // UKERNELS_MATMUL_CHECK_H_
