// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 operands by multiply-adds of f32: for CPUs without vdpbf16ps, and for
// those on which it takes longer (Golden Cove: a quarter of the rate). A lane
// of a panel holds the pair of one K step: the first becomes f32 by a shift,
// the second by a mask.
//
// Per K step of 12x32: 48 multiply-adds, 4 operations on the rhs, and 1.5 on
// the lhs, which is converted once per element by way of a stack buffer that
// multiply-adds then broadcast from. All of them take the two ports that Intel
// cores have for 512 bits: at most 48 / 53.5 of the peak.

#ifndef UKERNELS_X86_64_BF16_FMA_H_
#define UKERNELS_X86_64_BF16_FMA_H_

#include "ukernels/x86_64/narrow_out.h"

// `count` pairs: the first ones to to[0, count), the others from
// to[TW_MAX_STAGED / 2] on.
TW_INLINE void tw_bf16_convert(const uint16_t* from, float* to,
                               tw_index_t count) {
  float* const second = to + TW_MAX_STAGED / 2;
  tw_index_t i = 0;
  TW_NO_UNROLL for (; i + TW_LANES <= count; i += TW_LANES) {
    const tw_vi32 pairs = tw_i32_load(from + 2 * i);
    tw_f32_store(to + i, tw_f32_first_bf16(pairs));
    tw_f32_store(second + i, tw_f32_second_bf16(pairs));
  }
  if (i == count) return;
  const int rest = (int)(count - i);
  const tw_vi32 pairs = tw_i32_load_first(from + 2 * i, rest);
  tw_f32_store_first(to + i, tw_f32_first_bf16(pairs), rest);
  tw_f32_store_first(second + i, tw_f32_second_bf16(pairs), rest);
}

// Whether the next block is converted first, as tile_body.h says; of four
// vectors, too: 4x16 0.98 of the time, 0.92 of 64 steps, 1.05 of 8 (Zen 4; f16
// 0.99, and 1.05 of 8 to 16). Of 256 bits, where blocks are short, always: 6x16
// 0.98 of the time (Zen 3).
TW_INLINE int tw_bf16_stages_ahead(int vectors) {
  return TW_LANES == 8 || vectors == 4 || tw_stages_ahead(vectors);
}

// K steps of a block: a step is two multiply-adds, so that half as many suffice
// as for f16, but where a step is short. Of 256 bits three vectors are
// converted at once: 6x16 takes 0.97 of the time of six (Zen 3).
TW_INLINE int tw_bf16_staged_steps(int vectors, int M0) {
  return TW_LANES == 8  ? 24 / M0
         : vectors == 4 ? 16
         : vectors > 4  ? tw_steps_staged_ahead(vectors) / 2
                        : tw_steps_staged_ahead(vectors);
}

// A whole block of 256 bits, as tw_bf16_convert, but both halves by masks: the
// first ones are the second ones of what lies two bytes before.
TW_INLINE void tw_bf16_convert_behind(const uint16_t* from, float* to,
                                      int count) {
  TW_UNROLL for (int i = 0; i < count; i += TW_LANES) {
    tw_f32_store(to + i, tw_f32_second_bf16(tw_i32_load(from + 2 * i - 1)));
    tw_f32_store(to + TW_MAX_STAGED / 2 + i,
                 tw_f32_second_bf16(tw_i32_load(from + 2 * i)));
  }
}

// The next K steps; `behind` others or not.
TW_INLINE void tw_bf16_stage(const uint16_t* lhs, float* to, tw_index_t steps,
                             int block_steps, int M0, int behind) {
  if (TW_LANES == 8 && steps == block_steps && behind) {
    tw_bf16_convert_behind(lhs, to, block_steps * M0);
  } else if (TW_LANES == 8 && steps == block_steps) {
    TW_UNROLL for (int i = 0; i < block_steps * M0; i += TW_LANES) {
      tw_bf16_convert(lhs + 2 * i, to + i, TW_LANES);
    }
  } else {
    tw_bf16_convert(lhs, to, steps * M0);
  }
}

// When the second half of a step is masked: beside the shift of the first,
// behind some multiply-adds of the first, or behind all of them. For two
// vectors of pairs 16 registers of 256 bits have no room then, and each half is
// masked as it is loaded: the first from two bytes before, where it is the
// second. A mask takes any of Zen 3's four pipes, two of which multiply, a
// shift one of two, one of which does: with the lhs converted so as well, 6x16
// and 4x16 take 0.95 and 0.94 of the time.
typedef enum {
  TW_BF16_BESIDE,
  TW_BF16_LATE,
  TW_BF16_LAST,
  TW_BF16_EACH
} tw_bf16_mask_t;
// 16x16 masks two multiply-adds before the second half: 0.96 of the time; one
// before 0.98, eight 0.98 (Zen 4; others gain nothing). 1x16 of 256 bits takes
// 0.92 of the time of masks beside shifts (Zen 3).
TW_INLINE tw_bf16_mask_t tw_bf16_masks(int M0, int nv) {
  if (TW_LANES == 8) return M0 * nv <= 4 ? TW_BF16_LAST : TW_BF16_EACH;
  return M0 == 16 && nv == 1 ? TW_BF16_LATE : TW_BF16_BESIDE;
}

// One K step: lhs [2][M0], TW_MAX_STAGED / 2 apart, rhs [nv] vectors of pairs,
// the first of which lies behind an element at `before` as well.
// lhs[n] are pointers to the same values: f16.h says why. Three of four shared
// take 0.98 of the time of half (Zen 5), half 0.95 of that of none (Skylake-SP,
// 8x32 and 12x32). acc[half] are of that half, or of both; `extra` of the
// second.
TW_INLINE void tw_bf16_fma_step(tw_vf32* const* acc, const float* const* lhs,
                                int at, const uint16_t* rhs,
                                const uint16_t* before, int M0, int nv,
                                int extra) {
  const tw_bf16_mask_t masks = tw_bf16_masks(M0, nv);
  tw_vf32 r[2][4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    if (masks == TW_BF16_EACH) {
      r[0][n] = tw_f32_second_bf16(
          tw_i32_load(n == 0 ? before : rhs + n * 2 * TW_LANES - 1));
      continue;
    }
    const tw_vi32 pairs = tw_i32_load(rhs + n * 2 * TW_LANES);
    r[0][n] = tw_f32_first_bf16(pairs);
    r[1][n] =
        masks != TW_BF16_BESIDE ? (tw_vf32)pairs : tw_f32_second_bf16(pairs);
  }
  TW_UNROLL for (int half = 0; half < 2; ++half) {
    if (half == 1 && masks == TW_BF16_LAST) {
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        TW_PIN_BOTH(r[1][n], acc[0][n]);
        r[1][n] = tw_f32_second_bf16((tw_vi32)r[1][n]);
      }
    }
    if (half == 1 && masks == TW_BF16_EACH) {
      TW_OPAQUE_POINTER(rhs);
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        r[1][n] = tw_f32_second_bf16(tw_i32_load(rhs + n * 2 * TW_LANES));
      }
    }
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      if (masks == TW_BF16_LATE && half == 0 && m == M0 - 2) {
        TW_PIN(acc[0][m - 1]);
        r[1][0] = tw_f32_second_bf16((tw_vi32)r[1][0]);
        TW_PIN(r[1][0]);
      }
      const int from = half * (TW_MAX_STAGED / 2) + at + m;
      const int shared = m < tw_shared_rows(M0);
      const tw_vf32 l = tw_f32_splat_for(lhs[0] + from, shared ? nv : 1);
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        tw_vf32* const a =
            acc[half] + tw_extra_place(m * nv + n, extra && half);
        *a = tw_f32_fma(shared ? l : tw_f32_splat_for(lhs[n] + from, 1),
                        r[half][n], *a);
      }
    }
  }
}

// Sets of accumulators: one that a step adds to twice, one half after the
// other, waits for itself. Of 256 bits halves take them in turn.
TW_INLINE int tw_bf16_fma_sets(int vectors) {
  return tw_sets_of_chains(vectors, TW_LANES == 8  ? 8
                                    : vectors <= 4 ? 16
                                    : vectors < 8  ? 8
                                                   : 12);
}

// That of a half of step `i`.
TW_INLINE int tw_bf16_fma_set(int i, int half, int sets) {
  return (TW_LANES == 8 ? 2 * i + half : i) % sets;
}

// K steps of an iteration.
TW_INLINE int tw_bf16_fma_turns(int sets) {
  return TW_LANES == 8 && sets > 1 ? 4 : sets;
}

// The K loop; acc[set][m][n], and what is extra.
TW_INLINE void tw_bf16_fma_loop(tw_vf32* acc, const void* lhs_panel,
                                const void* rhs_panel, tw_index_t k, int M0,
                                int N0, int sets, int extra) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int turns = tw_bf16_fma_turns(sets);
  const int block_steps = tw_bf16_staged_steps(vectors, M0);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  float staged[TW_MAX_STAGED] __attribute__((aligned(64)));
  // The first vector of all, as it lies in the others' steps.
  uint16_t edge[1 + 2 * TW_LANES] = {0};
  const uint16_t* before = edge;
  if (tw_bf16_masks(M0, nv) == TW_BF16_EACH && k > 0)
    tw_i32_store(edge + 1, tw_i32_load(rhs));
  const int ahead = tw_bf16_stages_ahead(vectors);
  float* now = staged;
  float* next = staged + (ahead ? TW_MAX_STAGED / 4 : 0);
  if (ahead && k > 0)
    tw_bf16_stage(lhs, now, tw_steps_of_block(k, block_steps), block_steps, M0,
                  0);
  for (; k > 0; k -= block_steps) {
    tw_index_t steps = tw_steps_of_block(k, block_steps);
    if (!ahead) tw_bf16_stage(lhs, now, steps, block_steps, M0, 0);
    lhs += steps * M0 * 2;
    if (ahead && k > block_steps)
      tw_bf16_stage(lhs, next, tw_steps_of_block(k - block_steps, block_steps),
                    block_steps, M0, 1);
    const float* l[4];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      l[n] = now;
      if (TW_HAS_EMBEDDED_BROADCAST) TW_OPAQUE_POINTER(l[n]);
    }
    TW_NO_UNROLL for (; steps >= turns; steps -= turns) {
      TW_UNROLL for (int i = 0; i < turns; ++i) {
        tw_vf32* const of_halves[2] = {
            acc + tw_bf16_fma_set(i, 0, sets) * vectors,
            acc + tw_bf16_fma_set(i, 1, sets) * vectors};
        tw_bf16_fma_step(of_halves, l, i * M0, rhs + i * 2 * N0,
                         i == 0 ? before : rhs + i * 2 * N0 - 1, M0, nv, extra);
      }
      TW_UNROLL for (int n = 0; n < nv; ++n) { TW_ADVANCE(l[n], turns * M0); }
      TW_ADVANCE(rhs, turns * 2 * N0);
      before = rhs - 1;
    }
    TW_NO_UNROLL for (; turns > 1 && steps > 0; --steps) {
      tw_vf32* const of_halves[2] = {acc, acc};
      tw_bf16_fma_step(of_halves, l, 0, rhs, before, M0, nv, 0);
      TW_UNROLL for (int n = 0; n < nv; ++n) { l[n] += M0; }
      rhs += 2 * N0;
      before = rhs - 1;
    }
    float* const done = now;
    now = next;
    next = done;
  }
}

TW_INLINE void tw_bf16_fma_tile(void* out, const void* lhs, const void* rhs,
                                const tw_mmt4d_params_t* params,
                                tw_element_type_t type, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_bf16_fma_sets(vectors);
  const int extra = tw_extra_accumulators(TW_LANES, vectors);
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, type, out, params, M0, N0, sets);
  tw_f32_begin_extra(acc, vectors, extra);
  tw_bf16_fma_loop(acc, lhs, rhs, params->K, M0, N0, sets, extra);
  tw_f32_add_extra(acc, vectors, extra);
  tw_out_end(acc, type, out, params, M0, N0, sets);
}

TW_INLINE void bf16bf16f32_k2_fma(void* out, const void* lhs, const void* rhs,
                                  const tw_mmt4d_params_t* params, int M0,
                                  int N0) {
  tw_bf16_fma_tile(out, lhs, rhs, params, TW_ELEMENT_F32, M0, N0);
}

TW_INLINE void bf16bf16bf16_k2_fma(void* out, const void* lhs, const void* rhs,
                                   const tw_mmt4d_params_t* params, int M0,
                                   int N0) {
  tw_bf16_fma_tile(out, lhs, rhs, params, TW_ELEMENT_BF16, M0, N0);
}

#endif  // UKERNELS_X86_64_BF16_FMA_H_
