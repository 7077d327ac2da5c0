// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 operands, f32 accumulators. The rhs is converted as it is loaded. The lhs
// is converted once per element too, a whole vector at a time, by way of a
// stack buffer from which the steps then broadcast f32: while one block of K
// steps multiplies, the next one is converted, so that the conversions fill
// issue slots that the multiply-adds leave free.

#ifndef UKERNELS_X86_64_F16_H_
#define UKERNELS_X86_64_F16_H_

#include "ukernels/x86_64/f32.h"

// K steps per block: a whole number of vectors of lhs elements, and at least
// four steps, so that a store is long done when it is read back; a multiple of
// the accumulator sets.
TW_INLINE int tw_f16_block_steps(int M0) {
  int steps = tw_accumulator_sets(M0) > 4 ? 8 : 4;
  while (steps * M0 % TW_LANES != 0) steps *= 2;
  return steps;
}

TW_INLINE void tw_f16_convert(const uint16_t* from, float* to, int count) {
  TW_UNROLL for (int i = 0; i < count; i += TW_LANES) {
    tw_f32_store(to + i, tw_f32_from_f16(from + i));
  }
}

// One K step: lhs [M0], rhs [nv] vectors. lhs[n] are pointers to the same
// values, of which the compiler does not know that: each multiply-add then
// takes its lhs element as a memory operand with a broadcast. A vbroadcastss
// shared by the nv vectors would take a shuffle slot of Zen 4, which the
// conversions need (24 of 26 cycles per step of 12x32).
TW_INLINE void tw_f16_step(tw_vf32* acc, const float* const* lhs, int at,
                           const uint16_t* rhs, int M0, int nv) {
  tw_vf32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f32_from_f16(rhs + n * TW_LANES);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] =
          tw_f32_fma(tw_f32_splat(lhs[n] + at + m), r[n], acc[m * nv + n]);
    }
  }
}

TW_INLINE void f16f16f32_k1(void* out, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const int steps = tw_f16_block_steps(M0);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  float staged[2][16 * TW_LANES] __attribute__((aligned(64)));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_f32_begin(acc, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  float* now = staged[0];
  float* next = staged[1];
  if (k >= steps) tw_f16_convert(lhs, now, steps * M0);
  for (; k >= steps; k -= steps) {
    // The last block converts itself again rather than what lies behind it.
    if (k >= 2 * steps) lhs += steps * M0;
    tw_f16_convert(lhs, next, steps * M0);
    const float* l[4];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      l[n] = now;
      if (TW_HAS_EMBEDDED_BROADCAST) TW_OPAQUE_POINTER(l[n]);
    }
    // Not unrolled further: the compiler would hoist conversions and spill.
    TW_NO_UNROLL for (int s = 0; s < steps; s += sets) {
      TW_UNROLL for (int i = 0; i < sets; ++i) {
        tw_f16_step(acc + i * vectors, l, i * M0, rhs + i * N0, M0, nv);
      }
      TW_UNROLL for (int n = 0; n < nv; ++n) { l[n] += sets * M0; }
      rhs += sets * N0;
    }
    float* const swap = now;
    now = next;
    next = swap;
  }
  if (params->K >= steps) lhs += steps * M0;
  for (; k > 0; --k) {
    const float* l[4];
    TW_UNROLL for (int n = 0; n < nv; ++n) { l[n] = now; }
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      now[m] = tw_f32_from_one_f16(lhs + m);
    }
    tw_f16_step(acc, l, 0, rhs, M0, nv);
    lhs += M0;
    rhs += N0;
  }
  tw_f32_end(acc, out, params, M0, N0, sets);
}

#endif  // UKERNELS_X86_64_F16_H_
