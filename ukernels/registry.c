// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime registry and tw_find_tile.

#include "ukernels/registry.h"

#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/generic_tile.h"

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

#ifdef TW_HAVE_X86_64_TILES

#include "ukernels/x86_64/mmt4d_tiles.h"

#define TW_ROW(lhs, rhs, out, M0, N0, K0, step, variant, isa)                 \
  {{M0, N0, K0, tw_triple_##lhs##rhs##out, step,                              \
    (tw_isa_t)tw_isa_x86_64_##isa},                                           \
   tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##variant##x86_64_##isa, \
   "tw_mmt4d_tile_" #lhs #rhs #out "_" #M0 "x" #N0 "x" #K0 #variant           \
   "x86_64_" #isa,                                                            \
   TW_TILE_ORIGIN_HAND_WRITTEN},
static const tw_tile_row_t kHandWritten[] = {
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 0, _, isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(lhs, rhs, out, M0, N0, K0, 1, _steprnd_, isa)
#include "ukernels/x86_64/mmt4d_tiles.def"
};
static const size_t kHandWrittenCount =
    sizeof kHandWritten / sizeof kHandWritten[0];

#else

static const tw_tile_row_t kHandWritten[1];
static const size_t kHandWrittenCount = 0;

#endif  // TW_HAVE_X86_64_TILES

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

static int tw_same_tile(const tw_tile_key_t* a, const tw_tile_key_t* b) {
  return a->m0 == b->m0 && a->n0 == b->n0 && a->k0 == b->k0 &&
         a->types == b->types && a->step_rounding == b->step_rounding;
}

static void tw_explain_found(const tw_tile_row_t* best, tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, best->origin == TW_TILE_ORIGIN_HAND_WRITTEN
                         ? "Hand-written, for "
                         : "Generated, for ");
  tw_text_add(&text, tw_isa_name(best->key.isa));
  tw_text_add(&text,
              ", the best instruction set in cpu_data for which this tile is "
              "linked in.");
}

// `missing`: the best row for the key that cpu_data cannot run, or null.
static void tw_explain_missing(const tw_tile_key_t* key,
                               const tw_tile_row_t* missing, int fallback,
                               tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, fallback ? "The portable fallback, as " : "No ");
  tw_text_add_key(&text, key);
  if (missing) {
    tw_text_add(&text, fallback ? " needs " : " that can run: it needs ");
    tw_text_add(&text, tw_isa_name(missing->key.isa));
    tw_text_add(&text, ", which cpu_data lacks.");
  } else {
    tw_text_add(&text, fallback ? " is linked in for no instruction set."
                                : " is linked in for any instruction set.");
  }
}

static void tw_explain_invalid(const char* why, tw_tile_info_t* info) {
  tw_text_t text = tw_text_begin(info->reason, sizeof info->reason);
  tw_text_add(&text, why);
}

tw_status_t tw_find_tile(const tw_mmt4d_params_t* params,
                         tw_tile_info_t* info) {
  if (!info) return TW_STATUS_INVALID_ARGUMENT;
  info->fn = 0;
  info->origin = TW_TILE_ORIGIN_NONE;
  info->isa = TW_ISA_GENERIC;
  info->name = "";
  if (!params) {
    tw_explain_invalid("params is null.", info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  if (params->flags & ~(uint32_t)TW_MMT4D_FLAG_ALL) {
    tw_explain_invalid("params->flags has a bit that no flag of tile.h has.",
                       info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  const unsigned types = params->flags & TW_MMT4D_FLAG_TYPE_MASK;
  tw_triple_t triple;
  if (!tw_triple_of(types, &triple)) {
    tw_explain_invalid(
        "The low byte of params->flags is no row of type_triples.def.", info);
    return TW_STATUS_INVALID_ARGUMENT;
  }
  tw_status_t status =
      tw_validate_tile_sizes(types, params->M0, params->N0, params->K0);
  if (status != TW_STATUS_OK) {
    tw_explain_invalid(
        "M0 and N0 must be in 1..1024, K0 in 1..64, and M0*K0 lhs elements and "
        "N0*K0 rhs elements must each fill whole bytes.",
        info);
    return status;
  }

  const int once =
      !!(params->flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS);
  tw_tile_key_t key = {params->M0,
                       params->N0,
                       params->K0,
                       (uint8_t)types,
                       (uint8_t)(tw_triple_rounds(&triple) && !once),
                       TW_ISA_GENERIC};
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  const uint64_t* cpu_data = params->cpu_data;
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }

  // ISAs are numbered best first, and hand-written rows come before generated
  // ones, so the first row with the least ISA wins.
  tw_tile_row_t best, missing;
  int have_best = 0, have_missing = 0;
  const size_t count = tw_tile_row_count();
  for (size_t i = 0; i < count; ++i) {
    tw_tile_row_t row;
    if (!tw_tile_row(i, &row) || !tw_same_tile(&row.key, &key)) continue;
    const int available = tw_isa_available(row.key.isa, cpu_data);
    tw_tile_row_t* slot = available ? &best : &missing;
    int* have = available ? &have_best : &have_missing;
    if (*have && slot->key.isa <= row.key.isa) continue;
    *slot = row;
    *have = 1;
  }
  if (have_best) {
    info->fn = best.fn;
    info->origin = best.origin;
    info->isa = best.key.isa;
    info->name = best.name;
    tw_explain_found(&best, info);
    return TW_STATUS_OK;
  }
  const int fallback = !!(params->flags & TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK);
  tw_explain_missing(&key, have_missing ? &missing : 0, fallback, info);
  if (!fallback) return TW_STATUS_UNSUPPORTED;
  info->fn = tw_mmt4d_generic_tile;
  info->origin = TW_TILE_ORIGIN_GENERIC;
  info->name = "generic";
  return TW_STATUS_OK;
}
