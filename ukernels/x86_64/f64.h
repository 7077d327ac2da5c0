// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f64: the f32 family with half the lanes.

#ifndef UKERNELS_X86_64_F64_H_
#define UKERNELS_X86_64_F64_H_

#include "ukernels/x86_64/tile_body.h"

TW_INLINE void tw_f64_step(tw_vf64* acc, const double* lhs, const double* rhs,
                           int M0, int nv) {
  tw_vf64 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f64_load(rhs + n * (TW_LANES / 2));
  }

  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vf64 l = tw_f64_splat(lhs + m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_f64_fma(l, r[n], acc[m * nv + n]);
    }
  }
}

TW_INLINE void f64f64f64_k1(void* out_tile, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int lanes = TW_LANES / 2;
  const int nv = N0 / lanes;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const tw_index_t stride = tw_out_stride(params, N0);
  const double* lhs = (const double*)lhs_panel;
  const double* rhs = (const double*)rhs_panel;
  double* out = (double*)out_tile;
  tw_vf64 acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < sets * vectors; ++i) { acc[i] = tw_f64_zero(); }

  if (tw_accumulates(params)) {
    TW_UNROLL for (int i = 0; i < vectors; ++i) {
      acc[i] = tw_f64_load(out + i / nv * stride + i % nv * lanes);
    }
  }
  tw_index_t k = params->K;
  for (; k >= sets; k -= sets) {
    TW_UNROLL for (int s = 0; s < sets; ++s) {
      tw_f64_step(acc + s * vectors, lhs + s * M0, rhs + s * N0, M0, nv);
    }

    lhs += sets * M0;
    rhs += sets * N0;
  }
  for (; sets > 1 && k > 0; --k) {
    tw_f64_step(acc, lhs, rhs, M0, nv);
    lhs += M0;
    rhs += N0;
  }
  TW_UNROLL for (int half = sets / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * vectors; ++i) {
      acc[i] = tw_f64_add(acc[i], acc[half * vectors + i]);
    }
  }
  TW_UNROLL for (int i = 0; i < vectors; ++i) {
    tw_f64_store(out + i / nv * stride + i % nv * lanes, acc[i]);
  }
}

#endif  // UKERNELS_X86_64_F64_H_
