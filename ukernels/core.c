// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/core.h"

#include <string.h>

static const char* const kNames[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) llvm_cpu,
#include "tilewright/cores.def"
};

// The words from `first` to `last`, of one kind.
typedef struct tw_core_words_t {
  tw_core_t core;
  uint64_t first, last;
} tw_core_words_t;

static const tw_core_words_t kWords[] = {
#define TW_CORE_PART(ENUM, implementer, part)              \
  {TW_CORE_##ENUM, TW_CORE_WORD_ARM_64(implementer, part), \
   TW_CORE_WORD_ARM_64(implementer, part)},
#define TW_CORE_MODELS(ENUM, VENDOR, family, first, last, KIND) \
  {TW_CORE_##ENUM,                                              \
   TW_CORE_WORD_X86_64(TW_CORE_VENDOR_##VENDOR, family, first,  \
                       TW_CORE_KIND_##KIND),                    \
   TW_CORE_WORD_X86_64(TW_CORE_VENDOR_##VENDOR, family, last,   \
                       TW_CORE_KIND_##KIND)},
#include "tilewright/cores.def"
};

tw_core_t tw_core_of(const uint64_t* cpu_data) {
  const uint64_t word = cpu_data[TW_CPU_WORD_CORE];
  for (size_t i = 0; i < sizeof kWords / sizeof kWords[0]; ++i) {
    const tw_core_words_t* words = &kWords[i];
    // Models differ in steps of 16, below which is the kind.
    if (word >= words->first && word <= words->last &&
        (word - words->first) % 16 == 0)
      return words->core;
  }
  return TW_CORE_UNKNOWN;
}

const char* tw_core_name(const uint64_t* cpu_data) {
  const tw_core_t core = tw_core_of(cpu_data);
  return core == TW_CORE_UNKNOWN ? 0 : kNames[core];
}

static tw_core_t tw_core_called(const char* llvm_cpu) {
  for (int core = 0; core < TW_CORE_UNKNOWN; ++core)
    if (strcmp(kNames[core], llvm_cpu) == 0) return (tw_core_t)core;
#define TW_CORE_ALIAS(ENUM, alias) \
  if (strcmp(alias, llvm_cpu) == 0) return TW_CORE_##ENUM;
#include "tilewright/cores.def"
  return TW_CORE_UNKNOWN;
}

uint64_t tw_core_word(tw_core_t core) {
  for (size_t i = 0; i < sizeof kWords / sizeof kWords[0]; ++i)
    if (kWords[i].core == core) return kWords[i].first;
  return 0;
}

int tw_set_core(const char* llvm_cpu, uint64_t* cpu_data) {
  const uint64_t word = tw_core_word(tw_core_called(llvm_cpu));
  if (word == 0) return 0;
  cpu_data[TW_CPU_WORD_CORE] = word;
  return 1;
}

typedef struct tw_rate_row_t {
  tw_core_t core;
  tw_instruction_t instruction;
  double per_cycle;
} tw_rate_row_t;

static const tw_rate_row_t kRates[] = {
#define TW_CORE_RATE(CORE, INSTRUCTION, per_cycle) \
  {TW_CORE_##CORE, TW_INSTRUCTION_##INSTRUCTION, per_cycle},
#include "tilewright/core_rates.def"
};

double tw_core_rate(const uint64_t* cpu_data, tw_instruction_t instruction) {
  const tw_core_t core = tw_core_of(cpu_data);
  if (core == TW_CORE_UNKNOWN || instruction == TW_INSTRUCTION_NONE) return 0;
  double rate = 0, first = 0;
  for (size_t i = 0; i < sizeof kRates / sizeof kRates[0]; ++i) {
    if (kRates[i].core != core) continue;
    if (first == 0) first = kRates[i].per_cycle;
    if (kRates[i].instruction == instruction) rate = kRates[i].per_cycle;
  }
  if (first == 0) return 0;
  return rate > 0 ? rate / first : 1;
}

typedef struct tw_caches_row_t {
  tw_core_t core;
  uint64_t word;
} tw_caches_row_t;

static const tw_caches_row_t kCaches[] = {
#define TW_CORE_CACHES(ENUM, l1, l2) {TW_CORE_##ENUM, TW_CACHES_WORD(l1, l2)},
#include "tilewright/cores.def"
};

int tw_core_stores_past_caches(const uint64_t* cpu_data) {
  switch (tw_core_of(cpu_data)) {
#define TW_CORE_STORES_PAST(ENUM) case TW_CORE_##ENUM:
#include "tilewright/cores.def"
    return 1;
    default:
      return 0;
  }
}

int tw_core_asks_pages(const uint64_t* cpu_data) {
  switch (tw_core_of(cpu_data)) {
#define TW_CORE_ASKS_PAGES(ENUM) case TW_CORE_##ENUM:
#include "tilewright/cores.def"
    return 1;
    default:
      return 0;
  }
}

tw_index_t tw_core_l3(const uint64_t* cpu_data) {
  switch (tw_core_of(cpu_data)) {
#define TW_CORE_L3(ENUM, kib) \
  case TW_CORE_##ENUM:        \
    return (tw_index_t)(kib) << 10;
#include "tilewright/cores.def"
    default:
      return 2 << 20;
  }
}

static int tw_has_slow_l3(tw_core_t core) {
  switch (core) {
#define TW_CORE_SLOW_L3(ENUM) case TW_CORE_##ENUM:
#include "tilewright/cores.def"
    return 1;
    default:
      return 0;
  }
}

static void tw_set_streams(tw_core_t core, tw_caches_t* caches) {
  caches->streams = caches->stream_rows = 1;
  caches->stream_tiles = caches->stream_caches = 1;
  switch (core) {
#define TW_CORE_STREAMS(ENUM, panels, rows, tiles, l2s) \
  case TW_CORE_##ENUM:                                  \
    caches->streams = panels;                           \
    caches->stream_rows = rows;                         \
    caches->stream_tiles = tiles;                       \
    caches->stream_caches = l2s;                        \
    break;
#include "tilewright/cores.def"
    default:
      break;
  }
}

tw_caches_t tw_caches_of(const uint64_t* cpu_data) {
  uint64_t word = cpu_data[TW_CPU_WORD_CACHES];
  const tw_core_t core = tw_core_of(cpu_data);
  for (size_t i = 0; word == 0 && i < sizeof kCaches / sizeof kCaches[0]; ++i)
    if (kCaches[i].core == core) word = kCaches[i].word;
  tw_caches_t caches;
  caches.l1 = (tw_index_t)(word & 0xFFFF) << 10;
  caches.l2 = (tw_index_t)(word >> 16 & 0xFFFFFFFF) << 10;
  tw_set_streams(core, &caches);
  caches.slow_l3 = tw_has_slow_l3(core);
  if (caches.l1 == 0) caches.l1 = 32 << 10;
  if (caches.l2 == 0) caches.l2 = 1 << 20;
  return caches;
}
