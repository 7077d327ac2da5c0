// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the entry points that can use several threads are given them: they own
// none.

#ifndef TILEWRIGHT_PARALLEL_FOR_H_
#define TILEWRIGHT_PARALLEL_FOR_H_

#include "tilewright/index.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs body(context, i) once for each i in [0, count), in any order, on any
// threads, and returns after all of them. `self` is tw_parallel_for_t::self.
typedef struct tw_parallel_for_t {
  void (*run)(void* self, tw_index_t count,
              void (*body)(void* context, tw_index_t i), void* context);
  void* self;
} tw_parallel_for_t;

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_PARALLEL_FOR_H_
