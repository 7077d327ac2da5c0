// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepacked operands: descriptor, digest, packing.

#include "tilewright/prepacked.h"

#include <string.h>

#include "tilewright/digest.h"
#include "ukernels/cpu.h"
#include "ukernels/index.h"
#include "ukernels/matmul_check.h"
#include "ukernels/matmul_panels.h"
#include "ukernels/matmul_unpacked.h"
#include "ukernels/pack.h"

// ---- Digest -----------------------------------------------------------------

static uint64_t tw_header_digest(const tw_prepacked_t* header) {
  return tw_digest_bytes(header, offsetof(tw_prepacked_t, header_digest));
}

// ---- Descriptor -------------------------------------------------------------

// Bytes of panels of tile_types; OVERFLOW if they do not fit.
static tw_status_t tw_panel_bytes(tw_index_t N, tw_index_t K, tw_index_t N0,
                                  tw_index_t K0, tw_element_type_t type,
                                  tw_index_t* bytes) {
  if (tw_mul_overflows(tw_panels_of(N, N0), tw_panels_of(K, K0), bytes) ||
      tw_mul_overflows(*bytes, N0 * K0, bytes) ||
      tw_mul_overflows(*bytes, tw_element_bits(type), bytes))
    return TW_STATUS_OVERFLOW;
  *bytes /= 8;
  return tw_add_overflows(*bytes, (tw_index_t)sizeof(tw_prepacked_t),
                          &(tw_index_t){0})
             ? TW_STATUS_OVERFLOW
             : TW_STATUS_OK;
}

static tw_status_t tw_not_prepacked(tw_fault_t* fault, const char* field,
                                    tw_index_t value, const char* rule) {
  return tw_fault(fault, TW_STATUS_NOT_PREPACKED, field, value, rule);
}

// Whether it says how panels of its types and K0 lie.
static int tw_is_layout(const tw_prepacked_t* h) {
  tw_triple_t types;
  if (h->layout != TW_PREPACKED_LAYOUT_VNNI)
    return h->layout == TW_PREPACKED_LAYOUT_PANELS;
  return tw_triple_of(h->tile_types, &types) && tw_vnni_group(&types) > 0 &&
         h->K0 == 16 * tw_vnni_group(&types);
}

tw_status_t tw_check_descriptor(const void* prepacked, tw_index_t bytes,
                                tw_fault_t* fault) {
  if (!prepacked || (uintptr_t)prepacked % sizeof(uint64_t) != 0)
    return tw_bad_bits(fault, "rhs", (tw_index_t)(uintptr_t)prepacked,
                       "a multiple of 8 and not null, for a prepacked one");
  if (bytes < (tw_index_t)sizeof(tw_prepacked_t))
    return tw_fault_limit(fault, TW_STATUS_NOT_PREPACKED, "rhs_bytes", bytes,
                          "at least the descriptor's size,",
                          (tw_index_t)sizeof(tw_prepacked_t));
  const tw_prepacked_t* h = (const tw_prepacked_t*)prepacked;
  if (h->magic != TW_PREPACKED_MAGIC)
    return tw_not_prepacked(fault, "rhs's descriptor: magic",
                            (tw_index_t)h->magic,
                            "TW_PREPACKED_MAGIC; this is no prepacked rhs, or "
                            "one of another byte order");
  if (h->version != TW_PREPACKED_VERSION)
    return tw_fault_limit(fault, TW_STATUS_NOT_PREPACKED,
                          "rhs's descriptor: version", (tw_index_t)h->version,
                          "the version that this library reads,",
                          TW_PREPACKED_VERSION);
  if (h->header_digest != tw_header_digest(h))
    return tw_fault(fault, TW_STATUS_DAMAGED, "rhs's descriptor: header_digest",
                    (tw_index_t)h->header_digest,
                    "the digest of the descriptor, which is damaged");
  // What has a right digest was written so by somebody; panels are found by it.
  tw_triple_t tile_types;
  tw_index_t panels;
  if (h->header_bytes != sizeof *h || !tw_is_layout(h) || h->K < 0 ||
      h->N < 0 || h->N0 < 1 || h->N0 > 1024 || h->K0 < 1 || h->K0 > 64 ||
      !tw_triple_of(h->tile_types, &tile_types) ||
      tw_panel_bytes((tw_index_t)h->N, (tw_index_t)h->K, h->N0, h->K0,
                     tile_types.rhs, &panels) != TW_STATUS_OK ||
      h->panel_bytes != (uint64_t)panels)
    return tw_not_prepacked(
        fault, "rhs's descriptor: panel_bytes", (tw_index_t)h->panel_bytes,
        "what header_bytes, layout, N, K, N0, K0 and tile_types give");
  if (bytes - (tw_index_t)sizeof *h < panels)
    return tw_fault_limit(fault, TW_STATUS_OUT_OF_RANGE, "rhs_bytes", bytes,
                          "at least the descriptor and its panels,",
                          panels + (tw_index_t)sizeof *h);
  return TW_STATUS_OK;
}

static tw_status_t tw_check_panels(const void* prepacked, tw_index_t bytes,
                                   tw_fault_t* fault) {
  const tw_status_t status = tw_check_descriptor(prepacked, bytes, fault);
  if (status != TW_STATUS_OK) return status;
  const tw_prepacked_t* header = (const tw_prepacked_t*)prepacked;
  if (tw_digest_bytes(header + 1, header->panel_bytes) == header->panel_digest)
    return TW_STATUS_OK;
  tw_bad_bits(fault, "rhs's descriptor: panel_digest",
              (tw_index_t)header->panel_digest,
              "the digest of the panels, which are damaged");
  return TW_STATUS_DAMAGED;
}

tw_status_t tw_check_prepacked(const void* prepacked, tw_index_t bytes) {
  return tw_check_panels(prepacked, bytes, 0);
}

tw_status_t tw_check_prepacked_explain(const void* prepacked, tw_index_t bytes,
                                       char* text, size_t size) {
  tw_fault_t fault;
  const tw_status_t status = tw_check_panels(prepacked, bytes, &fault);
  tw_explain_status(status, &fault, "Nothing is wrong", "", text, size);
  return status;
}

// ---- Packing ----------------------------------------------------------------

// Fills the descriptor but for the digests.
static tw_status_t tw_describe(const tw_matmul_params_t* params, int reads,
                               tw_matmul_side_t* rhs, tw_prepacked_t* header,
                               tw_fault_t* fault) {
  tw_triple_t types;
  if (!params) return tw_bad_pointer(fault, "params", "a struct of params");
  if (params->flags & TW_MATMUL_FLAG_RHS_PREPACKED)
    return tw_bad_bits(fault, "flags", params->flags,
                       "without RHS_PREPACKED: the rhs is yet to be packed");
  const tw_status_t status = tw_check_matmul(params, reads, &types, fault);
  if (status != TW_STATUS_OK) return status;
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  const uint64_t* cpu_data = params->cpu_data;
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  tw_matmul_tile_t tile;
  const unsigned value = params->flags & TW_MMT4D_FLAG_TYPE_MASK;
  const tw_caches_t caches = tw_caches_of(cpu_data);
  const tw_matmul_question_t question = {
      -1,        tw_in_unpacked_tiles(params, &types, cpu_data),
      params->K, cpu_data,
      &caches,   /*panels=*/0};
  if (!tw_choose_matmul_tile(
          (tw_type_triple_t)value, &question,
          !!(params->flags & TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK), &tile))
    return tw_no_matmul_tile(fault, value);
  *rhs = tw_rhs_side(params, &types, &tile);
  tw_index_t panels;
  const tw_status_t sized =
      tw_panel_bytes(params->N, params->K, tile.sizes.N0, tile.sizes.K0,
                     tile.types.rhs, &panels);
  if (sized != TW_STATUS_OK)
    return tw_fault(fault, sized, "K", params->K,
                    "such that the panels fit the address space");
  memset(header, 0, sizeof *header);
  header->magic = TW_PREPACKED_MAGIC;
  header->version = TW_PREPACKED_VERSION;
  header->header_bytes = sizeof *header;
  header->types = value;
  header->tile_types = tile.value;
  header->K = params->K;
  header->N = params->N;
  header->N0 = tile.sizes.N0;
  header->K0 = tile.sizes.K0;
  header->layout =
      tile.vnni ? TW_PREPACKED_LAYOUT_VNNI : TW_PREPACKED_LAYOUT_PANELS;
  header->panel_bytes = (uint64_t)panels;
  const char* isa = tw_isa_name(tile.isa);
  for (size_t i = 0; i + 1 < sizeof header->isa && isa[i]; ++i)
    header->isa[i] = isa[i];
  return TW_STATUS_OK;
}

tw_status_t tw_prepacked_size(const tw_matmul_params_t* params,
                              tw_index_t* bytes) {
  if (!bytes) return TW_STATUS_INVALID_ARGUMENT;
  tw_matmul_side_t rhs;
  tw_prepacked_t header;
  const tw_status_t status = tw_describe(params, 0, &rhs, &header, 0);
  if (status == TW_STATUS_OK)
    *bytes = (tw_index_t)(sizeof header + header.panel_bytes);
  return status;
}

// The panels of *rhs follow *header at `prepacked`.
static tw_status_t tw_check_prepack(const tw_matmul_params_t* params,
                                    const void* prepacked, tw_index_t bytes,
                                    const tw_parallel_for_t* parallel_for,
                                    tw_matmul_side_t* rhs,
                                    tw_prepacked_t* header, tw_fault_t* fault) {
  if (parallel_for && !parallel_for->run)
    return tw_bad_pointer(fault, "parallel_for->run", "a function");
  const tw_status_t status =
      tw_describe(params, TW_READS_RHS | TW_READS_BUFFERS, rhs, header, fault);
  if (status != TW_STATUS_OK) return status;
  if (!prepacked || (uintptr_t)prepacked % sizeof(uint64_t) != 0)
    return tw_bad_bits(fault, "prepacked", (tw_index_t)(uintptr_t)prepacked,
                       "a multiple of 8 and not null");
  const tw_index_t size = (tw_index_t)(sizeof *header + header->panel_bytes);
  if (bytes < size)
    return tw_fault_limit(fault, TW_STATUS_OUT_OF_RANGE, "bytes", bytes,
                          "at least tw_prepacked_size,", size);
  return TW_STATUS_OK;
}

tw_status_t tw_prepack_explain(const tw_matmul_params_t* params,
                               const void* prepacked, tw_index_t bytes,
                               const tw_parallel_for_t* parallel_for,
                               char* text, size_t size) {
  tw_matmul_side_t rhs;
  tw_prepacked_t header;
  tw_fault_t fault;
  const tw_status_t status = tw_check_prepack(
      params, prepacked, bytes, parallel_for, &rhs, &header, &fault);
  tw_explain_status(status, &fault, "Packs for tiles of ", header.isa, text,
                    size);
  return status;
}

tw_status_t tw_prepack(const tw_matmul_params_t* params, void* prepacked,
                       tw_index_t bytes,
                       const tw_parallel_for_t* parallel_for) {
  tw_panels_run_t run;
  tw_prepacked_t header;
  const tw_status_t status = tw_check_prepack(
      params, prepacked, bytes, parallel_for, &run.rhs, &header, 0);
  if (status != TW_STATUS_OK) return status;
  run.matrix = params->rhs;
  run.K = params->K;
  run.panels = (char*)prepacked + sizeof header;
  const tw_index_t tasks = tw_panel_tasks(&run);
  if (parallel_for && tasks > 1) {
    parallel_for->run(parallel_for->self, tasks, tw_pack_panels, &run);
  } else {
    for (tw_index_t i = 0; i < tasks; ++i) tw_pack_panels(&run, i);
  }
  header.panel_digest = tw_digest_bytes(run.panels, header.panel_bytes);
  header.header_digest = tw_header_digest(&header);
  memcpy(prepacked, &header, sizeof header);
  return TW_STATUS_OK;
}
