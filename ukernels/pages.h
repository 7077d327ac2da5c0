// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: asking for the translations of pages ahead of time.
//
// Prefetchers of CPUs stop at the end of a page, and whoever goes on there
// waits for the page's translation first, which is long in a virtual machine.
// Weights of a few rows come from memory and are read once, so they pay for
// each page: one f32 row on 4096x4096 weights was at 19 GB/s and is at 27, as
// much as with huge pages; with 16 rows it takes 0.95 of the time (Zen 4).
// One line of each page is enough. All lines, or the next page instead of a run
// of pages, gained little or nothing: requests then wait for each other.

#ifndef UKERNELS_PAGES_H_
#define UKERNELS_PAGES_H_

#include "ukernels/index.h"

// The least page of any CPU: of larger ones a few lines are asked for in vain.
enum { TW_PAGE_BYTES = 4096 };

// Asks for the pages of `bytes` at `from`, which are read soon, but not next.
static inline void tw_ask_for_pages(const char* from, tw_index_t bytes) {
  for (tw_index_t at = 0; at < bytes; at += TW_PAGE_BYTES)
    __builtin_prefetch(from + at, 0, 2);
}

#endif  // UKERNELS_PAGES_H_
