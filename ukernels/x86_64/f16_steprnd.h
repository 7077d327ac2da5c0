// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 operands and accumulators by AVX512-FP16, at 512 bits: a multiply-add of
// f16 rounds once, as a K step of K0 = 1 does that rounds its sum to the out
// type (`steprnd`). Where sums are rounded at the end, they are f32, and f16.h
// is for them.

#ifndef UKERNELS_X86_64_F16_STEPRND_H_
#define UKERNELS_X86_64_F16_STEPRND_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"

enum { TW_F16_LANES = 32 };

__extension__ typedef _Float16
    __attribute__((aligned(1), may_alias)) tw_any_f16_t;

TW_INLINE void f16f16f16_k1_steprnd(void* out_tile, const void* lhs_panel,
                                    const void* rhs_panel,
                                    const tw_mmt4d_params_t* params, int M0,
                                    int N0) {
  const int nv = N0 / TW_F16_LANES;
  const int vectors = M0 * nv;
  const tw_index_t stride = tw_out_stride(params, N0);
  uint16_t* const out = (uint16_t*)out_tile;
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  __m512h acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < vectors; ++i) acc[i] = _mm512_setzero_ph();
  if (tw_accumulates(params)) {
    TW_UNROLL for (int i = 0; i < vectors; ++i) {
      acc[i] = _mm512_loadu_ph(out + i / nv * stride + i % nv * TW_F16_LANES);
    }
  }
  tw_far_t far = tw_far_of(params, 1);
  for (tw_index_t k = params->K; k > 0; --k) {
    tw_prefetch_panels(lhs, 2 * M0, rhs, 2 * N0, &far, vectors, nv);
    __m512h r[2];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      r[n] = _mm512_loadu_ph(rhs + n * TW_F16_LANES);
    }
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const __m512h l = _mm512_set1_ph(*(const tw_any_f16_t*)(lhs + m));
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        acc[m * nv + n] = _mm512_fmadd_ph(l, r[n], acc[m * nv + n]);
      }
    }
    TW_ADVANCE(lhs, M0);
    TW_ADVANCE(rhs, N0);
  }
  TW_UNROLL for (int i = 0; i < vectors; ++i) {
    _mm512_storeu_ph(out + i / nv * stride + i % nv * TW_F16_LANES, acc[i]);
  }
}

#endif  // UKERNELS_X86_64_F16_STEPRND_H_
