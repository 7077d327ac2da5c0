// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime registry.

#include "ukernels/registry.h"

#include "ukernels/key_word.h"

typedef struct tw_hand_written_t {
  tw_mmt4d_tile_fn_t fn;
  const char* name;
} tw_hand_written_t;

#ifdef TW_HAVE_TILES
#include "ukernels/mmt4d_tiles.h"
static const tw_hand_written_t kHandWritten[] = {
#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  {TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa),              \
   TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa)},
#include "ukernels/mmt4d_tiles.def"
};
enum { kHandWrittenTiles = sizeof kHandWritten / sizeof kHandWritten[0] };
#else
static const tw_hand_written_t kHandWritten[1];
enum { kHandWrittenTiles = 0 };
#endif
static const size_t kHandWrittenCount = kHandWrittenTiles;

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

size_t tw_linked_tile_count(void) {
  return kHandWrittenCount + tw_entry_count();
}

// ---- What names say ---------------------------------------------------------

// Of all hand-written tiles and so many entries; those of others are read again
// each time.
enum { kRememberedEntries = 512 };
enum { kRemembered = kHandWrittenTiles + kRememberedEntries };
static tw_key_word_t known[kRemembered];

// Null for an entry that is none: a linker may pad the section with zeros.
static const char* tw_linked_name(size_t i) {
  if (i < kHandWrittenCount) return kHandWritten[i].name;
  const tw_tile_entry_t* entry = tw_entries() + (i - kHandWrittenCount);
  return entry->fn ? entry->name : 0;
}

static uint64_t tw_read_linked(size_t i) {
  const char* name = tw_linked_name(i);
  if (i < kRemembered) return tw_recall_name(&known[i], name ? name : "");
  return name ? tw_word_of_name(name) : 0;
}

static uint64_t tw_linked_word(size_t i) {
  const uint64_t word =
      i < kRemembered ? atomic_load_explicit(&known[i], memory_order_relaxed)
                      : 0;
  return word ? word : tw_read_linked(i);
}

int tw_linked_tile(size_t i, tw_linked_tile_t* tile) {
  const uint64_t word = tw_linked_word(i);
  if (!tw_word_is_key(word)) return 0;
  tw_key_of_word(word, &tile->key);
  tile->name = tw_linked_name(i);
  tile->origin = i < kHandWrittenCount ? TW_TILE_ORIGIN_HAND_WRITTEN
                                       : TW_TILE_ORIGIN_GENERATED;
  tile->fn = i < kHandWrittenCount ? kHandWritten[i].fn
                                   : tw_entries()[i - kHandWrittenCount].fn;
  return 1;
}

int tw_tile_key_of(size_t i, tw_type_triple_t types, tw_tile_key_t* key) {
  const uint64_t word = tw_linked_word(i);
  if (!tw_word_has_types(word, types)) return 0;
  tw_key_of_word(word, key);
  return 1;
}

// ---- Tiles of the same types ------------------------------------------------

// Hundreds of tiles are passed over for each tile that is looked for, so those
// of the same types are chained: numbers plus one, for 0 ends a chain. Threads
// that race store the same numbers.
static _Atomic(uint16_t) first_of[TW_MMT4D_FLAG_TYPE_MASK + 1];
static _Atomic(uint16_t) next_of[kRemembered];
_Static_assert(kRemembered < 0xFFFF, "numbers of tiles take 16 bits");

static void tw_chain_tiles(void) {
  static _Atomic(int) are_chained;
  if (atomic_load_explicit(&are_chained, memory_order_acquire)) return;
  uint16_t first[TW_MMT4D_FLAG_TYPE_MASK + 1] = {0};
  size_t i = tw_linked_tile_count();
  if (i > kRemembered) i = kRemembered;
  while (i-- > 0) {
    const uint64_t word = tw_linked_word(i);
    if (!tw_word_is_key(word)) continue;
    const uint8_t types = tw_types_of_word(word);
    atomic_store_explicit(&next_of[i], first[types], memory_order_relaxed);
    first[types] = (uint16_t)(i + 1);
  }
  for (int types = 0; types <= TW_MMT4D_FLAG_TYPE_MASK; ++types)
    atomic_store_explicit(&first_of[types], first[types], memory_order_relaxed);
  atomic_store_explicit(&are_chained, 1, memory_order_release);
}

// The tile that `link` leads to; at a chain's end the first one from `i` on of
// those that are not remembered.
static size_t tw_follow(const _Atomic(uint16_t)* link, size_t i,
                        tw_type_triple_t types, tw_tile_key_t* key) {
  const unsigned number = atomic_load_explicit(link, memory_order_relaxed);
  if (number > 0) {
    tw_key_of_word(
        atomic_load_explicit(&known[number - 1], memory_order_relaxed), key);
    return number - 1;
  }
  const size_t count = tw_linked_tile_count();
  while (i < count && !tw_tile_key_of(i, types, key)) ++i;
  return i < count ? i : count;
}

size_t tw_first_tile_of(tw_type_triple_t types, tw_tile_key_t* key) {
  tw_chain_tiles();
  return tw_follow(&first_of[types & TW_MMT4D_FLAG_TYPE_MASK], kRemembered,
                   types, key);
}

size_t tw_next_tile_of(size_t i, tw_type_triple_t types, tw_tile_key_t* key) {
  static const _Atomic(uint16_t) kEnd;
  return i < kRemembered ? tw_follow(&next_of[i], kRemembered, types, key)
                         : tw_follow(&kEnd, i + 1, types, key);
}
