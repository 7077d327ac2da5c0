// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences: what is wrong with a call, or what it would run.

#include "ukernels/mmt4d_check.h"
#include "ukernels/name.h"
#include "ukernels/pack.h"

void tw_explain_fault(const tw_fault_t* fault, char* text, size_t size) {
  tw_text_t t = tw_text_begin(text, size);
  tw_text_add(&t, fault->field);
  tw_text_add(&t, " is ");
  if (fault->kind == TW_FAULT_POINTER)
    tw_text_add(&t, "null");
  else if (fault->kind == TW_FAULT_BITS)
    tw_text_add_bits(&t, (uint64_t)fault->value);
  else
    tw_text_add_number(&t, fault->value);
  tw_text_add(&t, ": it must be ");
  tw_text_add(&t, fault->rule);
  if (fault->has_limit) {
    tw_text_add(&t, " ");
    tw_text_add_number(&t, fault->limit);
  }
  tw_text_add(&t, ".");
}

void tw_explain_status(tw_status_t status, const tw_fault_t* fault,
                       const char* fine, const char* what, char* text,
                       size_t size) {
  if (!text || size == 0) return;
  if (status != TW_STATUS_OK) {
    tw_explain_fault(fault, text, size);
    return;
  }
  tw_text_t t = tw_text_begin(text, size);
  tw_text_add(&t, fine);
  tw_text_add(&t, what);
  tw_text_add(&t, ".");
}

tw_status_t tw_mmt4d_explain(const tw_mmt4d_params_t* params,
                             const tw_parallel_for_t* parallel_for, char* text,
                             size_t size) {
  tw_triple_t types;
  tw_fault_t fault;
  tw_tile_info_t tile;
  tw_status_t status = tw_check_mmt4d(params, parallel_for, &types, &fault);
  if (status == TW_STATUS_OK) {
    status = tw_find_tile(params, &tile);
    if (text && size > 0) {
      tw_text_t t = tw_text_begin(text, size);
      tw_text_add(&t, tile.reason);
    }
  } else if (text && size > 0) {
    tw_explain_fault(&fault, text, size);
  }
  return status;
}

tw_status_t tw_pack_explain(const tw_pack_params_t* params, const void* matrix,
                            const void* packed, tw_index_t packed_bytes,
                            const tw_parallel_for_t* parallel_for, char* text,
                            size_t size) {
  tw_packing_t packing;
  tw_fault_t fault;
  const tw_status_t status = tw_check_pack_call(
      params, matrix, packed, packed_bytes, parallel_for, &packing, &fault);
  if (!text || size == 0) return status;
  if (status != TW_STATUS_OK) {
    tw_explain_fault(&fault, text, size);
    return status;
  }
  tw_text_t t = tw_text_begin(text, size);
  tw_text_add(&t, "Nothing is wrong: the packed form takes ");
  tw_text_add_number(&t, packing.packed_bytes);
  tw_text_add(&t, " bytes.");
  return status;
}
