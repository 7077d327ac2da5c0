// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families whose instruction multiplies a vector by one lane of another: the
// rhs is the vector, the lhs the lane, so that one load serves several rows or
// K steps and nothing is broadcast.

#ifndef UKERNELS_ARM_64_LANE_H_
#define UKERNELS_ARM_64_LANE_H_

#include "ukernels/arm_64/lane_number.h"
#include "ukernels/arm_64/vector.h"

// The instruction, and what it is fed with. A *group* is what one lane holds:
// the K0 elements of one row or column of one K step.
typedef enum {
  TW_LANE_F64,       // fmla
  TW_LANE_F32,       // fmla
  TW_LANE_F16_WIDE,  // fmla of f16 made f32
  TW_LANE_F16,       // fmla of f16 lanes
  TW_LANE_FMLAL,     // fmlal: f16 to f32
  TW_LANE_BFDOT,     // bfdot: K0 = 2
  TW_LANE_S16,       // smlal
  TW_LANE_S16S8,     // smlal, the rhs made s16
  TW_LANE_S8,        // smlal, both made s16
  TW_LANE_U8S8,      // the same
  TW_LANE_U8,        // the same
  TW_LANE_SDOT,      // sdot: K0 = 4
  TW_LANE_UDOT,      // udot
  TW_LANE_USDOT      // usdot: the lhs is unsigned
} tw_lane_t;

// How groups of a panel become lanes.
typedef enum {
  TW_WIDEN_NOT,
  TW_WIDEN_F16,  // to f32
  TW_WIDEN_S8,   // to s16
  TW_WIDEN_U8
} tw_widen_t;

TW_INLINE tw_widen_t tw_lane_widens_lhs(tw_lane_t kind) {
  return kind == TW_LANE_F16_WIDE                     ? TW_WIDEN_F16
         : kind == TW_LANE_S8                         ? TW_WIDEN_S8
         : kind == TW_LANE_U8S8 || kind == TW_LANE_U8 ? TW_WIDEN_U8
                                                      : TW_WIDEN_NOT;
}

TW_INLINE tw_widen_t tw_lane_widens_rhs(tw_lane_t kind) {
  return kind == TW_LANE_S16S8 || kind == TW_LANE_U8S8
             ? TW_WIDEN_S8
             : tw_lane_widens_lhs(kind);
}

// Bytes of a lane.
TW_INLINE int tw_lane_bytes(tw_lane_t kind) {
  switch (kind) {
    case TW_LANE_F64:
      return 8;
    case TW_LANE_F16:
    case TW_LANE_FMLAL:
    case TW_LANE_S16:
    case TW_LANE_S16S8:
    case TW_LANE_S8:
    case TW_LANE_U8S8:
    case TW_LANE_U8:
      return 2;
    default:
      return 4;
  }
}

// Bytes of a group in a panel.
TW_INLINE int tw_lane_lhs_bytes(tw_lane_t kind) {
  return tw_lane_bytes(kind) >> (tw_lane_widens_lhs(kind) != TW_WIDEN_NOT);
}
TW_INLINE int tw_lane_rhs_bytes(tw_lane_t kind) {
  return tw_lane_bytes(kind) >> (tw_lane_widens_rhs(kind) != TW_WIDEN_NOT);
}

TW_INLINE tw_vec tw_widen_low(tw_widen_t widen, tw_vec v) {
  switch (widen) {
    case TW_WIDEN_F16:
      return (tw_vec)vcvt_f32_f16(vget_low_f16((float16x8_t)v));
    case TW_WIDEN_S8:
      return (tw_vec)vmovl_s8(vget_low_s8((int8x16_t)v));
    case TW_WIDEN_U8:
      return (tw_vec)vmovl_u8(vget_low_u8((uint8x16_t)v));
    default:
      return v;
  }
}

TW_INLINE tw_vec tw_widen_high(tw_widen_t widen, tw_vec v) {
  switch (widen) {
    case TW_WIDEN_F16:
      return (tw_vec)vcvt_high_f32_f16((float16x8_t)v);
    case TW_WIDEN_S8:
      return (tw_vec)vmovl_high_s8((int8x16_t)v);
    default:
      return (tw_vec)vmovl_high_u8((uint8x16_t)v);
  }
}

// `bytes` bytes of a panel as lanes: v[]. `panel` moves on.
TW_INLINE void tw_lane_load(tw_widen_t widen, tw_vec* v, const char** panel,
                            int bytes) {
  if (widen == TW_WIDEN_NOT) {
    tw_load_bytes(v, panel, bytes);
    return;
  }
  TW_UNROLL for (int i = 0; i < bytes; i += 16) {
    const int left = bytes - i < 16 ? bytes - i : 16;
    const tw_vec raw = tw_load(*panel + i, left);
    v[i / 8] = tw_widen_low(widen, raw);
    if (left > 8) v[i / 8 + 1] = tw_widen_high(widen, raw);
  }
  *panel += bytes;
}

TW_INLINE int tw_min(int a, int b) { return a < b ? a : b; }
TW_INLINE int tw_max(int a, int b) { return a > b ? a : b; }

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && defined(__clang__)
// clang 22 takes the lane of vbfdotq_laneq_f32 apart into a dup.
#define TW_BFDOT(acc, rhs, lhs, lane)            \
  __asm__("bfdot %0.4s, %1.8h, %2.2h[" #lane "]" \
          : "+w"(acc)                            \
          : "w"(rhs), "w"(lhs))
TW_INLINE tw_vec tw_bfdot_lane(tw_vec acc, tw_vec rhs, tw_vec lhs, int lane) {
  switch (lane) {
    case 0:
      TW_BFDOT(acc, rhs, lhs, 0);
      break;
    case 1:
      TW_BFDOT(acc, rhs, lhs, 1);
      break;
    case 2:
      TW_BFDOT(acc, rhs, lhs, 2);
      break;
    default:
      TW_BFDOT(acc, rhs, lhs, 3);
  }
  return acc;
}
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
TW_INLINE tw_vec tw_bfdot_lane(tw_vec acc, tw_vec rhs, tw_vec lhs, int lane) {
  return (tw_vec)TW_LANE_OF_4(lane, vbfdotq_laneq_f32, (float32x4_t)acc,
                              (bfloat16x8_t)rhs, (bfloat16x8_t)lhs);
}
#endif

// acc + the products of rhs, or of one half of it where accumulators are twice
// as wide, with a lane of lhs.
TW_INLINE tw_vec tw_lane_multiply(tw_lane_t kind, tw_vec acc, tw_vec rhs,
                                  int half, tw_vec lhs, int lane) {
  switch (kind) {
    case TW_LANE_F64:
      return (tw_vec)TW_LANE_OF_2(lane, vfmaq_laneq_f64, (float64x2_t)acc,
                                  (float64x2_t)rhs, (float64x2_t)lhs);
    case TW_LANE_F32:
    case TW_LANE_F16_WIDE:
      return (tw_vec)TW_LANE_OF_4(lane, vfmaq_laneq_f32, (float32x4_t)acc,
                                  (float32x4_t)rhs, (float32x4_t)lhs);
#ifdef __ARM_FEATURE_FP16_VECTOR_ARITHMETIC
    case TW_LANE_F16:
      return (tw_vec)TW_LANE_OF_8(lane, vfmaq_laneq_f16, (float16x8_t)acc,
                                  (float16x8_t)rhs, (float16x8_t)lhs);
#endif
#ifdef __ARM_FEATURE_FP16_FML
    case TW_LANE_FMLAL:
      return half ? (tw_vec)TW_LANE_OF_8(lane, vfmlalq_laneq_high_f16,
                                         (float32x4_t)acc, (float16x8_t)rhs,
                                         (float16x8_t)lhs)
                  : (tw_vec)TW_LANE_OF_8(lane, vfmlalq_laneq_low_f16,
                                         (float32x4_t)acc, (float16x8_t)rhs,
                                         (float16x8_t)lhs);
#endif
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    case TW_LANE_BFDOT:
      return tw_bfdot_lane(acc, rhs, lhs, lane);
#endif
#ifdef __ARM_FEATURE_DOTPROD
    case TW_LANE_SDOT:
      return (tw_vec)TW_LANE_OF_4(lane, vdotq_laneq_s32, (int32x4_t)acc,
                                  (int8x16_t)rhs, (int8x16_t)lhs);
    case TW_LANE_UDOT:
      return TW_LANE_OF_4(lane, vdotq_laneq_u32, acc, (uint8x16_t)rhs,
                          (uint8x16_t)lhs);
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
    case TW_LANE_USDOT:
      return (tw_vec)TW_LANE_OF_4(lane, vsudotq_laneq_s32, (int32x4_t)acc,
                                  (int8x16_t)rhs, (uint8x16_t)lhs);
#endif
    default:  // s16, given or widened; u8 are positive s16.
      return half ? (tw_vec)TW_LANE_OF_8(lane, vmlal_high_laneq_s16,
                                         (int32x4_t)acc, (int16x8_t)rhs,
                                         (int16x8_t)lhs)
                  : (tw_vec)TW_LANE_OF_8(lane, vmlal_laneq_s16, (int32x4_t)acc,
                                         vget_low_s16((int16x8_t)rhs),
                                         (int16x8_t)lhs);
  }
}

// Whether the registers of the rhs are loaded one by one. A single row is
// multiplied so quickly that nothing else fits in between: of ld1 of four
// LLVM's models of A64FX, Ampere-1 and Oryon say two to five times as many
// cycles. So it is with more rows, but Neoverse N1, which has neither bfdot nor
// usdot, would take 1.3 times as long.
TW_INLINE int tw_lane_loads_alone(tw_lane_t kind, tw_acc_t acc_kind, int M0) {
  if (tw_lane_widens_rhs(kind) != TW_WIDEN_NOT) return 0;
  return M0 == 1 || ((kind == TW_LANE_BFDOT || kind == TW_LANE_USDOT) &&
                     !tw_rounds_steps(acc_kind));
}

// The same as tw_lane_steps where tw_lane_loads_alone, and the rhs is a whole
// number of vectors.
TW_INLINE void tw_lane_steps_alone(tw_lane_t kind, tw_acc_t acc_kind,
                                   tw_vec* acc, const char** lhs,
                                   const char** rhs, int M0, int N0, int sets,
                                   int steps) {
  const int lane_bytes = tw_lane_bytes(kind);
  const int lanes = 16 / lane_bytes;
  const int acc_lanes = tw_acc_lanes(acc_kind);
  const int nv = N0 / acc_lanes;
  const int vectors = steps * N0 / lanes;
  // Registers on their way: what Cortex-A510 and A55, which are in order, wait
  // for least; others wait for none.
  const int ahead = M0 == 1 ? 5 : 4;
  tw_vec l[TW_MAX_OPERANDS], r[TW_MAX_OPERANDS];
  tw_load_bytes(l, lhs, steps * M0 * tw_lane_lhs_bytes(kind));
  TW_UNROLL for (int v = 0; v < tw_min(ahead, vectors); ++v) {
    r[v] = tw_load_alone(rhs, v * 16);
  }
  TW_UNROLL for (int v = 0; v < vectors; ++v) {
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      TW_UNROLL for (int n = v * lanes; n < (v + 1) * lanes; n += acc_lanes) {
        const int s = n / N0, at_m = s * M0 + m;
        tw_vec* const a = acc + (s % sets * M0 + m) * nv + n % N0 / acc_lanes;
        *a = tw_lane_multiply(kind, *a, r[v], n % lanes * lane_bytes / 8,
                              l[at_m / lanes], at_m % lanes);
        // Else later loads would come first, and take the registers.
        TW_PIN(*a);
      }
    }
    if (v + ahead < vectors) {
      r[v + ahead] = tw_load_alone(rhs, (v + ahead) * 16);
    }
    if ((v + 1) * lanes % N0 == 0) tw_round_step(acc_kind, acc, M0 * nv);
  }
  *rhs += vectors * 16;
}

// `steps` K steps; acc[step % sets][m][n]. The panels move on.
TW_INLINE void tw_lane_steps(tw_lane_t kind, tw_acc_t acc_kind, tw_vec* acc,
                             const char** lhs, const char** rhs, int M0, int N0,
                             int sets, int steps) {
  const int lane_bytes = tw_lane_bytes(kind);
  const int lanes = 16 / lane_bytes;
  const int acc_lanes = tw_acc_lanes(acc_kind);
  const int nv = N0 / acc_lanes;
  const int rhs_bytes = N0 * tw_lane_rhs_bytes(kind);
  const tw_widen_t widen_rhs = tw_lane_widens_rhs(kind);
  if (tw_lane_loads_alone(kind, acc_kind, M0) && steps * rhs_bytes % 16 == 0) {
    tw_lane_steps_alone(kind, acc_kind, acc, lhs, rhs, M0, N0, sets, steps);
    return;
  }
  // The rhs is loaded in chunks of four vectors, or of one that is converted.
  const int chunk = widen_rhs != TW_WIDEN_NOT ? 16 : 64;
  tw_vec l[TW_MAX_OPERANDS], r[TW_MAX_OPERANDS];
  tw_lane_load(tw_lane_widens_lhs(kind), l, lhs,
               steps * M0 * tw_lane_lhs_bytes(kind));
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    TW_UNROLL for (int at = (s * rhs_bytes + chunk - 1) / chunk * chunk;
                   at < (s + 1) * rhs_bytes; at += chunk) {
      const int left = steps * rhs_bytes - at;
      // While the chunk before it is multiplied.
      if (at > 0 && s > 0 && chunk > 16) {
        TW_LOAD_AFTER(*rhs, acc[(at - chunk) / rhs_bytes % sets * M0 * nv]);
      }
      tw_lane_load(widen_rhs,
                   r + at * lane_bytes / tw_lane_rhs_bytes(kind) / 16, rhs,
                   left < chunk ? left : chunk);
    }
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const int at_m = s * M0 + m;
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        const int at_n = s * N0 + n * acc_lanes;
        tw_vec* const a = acc + (s % sets * M0 + m) * nv + n;
        *a = tw_lane_multiply(kind, *a, r[at_n / lanes],
                              at_n % lanes * lane_bytes / 8, l[at_m / lanes],
                              at_m % lanes);
      }
    }
    tw_round_step(acc_kind, acc, M0 * nv);
  }
}

// K steps of an iteration: at least one per set; so many that whole vectors of
// the lhs are loaded; and that the loop's own instructions cost little, which
// counts on cores that dispatch few instructions per cycle (Neoverse N1), if
// there are registers for more than one step's operands.
TW_INLINE int tw_lane_iteration(tw_lane_t kind, int M0, int vectors, int sets) {
  const int fill = 16 / tw_min(16, M0 * tw_lane_lhs_bytes(kind));
  const int steps = tw_max(sets, fill);
  const int least = kind == TW_LANE_F16_WIDE ? 12 : M0 == 1 ? 2 : 3;
  if (vectors < least || vectors > 16) return steps;
  const int multiplies = vectors * steps;
  const int lhs_bytes = steps * M0 * tw_lane_bytes(kind);
  return steps * tw_min(multiplies >= 32             ? 1
                        : multiplies > 16 || M0 == 1 ? 2
                                                     : 4,
                        lhs_bytes >= (M0 == 1 ? 128 : 64) ? 1
                        : lhs_bytes >= 32                 ? 2
                                                          : 4);
}

TW_INLINE void tw_lane_tile(tw_lane_t kind, tw_acc_t acc_kind, void* out,
                            const void* lhs_panel, const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int vectors = M0 * N0 / tw_acc_lanes(acc_kind);
  const int sets = tw_rounds_steps(acc_kind) ? 1 : tw_accumulator_sets(vectors);
  const int steps = tw_lane_iteration(kind, M0, vectors, sets);
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS];
  tw_begin(acc_kind, acc, out, params, M0, N0, sets);
  const tw_index_t K = params->K > 0 ? params->K : 0;
  TW_NO_UNROLL for (tw_index_t i = K / steps; i != 0; --i) {
    tw_lane_steps(kind, acc_kind, acc, &lhs, &rhs, M0, N0, sets, steps);
  }
  TW_NO_UNROLL for (tw_index_t k = K % steps; steps > 1 && k > 0; --k) {
    tw_lane_steps(kind, acc_kind, acc, &lhs, &rhs, M0, N0, 1, 1);
  }
  tw_end(acc_kind, acc, out, params, M0, N0, sets);
}

#define TW_LANE_FAMILY(family, kind, acc)                                  \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    tw_lane_tile(kind, acc, out, lhs, rhs, params, M0, N0);                \
  }
TW_LANE_FAMILY(f32f32f32_k1, TW_LANE_F32, TW_ACC_F32)
TW_LANE_FAMILY(f64f64f64_k1, TW_LANE_F64, TW_ACC_F64)
TW_LANE_FAMILY(f16f16f16_k1_steprnd, TW_LANE_F16_WIDE, TW_ACC_F32_STEP_F16)
TW_LANE_FAMILY(s16s16s32_k1, TW_LANE_S16, TW_ACC_S32)
TW_LANE_FAMILY(s16s8s32_k1, TW_LANE_S16S8, TW_ACC_S32)
TW_LANE_FAMILY(s8s8s32_k1, TW_LANE_S8, TW_ACC_S32)
TW_LANE_FAMILY(u8s8s32_k1, TW_LANE_U8S8, TW_ACC_S32)
TW_LANE_FAMILY(u8u8s32_k1, TW_LANE_U8, TW_ACC_S32)
#ifdef __ARM_FEATURE_FP16_VECTOR_ARITHMETIC
TW_LANE_FAMILY(f16f16f16_k1_steprnd_fmla, TW_LANE_F16, TW_ACC_F16)
#endif
#ifdef __ARM_FEATURE_FP16_FML
TW_LANE_FAMILY(f16f16f32_k1_fmlal, TW_LANE_FMLAL, TW_ACC_F32)
TW_LANE_FAMILY(f16f16f16_k1_fmlal, TW_LANE_FMLAL, TW_ACC_F32_OUT_F16)
#endif
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
TW_LANE_FAMILY(bf16bf16f32_k2, TW_LANE_BFDOT, TW_ACC_F32)
TW_LANE_FAMILY(bf16bf16bf16_k2, TW_LANE_BFDOT, TW_ACC_F32_OUT_BF16)
#endif
#ifdef __ARM_FEATURE_DOTPROD
TW_LANE_FAMILY(s8s8s32_k4, TW_LANE_SDOT, TW_ACC_S32)
TW_LANE_FAMILY(u8u8s32_k4, TW_LANE_UDOT, TW_ACC_S32)
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
TW_LANE_FAMILY(u8s8s32_k4, TW_LANE_USDOT, TW_ACC_S32)
#endif

#endif  // UKERNELS_ARM_64_LANE_H_
