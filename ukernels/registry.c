// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime registry.

#include "ukernels/registry.h"

#include <stdatomic.h>

#include "ukernels/row_key.h"

#if defined(TW_HAVE_X86_64_TILES) || defined(TW_HAVE_ARM_64_TILES)
#include "ukernels/mmt4d_tiles.h"
static const tw_tile_row_t kHandWritten[] = {
#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  {TW_KEY_OF_ROW(lhs, rhs, out, M0, N0, K0, variant, arch, isa),             \
   TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa),              \
   TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa),            \
   TW_TILE_ORIGIN_HAND_WRITTEN},
#include "ukernels/mmt4d_tiles.def"
};
static const size_t kHandWrittenCount =
    sizeof kHandWritten / sizeof kHandWritten[0];
#else
static const tw_tile_row_t kHandWritten[1];
static const size_t kHandWrittenCount = 0;
#endif

// The section `tw_tiles`. ELF linkers define these two names for a section
// whose name is a C identifier; without such a section they stay null.
#ifdef __ELF__
extern const tw_tile_entry_t __start_tw_tiles[]
    __attribute__((weak, visibility("hidden")));
extern const tw_tile_entry_t __stop_tw_tiles[]
    __attribute__((weak, visibility("hidden")));
static const tw_tile_entry_t* tw_entries(void) { return __start_tw_tiles; }
static size_t tw_entry_count(void) {
  return ((uintptr_t)__stop_tw_tiles - (uintptr_t)__start_tw_tiles) /
         sizeof(tw_tile_entry_t);
}
#else
static const tw_tile_entry_t* tw_entries(void) { return 0; }
static size_t tw_entry_count(void) { return 0; }
#endif

size_t tw_tile_row_count(void) { return kHandWrittenCount + tw_entry_count(); }

const tw_tile_row_t* tw_hand_written_rows(size_t* count) {
  *count = kHandWrittenCount;
  return kHandWritten;
}

// ---- Keys of entries --------------------------------------------------------

// An entry's name is parsed by the first call that meets it, and what it said
// is remembered in one word, for so many entries; the others' again each time.
// Threads that race store the same word, so no lock is needed.
enum { kRemembered = 512, kM0At = 0, kN0At = 12, kK0At = 24, kTypesAt = 32 };
enum { kFlagsAt = 40, kIsaAt = 48, kStateAt = 56 };
enum { kUnknown = 0, kIsKey = 1, kIsNoKey = 2 };  // states
_Static_assert(TW_ISA_COUNT <= 256, "an ISA takes 8 bits");

static uint64_t tw_word_of(int is_key, const tw_tile_key_t* k) {
  if (!is_key) return (uint64_t)kIsNoKey << kStateAt;
  const unsigned flags = (unsigned)k->step_rounding |
                         (unsigned)k->m0_scalable << 1 |
                         (unsigned)k->n0_scalable << 2 | (unsigned)k->vnni << 3;
  return (uint64_t)k->m0 << kM0At | (uint64_t)k->n0 << kN0At |
         (uint64_t)k->k0 << kK0At | (uint64_t)k->types << kTypesAt |
         (uint64_t)flags << kFlagsAt | (uint64_t)k->isa << kIsaAt |
         (uint64_t)kIsKey << kStateAt;
}

static int tw_key_of_word(uint64_t word, tw_tile_key_t* k) {
  const unsigned flags = (unsigned)(word >> kFlagsAt);
  k->m0 = (int32_t)(word >> kM0At & 0xFFF);
  k->n0 = (int32_t)(word >> kN0At & 0xFFF);
  k->k0 = (int32_t)(word >> kK0At & 0xFF);
  k->types = (uint8_t)(word >> kTypesAt);
  k->step_rounding = flags & 1;
  k->m0_scalable = flags >> 1 & 1;
  k->n0_scalable = flags >> 2 & 1;
  k->vnni = flags >> 3 & 1;
  k->isa = (tw_isa_t)(word >> kIsaAt & 0xFF);
  return word >> kStateAt == kIsKey;
}

static int tw_entry_key(size_t i, const char* name, tw_tile_key_t* key) {
  static _Atomic(uint64_t) known[kRemembered];
  if (i >= kRemembered) return tw_parse_tile_name(name, key);
  uint64_t word = atomic_load_explicit(&known[i], memory_order_relaxed);
  if (word >> kStateAt == kUnknown) {
    word = tw_word_of(tw_parse_tile_name(name, key), key);
    atomic_store_explicit(&known[i], word, memory_order_relaxed);
  }
  return tw_key_of_word(word, key);
}

int tw_tile_row(size_t i, tw_tile_row_t* row) {
  if (i < kHandWrittenCount) {
    *row = kHandWritten[i];
    return 1;
  }
  const tw_tile_entry_t* entry = tw_entries() + (i - kHandWrittenCount);
  // A linker may pad the section with zeros.
  if (!entry->name || !entry->fn) return 0;
  row->fn = entry->fn;
  row->name = entry->name;
  row->origin = TW_TILE_ORIGIN_GENERATED;
  return tw_entry_key(i - kHandWrittenCount, entry->name, &row->key);
}

int tw_tile_key_of(size_t i, tw_type_triple_t types, tw_tile_key_t* key) {
  tw_tile_row_t generated;
  const tw_tile_row_t* row = &generated;
  if (i < kHandWrittenCount)
    row = &kHandWritten[i];
  else if (!tw_tile_row(i, &generated))
    return 0;
  if (row->key.types != (unsigned)types) return 0;
  *key = row->key;
  return 1;
}
