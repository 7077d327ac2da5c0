// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One accumulator.

#include "bench/support/single_accumulator.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tilewright::bench {

#if defined(__x86_64__)
namespace {

__attribute__((target("avx512f"))) void singleAccumulator(
    void* out, const void* lhs, const void* rhs,
    const tw_mmt4d_params_t* params) {
  const float* a = static_cast<const float*>(lhs);
  const float* b = static_cast<const float*>(rhs);
  __m512 sum = params->flags & TW_MMT4D_FLAG_ACCUMULATE ? _mm512_loadu_ps(out)
                                                        : _mm512_setzero_ps();
  for (tw_index_t k = 0; k < params->K; ++k)
    sum =
        _mm512_fmadd_ps(_mm512_set1_ps(a[k]), _mm512_loadu_ps(b + 16 * k), sum);
  _mm512_storeu_ps(out, sum);
}

}  // namespace

const tw_mmt4d_tile_fn_t singleAccumulatorTile = singleAccumulator;
#else
const tw_mmt4d_tile_fn_t singleAccumulatorTile = nullptr;
#endif

}  // namespace tilewright::bench
