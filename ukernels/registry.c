// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime registry.

#include "ukernels/registry.h"

#include "ukernels/element.h"

// Values by the lower-case names that rows use.
enum {
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) \
  tw_triple_##lhs##rhs##out = value,
#include "tilewright/type_triples.def"
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  tw_isa_##arch_isa = TW_ISA_##ENUM,
#include "tilewright/isas.def"
};

// A size as rows spell it, `16` or `2vl`: constants made of its characters.
#define TW_IS_SCALABLE(size) \
  (sizeof #size > 3 && #size[sizeof #size - 2] == 'l')
#define TW_DIGITS(size) (sizeof #size - 1 - 2 * TW_IS_SCALABLE(size))
#define TW_DIGIT(size, i) \
  (TW_DIGITS(size) > i ? #size[TW_DIGITS(size) > i ? i : 0] - '0' : 0)
#define TW_POWER(size, i) (TW_DIGITS(size) > i ? 10 : 1)
#define TW_NUMBER(size)                                           \
  (((TW_DIGIT(size, 0) * TW_POWER(size, 1) + TW_DIGIT(size, 1)) * \
        TW_POWER(size, 2) +                                       \
    TW_DIGIT(size, 2)) *                                          \
       TW_POWER(size, 3) +                                        \
   TW_DIGIT(size, 3))

#define TW_ROW(lhs, rhs, out, M0, N0, K0, step, variant, arch, isa)           \
  {{TW_NUMBER(M0), TW_NUMBER(N0), K0, tw_triple_##lhs##rhs##out, step,        \
    TW_IS_SCALABLE(M0), TW_IS_SCALABLE(N0), (tw_isa_t)tw_isa_##arch##_##isa}, \
   tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##variant##arch##_##isa, \
   "tw_mmt4d_tile_" #lhs #rhs #out "_" #M0 "x" #N0 "x" #K0 #variant #arch     \
   "_" #isa,                                                                  \
   TW_TILE_ORIGIN_HAND_WRITTEN},

#ifdef TW_HAVE_X86_64_TILES
#include "ukernels/x86_64/mmt4d_tiles.h"
static const tw_tile_row_t kHandWritten[] = {
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 0, _, x86_64, isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 1, _steprnd_, x86_64, isa)
#include "ukernels/x86_64/mmt4d_tiles.def"
};
#elif defined(TW_HAVE_ARM_64_TILES)
#include "ukernels/arm_64/mmt4d_tiles.h"
static const tw_tile_row_t kHandWritten[] = {
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 0, _, arm_64, isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 1, _steprnd_, arm_64, isa)
#include "ukernels/arm_64/mmt4d_tiles.def"
};
#endif

#if defined(TW_HAVE_X86_64_TILES) || defined(TW_HAVE_ARM_64_TILES)
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
  return tw_parse_tile_name(entry->name, &row->key);
}

tw_status_t tw_validate_tile_sizes(unsigned types, int32_t m0, int32_t n0,
                                   int32_t k0) {
  tw_triple_t triple;
  if (!tw_triple_of(types, &triple)) return TW_STATUS_INVALID_ARGUMENT;
  if (m0 < 1 || m0 > 1024 || n0 < 1 || n0 > 1024 || k0 < 1 || k0 > 64)
    return TW_STATUS_INVALID_ARGUMENT;
  if (m0 * k0 * tw_element_bits(triple.lhs) % 8 != 0 ||
      n0 * k0 * tw_element_bits(triple.rhs) % 8 != 0)
    return TW_STATUS_INVALID_ARGUMENT;
  return TW_STATUS_OK;
}
