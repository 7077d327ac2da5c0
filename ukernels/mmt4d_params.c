// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_fill_mmt4d_params.

#include "tilewright/matmul.h"
#include "ukernels/index.h"
#include "ukernels/matmul_plan.h"
#include "ukernels/mmt4d_check.h"

static tw_status_t tw_fill(tw_type_triple_t types, tw_index_t M, tw_index_t N,
                           tw_index_t K, const tw_tile_sizes_t* sizes,
                           tw_mmt4d_params_t* p, tw_fault_t* fault) {
  if (!sizes) return tw_bad_pointer(fault, "sizes", "a struct of tile sizes");
  const struct {
    const char* field;
    tw_index_t value;
  } extents[] = {{"M", M}, {"N", N}, {"K", K}};
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; ++i)
    if (extents[i].value < 0)
      return tw_bad_number(fault, extents[i].field, extents[i].value,
                           "0 or more");
  if ((unsigned)types & ~(unsigned)TW_MMT4D_FLAG_TYPE_MASK)
    return tw_bad_number(fault, "types", (tw_index_t)types,
                         "the value of a row of type_triples.def");
  *p = (tw_mmt4d_params_t){0};
  p->M0 = sizes->M0;
  p->N0 = sizes->N0;
  p->K0 = sizes->K0;
  p->flags = (uint32_t)types | TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  tw_triple_t triple;
  const tw_status_t status = tw_check_tile(p, &triple, fault);
  if (status != TW_STATUS_OK) return status;
  p->M = tw_panels_of(M, sizes->M0);
  p->N = tw_panels_of(N, sizes->N0);
  p->K = tw_panels_of(K, sizes->K0);
  static const char kFits[] = "such that panels fit the address space";
  if (tw_mul_overflows(p->K, (tw_index_t)p->M0 * p->K0, &p->lhs_stride0) ||
      tw_mul_overflows(p->K, (tw_index_t)p->N0 * p->K0, &p->rhs_stride0))
    return tw_too_large(fault, "K", K, kFits);
  if (tw_mul_overflows(p->N, (tw_index_t)p->M0 * p->N0, &p->out_stride0))
    return tw_too_large(fault, "N", N, kFits);
  return TW_STATUS_OK;
}

tw_status_t tw_fill_mmt4d_params(tw_type_triple_t types, tw_index_t M,
                                 tw_index_t N, tw_index_t K,
                                 const tw_tile_sizes_t* sizes,
                                 tw_mmt4d_params_t* params) {
  if (!params) return TW_STATUS_INVALID_ARGUMENT;
  tw_mmt4d_params_t p;
  const tw_status_t status = tw_fill(types, M, N, K, sizes, &p, 0);
  if (status == TW_STATUS_OK) *params = p;
  return status;
}

tw_status_t tw_fill_mmt4d_params_explain(tw_type_triple_t types, tw_index_t M,
                                         tw_index_t N, tw_index_t K,
                                         const tw_tile_sizes_t* sizes,
                                         const tw_mmt4d_params_t* params,
                                         char* text, size_t size) {
  tw_mmt4d_params_t p;
  tw_fault_t fault;
  const tw_status_t status =
      params ? tw_fill(types, M, N, K, sizes, &p, &fault)
             : tw_bad_pointer(&fault, "params", "a struct to fill");
  tw_explain_status(status, &fault, "Nothing is wrong", "", text, size);
  return status;
}
