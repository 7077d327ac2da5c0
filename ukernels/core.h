// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: which core a CPU has, what caches (cores.def), and how quick it is
// with the instructions of tiles (core_rates.def).

#ifndef UKERNELS_CORE_H_
#define UKERNELS_CORE_H_

#include "tilewright/index.h"
#include "ukernels/multiply.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_core_vendor_t {
  TW_CORE_VENDOR_INTEL = 'I',
  TW_CORE_VENDOR_AMD = 'A'
} tw_core_vendor_t;

// Of chips with two kinds of cores, which one; else ALL.
typedef enum tw_core_kind_t {
  TW_CORE_KIND_ALL,
  TW_CORE_KIND_PERFORMANCE,
  TW_CORE_KIND_EFFICIENCY
} tw_core_kind_t;

// The word TW_CPU_WORD_CORE: cpu_features.def says how it is made up.
#define TW_CORE_WORD_ARM_64(implementer, part) \
  ((uint64_t)(implementer) << 24 | (uint64_t)(part) << 4)
#define TW_CORE_WORD_X86_64(vendor, family, model, kind)                     \
  ((uint64_t)1 << 32 | (uint64_t)(vendor) << 24 | (uint64_t)(family) << 12 | \
   (uint64_t)(model) << 4 | (uint64_t)(kind))

typedef enum tw_core_t {
#define TW_CORE(ARCH, ENUM, llvm_cpu) TW_CORE_##ENUM,
#include "tilewright/cores.def"
  TW_CORE_UNKNOWN
} tw_core_t;

tw_core_t tw_core_of(const uint64_t* cpu_data);

// LLVM's name of the core in cpu_data; null if it is unknown.
const char* tw_core_name(const uint64_t* cpu_data);

// TW_CPU_WORD_CORE of the first part or model of that core; 0 of
// TW_CORE_UNKNOWN.
uint64_t tw_core_word(tw_core_t core);

// Sets the core in cpu_data to the one of that name; 0 if there is none.
int tw_set_core(const char* llvm_cpu, uint64_t* cpu_data);

// How many of `instruction` the core of cpu_data completes while it completes
// one of its first row of core_rates.def, FMLA or FMA_YMM; 1 if only that is
// known of it, 0 for an unknown core or no instruction.
double tw_core_rate(const uint64_t* cpu_data, tw_instruction_t instruction);

// The word TW_CPU_WORD_CACHES.
#define TW_CACHES_WORD(l1_kib, l2_kib) \
  ((uint64_t)(l1_kib) | (uint64_t)(l2_kib) << 16)

typedef struct tw_caches_t {
  tw_index_t l1, l2;  // bytes
  // Panels that are best read side by side, of a rhs of at least so many L2,
  // `stream_caches`, by tiles of at least `stream_rows` rows and at most
  // `stream_tiles` rows of tiles; 1 or 0 where one after the other is as good.
  tw_index_t streams, stream_rows, stream_tiles, stream_caches;
  int slow_l3;  // TW_CORE_SLOW_L3 of cores.def
} tw_caches_t;

// What cpu_data says, else its core's; of an unknown core what most servers
// have, 32 KiB and 1 MiB. The rest is the core's (cores.def).
tw_caches_t tw_caches_of(const uint64_t* cpu_data);

// Bytes of its L3 for a block of the lhs that one thread passes over
// (TW_CORE_L3 of cores.def); where none were measured 2 MiB, which every x86-64
// server and client core since 2015, and Arm Neoverse and Cortex-A7x or -X
// cores, have per thread.
tw_index_t tw_core_l3(const uint64_t* cpu_data);

// Whether the core gains by storing past its caches what is in none of them
// (TW_CORE_STORES_PAST of cores.def).
int tw_core_stores_past_caches(const uint64_t* cpu_data);

// Whether the core gains by asking for the pages of rows of an unpacked rhs
// instead of their cache lines (TW_CORE_ASKS_PAGES of cores.def).
int tw_core_asks_pages(const uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_CORE_H_
