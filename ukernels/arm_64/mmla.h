// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families whose instruction multiplies two rows of the lhs by two columns of
// the rhs, 8 bytes of K each, into a block of 2x2 accumulators: smmla, ummla,
// usmmla and bfmmla. A panel's vector holds two rows (columns) of a K step.

#ifndef UKERNELS_ARM_64_MMLA_H_
#define UKERNELS_ARM_64_MMLA_H_

#include "ukernels/arm_64/s4.h"

typedef enum {
  TW_MMLA_S8,
  TW_MMLA_U8,
  TW_MMLA_U8S8,
  TW_MMLA_S8S4,  // by smmla, see tw_mmla_s4_steps
  TW_MMLA_BF16
} tw_mmla_t;

TW_INLINE tw_vec tw_mmla(tw_mmla_t kind, tw_vec acc, tw_vec lhs, tw_vec rhs) {
  switch (kind) {
#ifdef __ARM_FEATURE_MATMUL_INT8
    case TW_MMLA_U8:
      return vmmlaq_u32(acc, (uint8x16_t)lhs, (uint8x16_t)rhs);
    case TW_MMLA_U8S8:
      return (tw_vec)vusmmlaq_s32((int32x4_t)acc, (uint8x16_t)lhs,
                                  (int8x16_t)rhs);
    case TW_MMLA_S8:
      return (tw_vec)vmmlaq_s32((int32x4_t)acc, (int8x16_t)lhs, (int8x16_t)rhs);
#endif
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    case TW_MMLA_BF16:
      return (tw_vec)vbfmmlaq_f32((float32x4_t)acc, (bfloat16x8_t)lhs,
                                  (bfloat16x8_t)rhs);
#endif
    default:
      return acc;
  }
}

TW_INLINE tw_vec tw_low_halves(tw_vec a, tw_vec b) {
  return (tw_vec)vzip1q_u64((uint64x2_t)a, (uint64x2_t)b);
}
TW_INLINE tw_vec tw_high_halves(tw_vec a, tw_vec b) {
  return (tw_vec)vzip2q_u64((uint64x2_t)a, (uint64x2_t)b);
}

// acc[M0][N0 / 4] as blocks: acc[m / 2][n / 2]. M0 is even.
TW_INLINE void tw_mmla_from_rows(tw_vec* acc, int M0, int N0) {
  const int nv = N0 / 4;
  TW_UNROLL for (int m = 0; m < M0 * nv; m += 2 * nv) {
    tw_vec block[16];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      block[2 * n] = tw_low_halves(acc[m + n], acc[m + nv + n]);
      block[2 * n + 1] = tw_high_halves(acc[m + n], acc[m + nv + n]);
    }
    TW_UNROLL for (int n = 0; n < 2 * nv; ++n) acc[m + n] = block[n];
  }
}

TW_INLINE void tw_mmla_to_rows(tw_vec* acc, int M0, int N0) {
  const int nv = N0 / 4;
  TW_UNROLL for (int m = 0; m < M0 * nv; m += 2 * nv) {
    tw_vec row[16];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      row[n] = tw_low_halves(acc[m + 2 * n], acc[m + 2 * n + 1]);
      row[nv + n] = tw_high_halves(acc[m + 2 * n], acc[m + 2 * n + 1]);
    }
    TW_UNROLL for (int n = 0; n < 2 * nv; ++n) acc[m + n] = row[n];
  }
}

// Bytes of a row, or of a column, in a K step.
enum { TW_MMLA_BYTES = 8 };

// Which vector of a panel is the `i`-th one to be loaded, and multiplied: of
// each block the even ones, then the odd ones, which keeps neighbours apart.
// These would be loaded by ldp, of which LLVM's models of Neoverse N2 and V2
// say up to 1.4 times as many cycles. A block of 0: one after another.
TW_INLINE int tw_nth_apart(int block, int i) {
  if (block == 0) return i;
  const int in = i % block, half = block / 2;
  return i - in + in % half * 2 + in / half;
}

// Vectors of the rhs in a block that tw_nth_apart loads, or 0. A block is
// within the K steps whose lhs is loaded at once.
TW_INLINE int tw_mmla_block(tw_mmla_t kind, int M0, int columns, int steps) {
  const int at_once = 64 / (M0 * TW_MMLA_BYTES);
  const int vectors = (steps < at_once ? steps : at_once) * columns;
  if (vectors % 8 == 0) return 8;
  // Of smmla Cortex-A510 would take 1.2 times as long.
  return kind == TW_MMLA_BF16 && vectors % 12 == 0 ? 12 : 0;
}

// `steps` K steps; acc[step % sets][m / 2][n / 2]. The panels move on. A single
// row is multiplied together with its next K step: what the latter adds to the
// other half of the blocks is never read.
TW_INLINE void tw_mmla_steps(tw_mmla_t kind, tw_acc_t acc_kind, tw_vec* acc,
                             const char** lhs, const char** rhs, int M0, int N0,
                             int sets, int steps) {
  const int pairs = M0 == 1 ? 1 : M0 / 2;
  const int columns = N0 / 2;
  if (pairs * columns > 16) {
    // No registers for groups.
    const char* l_at = tw_advance(lhs, M0 * TW_MMLA_BYTES);
    const char* r_at = tw_advance(rhs, N0 * TW_MMLA_BYTES);
    tw_vec l[8];
    TW_UNROLL for (int p = 0; p < pairs; ++p) {
      l[p] = tw_load(l_at + p * 16, 16);
    }
    TW_UNROLL for (int n = 0; n < columns; ++n) {
      const tw_vec r = tw_load(r_at + n * 16, 16);
      TW_UNROLL for (int p = 0; p < pairs; ++p) {
        tw_vec* const a = acc + p * columns + n;
        *a = tw_mmla(kind, *a, l[p], r);
      }
    }
    return;
  }
  tw_vec l[TW_MAX_OPERANDS], r[TW_MAX_OPERANDS];
  const int lhs_bytes = M0 * TW_MMLA_BYTES;
  const int rounds = tw_rounds_steps(acc_kind);
  const int block = rounds ? 0 : tw_mmla_block(kind, M0, columns, steps);
  // At fixed offsets: ld1 of four vectors takes its places in one cycle or none
  // (Ampere-1, Oryon).
  const char* at = tw_advance(rhs, steps * columns * 16);
  TW_UNROLL for (int i = 0; i < steps * columns; ++i) {
    const int v = tw_nth_apart(block, i);
    const int s = v / columns, n = v % columns;
    tw_vec* const a = acc + s % sets * pairs * columns + n;
    if (n == 0 && M0 == 1 && rounds) {
      l[s] = tw_load(*lhs, TW_MMLA_BYTES);
      *lhs += TW_MMLA_BYTES;
    } else if (n == 0 && s * lhs_bytes % 64 == 0) {
      const int left = (steps - s) * lhs_bytes;
      tw_load_bytes(l + s * lhs_bytes / 16, lhs, left < 64 ? left : 64);
    }
    if (i % 4 == 0) {
      // While the group before it is multiplied.
      if (i > 0) {
        const int done = tw_nth_apart(block, i - 4);
        TW_LOAD_AFTER(
            at, acc[done / columns % sets * pairs * columns + done % columns]);
      }
      const int last = steps * columns - i < 4 ? steps * columns : i + 4;
      TW_UNROLL for (int j = i; j < last; ++j) {
        const int next = tw_nth_apart(block, j);
        r[next] = tw_load(at + next * 16, 16);
      }
    }
    TW_UNROLL for (int p = 0; p < pairs; ++p) {
      const tw_vec lhs_pair = l[M0 > 1 ? s * pairs + p : rounds ? s : s / 2];
      // What rounds each step waits for a sum alone, not for the products.
      a[p * columns] =
          rounds ? tw_acc_add(acc_kind, a[p * columns],
                              tw_mmla(kind, tw_zero(), lhs_pair, r[v]))
                 : tw_mmla(kind, a[p * columns], lhs_pair, r[v]);
      // Else loads of later steps would come first, and take the registers.
      if (M0 * N0 <= (kind == TW_MMLA_BF16 ? 48 : 32)) TW_PIN(a[p * columns]);
    }
    if (n == columns - 1) tw_round_step(acc_kind, acc, pairs * columns);
  }
}

#ifdef __ARM_FEATURE_MATMUL_INT8
// The same for s8 x s4, K0 = 16: smmla of the eight even elements of K, and of
// the odd ones. The rhs comes apart into these by its halves of bytes, the lhs
// by unzipping.
TW_INLINE void tw_mmla_s4_steps(tw_vec* acc, const char** lhs, const char** rhs,
                                int M0, int N0, int sets, int steps) {
  const int pairs = M0 == 1 ? 1 : M0 / 2;
  const int columns = N0 / 2;
  const int passes = tw_s4_passes(pairs * columns);
  // Whether there are registers to load a vector of the rhs ahead.
  const int ahead = pairs < 4;
  tw_vec l[2][8];
  TW_UNROLL for (int i = 0; i < steps * passes; ++i) {
    const int s = i / passes, pass = i % passes;
    tw_vec* const a = acc + s % sets * pairs * columns;
    TW_UNROLL for (int p = 0; p < pairs; ++p) {
      if (M0 == 1 && s % 2 != 0) break;  // loaded with the step before
      tw_vec top = tw_load(*lhs + p * 32, 16);
      tw_vec low =
          M0 == 1 && steps == 1 ? top : tw_load(*lhs + p * 32 + 16, 16);
      // Or the compiler joins them into ld2, which takes the same units, later.
      TW_OPAQUE(top);
      l[0][p] = (tw_vec)vuzp1q_u8((uint8x16_t)top, (uint8x16_t)low);
      l[1][p] = (tw_vec)vuzp2q_u8((uint8x16_t)top, (uint8x16_t)low);
      // One after another, or registers run out.
      if (pairs > 2) TW_LOAD_AFTER(*lhs, l[pass][p]);
      if (pairs > 2 && passes == 1) TW_LOAD_AFTER(*lhs, l[1][p]);
    }
    tw_vec next = tw_load(*rhs, 16);
    TW_UNROLL for (int n = 0; n < columns; ++n) {
      // The vector before this one was multiplied into its accumulators.
      tw_vec* const done =
          a + (pairs - 1) * columns + (n + columns - 1) % columns;
      TW_UNROLL for (int p = 0; !ahead && p < pairs; ++p) {
        TW_LOAD_AFTER(*rhs, *(done - p * columns));
      }
      const tw_vec r = ahead ? next : tw_load(*rhs + n * 16, 16);
      if (ahead && n + 1 < columns) {
        TW_LOAD_AFTER(*rhs, *done);
        next = tw_load(*rhs + (n + 1) * 16, 16);
      }
      TW_UNROLL for (int odd = 0; odd < 2; ++odd) {
        const tw_vec part = odd ? tw_s4_odd(r) : tw_s4_even(r);
        TW_UNROLL for (int p = 0; p < pairs; ++p) {
          if (passes > 1 && pass != odd) break;
          tw_vec* const block = a + p * columns + n;
          *block = tw_mmla(TW_MMLA_S8, *block, l[odd][p], part);
          if (passes > 1) TW_PIN(*block);
        }
      }
    }
    TW_LOAD_AFTER(*lhs, a[pairs * columns - 1]);
    TW_LOAD_AFTER(*rhs, a[pairs * columns - 1]);
    if (pass + 1 == passes) {
      *lhs += M0 * 16;
      *rhs += columns * 16;
    }
  }
}
#endif

TW_INLINE void tw_mmla_any_steps(tw_mmla_t kind, tw_acc_t acc_kind, tw_vec* acc,
                                 const char** lhs, const char** rhs, int M0,
                                 int N0, int sets, int steps) {
#ifdef __ARM_FEATURE_MATMUL_INT8
  if (kind == TW_MMLA_S8S4) {
    tw_mmla_s4_steps(acc, lhs, rhs, M0, N0, sets, steps);
    return;
  }
#endif
  tw_mmla_steps(kind, acc_kind, acc, lhs, rhs, M0, N0, sets, steps);
}

// bfmmla adds to what it made four to six cycles before, to half of it at a
// time on Oryon: more sets than of others.
TW_INLINE int tw_bfmmla_sets(int vectors) {
  return vectors > 12 ? 1 : vectors > 6 ? 2 : 4;
}

// Adds the products of `k` K steps to acc[M0][N0 / 4].
TW_INLINE void tw_mmla_multiply(tw_mmla_t kind, tw_acc_t acc_kind, tw_vec* rows,
                                const char** lhs, const char** rhs,
                                tw_index_t k, int M0, int N0) {
  const int pairs = M0 == 1 ? 1 : M0 / 2;
  const int vectors = pairs * N0 / 2;
  const int rounds = tw_rounds_steps(acc_kind);
  const int sets = rounds                 ? 1
                   : kind == TW_MMLA_S8S4 ? tw_s4_sets(vectors)
                   : kind == TW_MMLA_BF16 ? tw_bfmmla_sets(vectors)
                                          : tw_accumulator_sets(vectors);
  tw_vec acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < sets * vectors; ++i) acc[i] = tw_zero();
  if (M0 == 1) {
    TW_UNROLL for (int n = 0; n < vectors; n += 2) {
      acc[n] = tw_low_halves(rows[n / 2], tw_zero());
      acc[n + 1] = tw_high_halves(rows[n / 2], tw_zero());
    }
  } else {
    TW_UNROLL for (int i = 0; i < vectors; ++i) acc[i] = rows[i];
    tw_mmla_from_rows(acc, M0, N0);
  }
  // Twice as many where a step is short.
  const int doubles = kind != TW_MMLA_S8S4 && vectors >= 6 &&
                      vectors <= (kind == TW_MMLA_BF16 ? 8 : 12);
  const int steps = rounds ? 4 : doubles ? 2 * sets : sets;
  TW_NO_UNROLL for (tw_index_t i = k / steps; i != 0; --i) {
    tw_mmla_any_steps(kind, acc_kind, acc, lhs, rhs, M0, N0, sets, steps);
  }
  TW_NO_UNROLL for (tw_index_t i = k % steps; steps > 1 && i > 0; --i) {
    tw_mmla_any_steps(kind, acc_kind, acc, lhs, rhs, M0, N0, 1, 1);
  }
  if (M0 == 1) {
    // Even steps are in the lower halves, odd ones in the upper halves.
    tw_reduce(acc_kind, acc, 2 * vectors, sets / 2);
    TW_UNROLL for (int n = 0; n < vectors; n += 2) {
      if (rounds) {
        rows[n / 2] = tw_low_halves(acc[n], acc[n + 1]);
        continue;
      }
      rows[n / 2] =
          tw_acc_add(acc_kind, tw_low_halves(acc[n], acc[n + 1]),
                     tw_high_halves(acc[vectors + n], acc[vectors + n + 1]));
    }
  } else {
    tw_reduce(acc_kind, acc, vectors, sets);
    tw_mmla_to_rows(acc, M0, N0);
    TW_UNROLL for (int i = 0; i < vectors; ++i) rows[i] = acc[i];
  }
}

TW_INLINE void tw_mmla_tile(tw_mmla_t kind, tw_acc_t acc_kind, void* out,
                            const void* lhs_panel, const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS];
  tw_begin(acc_kind, acc, out, params, M0, N0, 1);
  tw_mmla_multiply(kind, acc_kind, acc, &lhs, &rhs,
                   params->K > 0 ? params->K : 0, M0, N0);
  tw_end(acc_kind, acc, out, params, M0, N0, 1);
}

#define TW_MMLA_FAMILY(family, kind, acc)                                  \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    tw_mmla_tile(kind, acc, out, lhs, rhs, params, M0, N0);                \
  }
#ifdef __ARM_FEATURE_MATMUL_INT8
TW_MMLA_FAMILY(s8s8s32_k8, TW_MMLA_S8, TW_ACC_S32)
TW_MMLA_FAMILY(u8u8s32_k8, TW_MMLA_U8, TW_ACC_S32)
TW_MMLA_FAMILY(u8s8s32_k8, TW_MMLA_U8S8, TW_ACC_S32)

TW_INLINE void tw_mmla_s8s4(tw_vec* acc, const char** lhs, const char** rhs,
                            tw_index_t steps, int M0, int N0) {
  TW_UNROLL for (int i = 0; i < M0 * N0 / 4; ++i) acc[i] = tw_zero();
  tw_mmla_multiply(TW_MMLA_S8S4, TW_ACC_S32, acc, lhs, rhs, steps, M0, N0);
}
TW_S4_FAMILY(s8s4s32_k16, 16, tw_mmla_s8s4)
#endif
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
TW_MMLA_FAMILY(bf16bf16f32_k4, TW_MMLA_BF16, TW_ACC_F32)
TW_MMLA_FAMILY(bf16bf16bf16_k4, TW_MMLA_BF16, TW_ACC_F32_OUT_BF16)
#endif

#endif  // UKERNELS_ARM_64_MMLA_H_
