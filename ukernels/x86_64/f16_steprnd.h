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

__extension__ typedef _Float16
    __attribute__((aligned(1), may_alias)) tw_any_f16_t;

// By vectors of `bits`, with `lanes` elements each.
#define TW_F16_STEPRND(name, bits, lanes)                                      \
  TW_INLINE void name(void* out_tile, const void* lhs_panel,                   \
                      const void* rhs_panel, const tw_mmt4d_params_t* params,  \
                      int M0, int N0) {                                        \
    const int nv = N0 / lanes;                                                 \
    const int vectors = M0 * nv;                                               \
    const tw_index_t stride = tw_out_stride(params, N0);                       \
    uint16_t* const out = (uint16_t*)out_tile;                                 \
    const uint16_t* lhs = (const uint16_t*)lhs_panel;                          \
    const uint16_t* rhs = (const uint16_t*)rhs_panel;                          \
    __m##bits##h acc[TW_MAX_ACCUMULATORS];                                     \
    TW_UNROLL for (int i = 0; i < vectors; ++i) {                              \
      acc[i] = _mm##bits##_setzero_ph();                                       \
    }                                                                          \
    if (tw_accumulates(params)) {                                              \
      TW_UNROLL for (int i = 0; i < vectors; ++i) {                            \
        acc[i] = _mm##bits##_loadu_ph(out + i / nv * stride + i % nv * lanes); \
      }                                                                        \
    }                                                                          \
    tw_far_t far = tw_far_of(params, 1);                                       \
    for (tw_index_t k = params->K; k > 0; --k) {                               \
      tw_prefetch_panels(lhs, 2 * M0, rhs, 2 * N0, &far, vectors, nv);         \
      __m##bits##h r[4];                                                       \
      TW_UNROLL for (int n = 0; n < nv; ++n) {                                 \
        r[n] = _mm##bits##_loadu_ph(rhs + n * lanes);                          \
      }                                                                        \
      TW_UNROLL for (int m = 0; m < M0; ++m) {                                 \
        const __m##bits##h l =                                                 \
            _mm##bits##_set1_ph(*(const tw_any_f16_t*)(lhs + m));              \
        TW_UNROLL for (int n = 0; n < nv; ++n) {                               \
          acc[m * nv + n] = _mm##bits##_fmadd_ph(l, r[n], acc[m * nv + n]);    \
        }                                                                      \
      }                                                                        \
      TW_ADVANCE(lhs, M0);                                                     \
      TW_ADVANCE(rhs, N0);                                                     \
    }                                                                          \
    TW_UNROLL for (int i = 0; i < vectors; ++i) {                              \
      _mm##bits##_storeu_ph(out + i / nv * stride + i % nv * lanes, acc[i]);   \
    }                                                                          \
  }
TW_F16_STEPRND(tw_f16_steprnd_256, 256, 16)
TW_F16_STEPRND(tw_f16_steprnd_512, 512, 32)

// Few rows wait for the sum before, which vectors of 256 bits have earlier:
// 1x32 0.85, 2x32 0.79, 4x32 0.87 of the time (Granite Rapids).
TW_INLINE void f16f16f16_k1_steprnd(void* out, const void* lhs, const void* rhs,
                                    const tw_mmt4d_params_t* params, int M0,
                                    int N0) {
  if (M0 <= 4)
    tw_f16_steprnd_256(out, lhs, rhs, params, M0, N0);
  else
    tw_f16_steprnd_512(out, lhs, rhs, params, M0, N0);
}

#endif  // UKERNELS_X86_64_F16_STEPRND_H_
