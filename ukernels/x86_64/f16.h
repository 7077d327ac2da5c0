// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 operands, f32 accumulators, f32 or f16 outputs. The rhs is converted as
// it is loaded. The lhs is converted once per element too, a whole vector at a
// time, by way of a stack buffer that holds it for a block of K steps, which
// then broadcast f32 from it.

#ifndef UKERNELS_X86_64_F16_H_
#define UKERNELS_X86_64_F16_H_

#include "ukernels/x86_64/narrow_out.h"

// `group` vectors at once.
TW_INLINE void tw_f16_convert(const uint16_t* from, float* to, tw_index_t count,
                              int group) {
  tw_index_t i = 0;
  TW_NO_UNROLL for (; i + group * TW_LANES <= count; i += group * TW_LANES) {
    TW_UNROLL for (int v = 0; v < group; ++v) {
      const tw_index_t at = i + v * TW_LANES;
      tw_f32_store(to + at, tw_f32_from_f16(from + at));
    }
  }
  TW_NO_UNROLL for (; i < count; ++i) to[i] = tw_f32_from_one_f16(from + i);
}

// Whether rows go in pairs. Two rows would take 0.82 of the time on Zen 3, but
// by the port table 1.4 of it on Intel's cores, where the shuffle stands beside
// those that convert: more over all cores.
TW_INLINE int tw_f16_pairs_rows(int M0, int nv) {
  return TW_LANES == 8 && M0 > 2 && tw_pairs_rows(M0, nv);
}

// One K step: lhs [M0], rhs [nv] vectors. lhs[n] are pointers to the same
// values, of which the compiler does not know that. With lhs[n] each
// multiply-add takes its lhs element as a memory operand with a broadcast, with
// lhs[0] the nv vectors share one of a load alone. Where no row shares, 26
// loads of 12x32 are as many as Intel's ports and Zen 5's take in 13 cycles.
// Three of four rows share: 0.94 of the time of half of them and as long as all
// (Zen 5). Half is 0.87 of the time of none and 0.98 of that of all
// (Skylake-SP).
TW_INLINE void tw_f16_step(tw_vf32* acc, const float* const* lhs, int at,
                           const uint16_t* rhs, int M0, int nv, int odd) {
  tw_vf32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f32_from_f16(rhs + n * TW_LANES);
  }
  if (tw_f16_pairs_rows(M0, nv)) {
    r[1] = tw_f32_swap_pairs(r[0]);
    tw_f32_paired_step(acc, lhs[0] + at, r, M0, odd);
    return;
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const int shared = m < tw_shared_rows(M0);
    const tw_vf32 l = tw_f32_splat_for(lhs[0] + at + m, shared ? nv : 1);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      const int i = tw_extra_place(m * nv + n, odd);
      acc[i] = tw_f32_fma(shared ? l : tw_f32_splat_for(lhs[n] + at + m, 1),
                          r[n], acc[i]);
    }
  }
}

// The same of `steps` steps of a row, whose vectors are all converted before
// the first is multiplied: 1x16 and 1x32 of 512 bits 0.99 of the time (Zen 4),
// and twice as many steps as sets 0.98, 0.93 of K = 4096 (Granite Rapids).
TW_INLINE void tw_f16_row_steps(tw_vf32* acc, const float* const* lhs,
                                const uint16_t* rhs, int steps, int sets,
                                int nv) {
  tw_vf32 r[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
    r[i] = tw_f32_from_f16(rhs + i * TW_LANES);
    TW_PIN(r[i]);
  }
  TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
    tw_vf32* const a = &acc[i % (sets * nv)];
    *a = tw_f32_fma(tw_f32_splat_for(lhs[i % nv] + i / nv, 1), r[i], *a);
  }
}

// Two K steps of 2x16 at 256 bits, into a set of accumulators each: their four
// vectors are converted before the first is multiplied. 0.94 of the time of
// conversions that stand among the multiplies (Zen 3).
TW_INLINE void tw_f16_two_steps(tw_vf32* acc, const float* lhs,
                                const uint16_t* rhs) {
  tw_vf32 r[4];
  TW_UNROLL for (int i = 0; i < 4; ++i) {
    r[i] = tw_f32_from_f16(rhs + i * TW_LANES);
    TW_PIN(r[i]);
  }
  TW_UNROLL for (int i = 0; i < 8; ++i) {
    acc[i] =
        tw_f32_fma(tw_f32_splat(lhs + i / 2), r[i / 4 * 2 + i % 2], acc[i]);
  }
}

// The next K steps.
TW_INLINE void tw_f16_stage(const uint16_t* lhs, float* to, tw_index_t steps,
                            int block_steps, int M0) {
  if (steps == block_steps) {
    tw_f16_convert(lhs, to, block_steps * M0,
                   tw_staged_group(block_steps * M0 / TW_LANES));
  } else {
    tw_f16_convert(lhs, to, steps * M0, 1);
  }
}

TW_INLINE void tw_f16_tile(void* out, const void* lhs_panel,
                           const void* rhs_panel,
                           const tw_mmt4d_params_t* params,
                           tw_element_type_t type, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const int beside = TW_LANES == 8 && vectors <= 8;
  const int block_steps =
      beside ? tw_block_beside(M0) : tw_steps_staged_ahead(vectors);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  float staged[TW_MAX_STAGED] __attribute__((aligned(64)));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  const int pairs = tw_f16_pairs_rows(M0, nv);
  tw_paired_out_begin(acc, type, out, params, M0, N0, sets, pairs);
  const int extra = tw_extra_accumulators(TW_LANES, vectors);
  const int row = TW_LANES == 16 && M0 == 1;
  const int turns = extra ? 2 : row ? 2 * sets : sets;
  tw_f32_begin_extra(acc, vectors, extra);
  const int ahead = beside || tw_stages_ahead(vectors);
  float* now = staged;
  float* next = staged + (ahead ? TW_MAX_STAGED / 2 : 0);
  tw_far_t far = tw_far_of(params, turns);
  tw_index_t k = params->K;
  if (ahead && k > 0)
    tw_f16_stage(lhs, now, tw_steps_of_block(k, block_steps), block_steps, M0);
  for (; k > 0; k -= block_steps) {
    tw_index_t steps = tw_steps_of_block(k, block_steps);
    if (!ahead) tw_f16_stage(lhs, now, steps, block_steps, M0);
    lhs += steps * M0;
    const int in_loop = beside && k >= 2 * block_steps;
    if (ahead && k > block_steps && !in_loop)
      tw_f16_stage(lhs, next, tw_steps_of_block(k - block_steps, block_steps),
                   block_steps, M0);
    const float* l[4];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      l[n] = now;
      if (TW_HAS_EMBEDDED_BROADCAST) TW_OPAQUE_POINTER(l[n]);
    }
    if (in_loop) {
      // 1x8 and 4x8 take two vectors of the lhs an iteration, 0.98 and 0.97 of
      // the time, 2x8 takes 1.02 of it (Zen 3).
      const int two = nv == 1 && M0 != 2;
      const int each = two ? 16 / M0 : tw_steps_beside(M0, turns);
      const int two_steps = M0 == 2 && nv == 2;
      const uint16_t* from = lhs;
      float* to = next;
      TW_NO_UNROLL for (; steps > 0; steps -= each) {
        TW_UNROLL for (int i = 0; i < each * M0 / 8; ++i) {
          tw_f32_store(to + 8 * i, tw_f32_from_f16(from + 8 * i));
        }
        TW_UNROLL for (int i = 0; two_steps && i < each; i += 2) {
          tw_f16_two_steps(acc, l[0] + i * M0, rhs + i * N0);
        }
        TW_UNROLL for (int i = 0; !two_steps && i < each; ++i) {
          tw_f16_step(acc + i % sets * vectors, l, i * M0, rhs + i * N0, M0, nv,
                      extra && i % 2);
        }
        from += each * M0;
        to += each * M0;
        TW_UNROLL for (int n = 0; n < nv; ++n) l[n] += each * M0;
        rhs += each * N0;
      }
    }
    // Not unrolled further: the compiler would hoist conversions and spill.
    TW_NO_UNROLL for (; steps >= turns; steps -= turns) {
      // At 256 bits it would cost 2 % more than it gains (Skylake-SP).
      const int asked = TW_LANES == 16 ? turns * N0 * 2 : 0;
      tw_prefetch_panels(rhs, 0, rhs, asked, &far, vectors, nv);
      if (row) {
        tw_f16_row_steps(acc, l, rhs, turns, sets, nv);
      } else {
        TW_UNROLL for (int i = 0; i < turns; ++i) {
          tw_f16_step(acc + i % sets * vectors, l, i * M0, rhs + i * N0, M0, nv,
                      extra && i % 2);
        }
      }
      TW_UNROLL for (int n = 0; n < nv; ++n) { TW_ADVANCE(l[n], turns * M0); }
      TW_ADVANCE(rhs, turns * N0);
    }
    TW_NO_UNROLL for (; turns > 1 && steps > 0; --steps) {
      tw_f16_step(acc, l, 0, rhs, M0, nv, 0);
      TW_UNROLL for (int n = 0; n < nv; ++n) { l[n] += M0; }
      rhs += N0;
    }
    float* const done = now;
    now = next;
    next = done;
  }
  tw_f32_add_extra(acc, vectors, extra);
  tw_paired_out_end(acc, type, out, params, M0, N0, sets, pairs);
}

#define TW_F16_FAMILY(name, type)                                        \
  TW_INLINE void name(void* out, const void* lhs, const void* rhs,       \
                      const tw_mmt4d_params_t* params, int M0, int N0) { \
    tw_f16_tile(out, lhs, rhs, params, type, M0, N0);                    \
  }
TW_F16_FAMILY(f16f16f32_k1, TW_ELEMENT_F32)
TW_F16_FAMILY(f16f16f16_k1, TW_ELEMENT_F16)

#endif  // UKERNELS_X86_64_F16_H_
