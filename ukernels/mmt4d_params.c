// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_fill_mmt4d_params.

#include "tilewright/matmul.h"
#include "ukernels/index.h"
#include "ukernels/matmul_plan.h"
#include "ukernels/mmt4d_check.h"

tw_status_t tw_fill_mmt4d_params(tw_type_triple_t types, tw_index_t M,
                                 tw_index_t N, tw_index_t K,
                                 const tw_tile_sizes_t* sizes,
                                 tw_mmt4d_params_t* params) {
  if (!sizes || !params || M < 0 || N < 0 || K < 0)
    return TW_STATUS_INVALID_ARGUMENT;
  tw_mmt4d_params_t p = {0};
  p.M0 = sizes->M0;
  p.N0 = sizes->N0;
  p.K0 = sizes->K0;
  p.flags = (uint32_t)types | TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  tw_triple_t triple;
  const tw_status_t status = tw_check_tile(&p, &triple, 0);
  if (status != TW_STATUS_OK) return status;
  p.M = tw_panels_of(M, sizes->M0);
  p.N = tw_panels_of(N, sizes->N0);
  p.K = tw_panels_of(K, sizes->K0);
  if (tw_mul_overflows(p.K, (tw_index_t)p.M0 * p.K0, &p.lhs_stride0) ||
      tw_mul_overflows(p.K, (tw_index_t)p.N0 * p.K0, &p.rhs_stride0) ||
      tw_mul_overflows(p.N, (tw_index_t)p.M0 * p.N0, &p.out_stride0))
    return TW_STATUS_OVERFLOW;
  *params = p;
  return TW_STATUS_OK;
}
