// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: packing of lines into groups of 4 bytes of each column by an
// instruction set. That is what a rhs becomes which lies as [K][N]: 4 lines of
// bytes or 2 of 16-bit elements to each step of 4 bytes (dot products, and the
// variant `vnni`).

#ifndef UKERNELS_ZIP_GROUPS_H_
#define UKERNELS_ZIP_GROUPS_H_

#include "ukernels/pack.h"

#ifdef __cplusplus
extern "C" {
#endif

// Packs all whole tiles of a transposed matrix and returns 1; 0, with nothing
// written, if the layout is another one.
typedef int (*tw_zip_groups_fn_t)(const tw_packing_t* p,
                                  const unsigned char* matrix,
                                  unsigned char* packed);

// The best one that both cpu_data and this CPU can run, for panels are also
// packed for other CPUs; null if there is none.
tw_zip_groups_fn_t tw_zip_groups_for(const uint64_t* cpu_data);

#define TW_ZIP_GROUPS_LEVEL(arch_isa, ENUM)                 \
  int tw_zip_groups_##arch_isa(const tw_packing_t* p,       \
                               const unsigned char* matrix, \
                               unsigned char* packed);
#include "ukernels/matmul_levels.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_ZIP_GROUPS_H_
