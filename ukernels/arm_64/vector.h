// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all NEON families share: vectors without a type, loads of any width,
// the number of accumulators, and the way between accumulators and out tile.

#ifndef UKERNELS_ARM_64_VECTOR_H_
#define UKERNELS_ARM_64_VECTOR_H_

#include <arm_neon.h>

#include "ukernels/arm_64/tile_body.h"

// 128 bits; operations cast them to what they take.
typedef uint32x4_t tw_vec;

// Most accumulators that a tile has, and operands of a block of K steps.
enum { TW_MAX_ACCUMULATORS = 32, TW_MAX_OPERANDS = 64 };

// How many sets of accumulators hide the latency of the multiply-accumulate:
// with `vectors` accumulators per set, at least 12 chains in flight. Neoverse
// cores take the addend 2 cycles late, at up to 4 instructions per cycle (V1,
// V2), so 8 would do; Apple's take it after 4 cycles. K is unrolled by as much.
TW_INLINE int tw_accumulator_sets(int vectors) {
  return vectors >= 12 ? 1 : vectors >= 6 ? 2 : vectors >= 3 ? 4 : 8;
}

TW_INLINE tw_vec tw_zero(void) { return vdupq_n_u32(0); }

// The lower half; nothing is said of the upper one.
TW_INLINE tw_vec tw_from_low(uint8x8_t low) {
#ifdef __clang__
  return (tw_vec)__builtin_shufflevector(low, low, 0, 1, 2, 3, 4, 5, 6, 7, -1,
                                         -1, -1, -1, -1, -1, -1, -1);
#else
  return (tw_vec)vcombine_u8(low, vdup_n_u8(0));
#endif
}

// `bytes` bytes: 16, 12, 8, 4, 2 or 1; nothing is said of lanes beyond them.
TW_INLINE tw_vec tw_load(const void* p, int bytes) {
  const uint8_t* const from = (const uint8_t*)p;
  switch (bytes) {
    case 16:
      return (tw_vec)vld1q_u8(from);
    case 12:
      return vsetq_lane_u32(*(const tw_any_i32_t*)(from + 8),
                            tw_from_low(vld1_u8(from)), 2);
    case 8:
      return tw_from_low(vld1_u8(from));
    case 4:
      return vdupq_n_u32((uint32_t)*(const tw_any_i32_t*)from);
    case 2:
      return (tw_vec)vdupq_n_s16(*(const tw_any_i16_t*)from);
    default:
      return (tw_vec)vdupq_n_u8(*from);
  }
}

// v[count], count at most 4, from whole vectors by one instruction.
TW_INLINE void tw_load_vectors(tw_vec* v, const char* p, int count) {
  const uint8_t* const from = (const uint8_t*)p;
  if (count == 4) {
    const uint8x16x4_t many = vld1q_u8_x4(from);
    TW_UNROLL for (int j = 0; j < 4; ++j) v[j] = (tw_vec)many.val[j];
  } else if (count == 3) {
    const uint8x16x3_t many = vld1q_u8_x3(from);
    TW_UNROLL for (int j = 0; j < 3; ++j) v[j] = (tw_vec)many.val[j];
  } else if (count == 2) {
    const uint8x16x2_t many = vld1q_u8_x2(from);
    TW_UNROLL for (int j = 0; j < 2; ++j) v[j] = (tw_vec)many.val[j];
  } else {
    v[0] = tw_load(from, 16);
  }
}

// The same from a panel, which moves on. That takes fewer dispatch slots than
// pairs do, and the address is updated by the way.
TW_INLINE void tw_load_group(tw_vec* v, const char** panel, int count) {
  tw_load_vectors(v, *panel, count);
  *panel += count * 16;
  // Or the compiler addresses all groups from the first, by additions.
  TW_OPAQUE_POINTER(*panel);
}

// v[] from `bytes` bytes of a panel, the last vector perhaps a part. `panel`
// moves on.
TW_INLINE void tw_load_bytes(tw_vec* v, const char** panel, int bytes) {
  TW_UNROLL for (int i = 0; i + 16 <= bytes; i += 64) {
    tw_load_group(v + i / 16, panel, bytes - i < 64 ? (bytes - i) / 16 : 4);
  }
  if (bytes % 16 != 0) {
    v[bytes / 16] = tw_load(*panel, bytes % 16);
    *panel += bytes % 16;
  }
}

// Where `panel` stands, moving it on by `bytes`. Loads relative to the result
// pair up and are no chain of updates, as they would be if each moved on.
TW_INLINE const char* tw_advance(const char** panel, int bytes) {
  *panel += bytes;
  TW_OPAQUE_POINTER(*panel);
  return *panel - bytes;
}

// The vector `at` bytes from where `panel` stands. LLVM makes ldp of no two of
// these, for it does not know that they are neighbours; of ldp its models of
// Neoverse N2 and V2 say up to 1.4 times as many cycles.
TW_INLINE tw_vec tw_load_alone(const char** panel, int at) {
  TW_OPAQUE_POINTER(*panel);
  return tw_load(*panel + at, 16);
}

// Keeps loads through `p` behind the computation of `v`, where the compiler
// would load ahead until registers run out. It costs no instruction.
#define TW_LOAD_AFTER(p, v) __asm__ volatile("" : "+r"(p), "+w"(v))
// The same for uses of the vector `u`.
#define TW_USE_AFTER(u, v) __asm__ volatile("" : "+w"(u), "+w"(v))

TW_INLINE void tw_store(void* p, tw_vec v) {
  vst1q_u8((uint8_t*)p, (uint8x16_t)v);
}

// The accumulators' type, and how the out tile is related to it.
typedef enum {
  TW_ACC_S32,
  TW_ACC_F32,
  TW_ACC_F64,
  TW_ACC_F16,          // f16 accumulators: every step rounds
  TW_ACC_F32_OUT_F16,  // converted at the end
  TW_ACC_F32_OUT_BF16,
  TW_ACC_F32_STEP_F16,  // f32, every step rounds to f16
  TW_ACC_F32_STEP_BF16
} tw_acc_t;

// Whether every step rounds: in the order of the steps, with one accumulator.
TW_INLINE int tw_rounds_steps(tw_acc_t acc) {
  return acc == TW_ACC_F16 || acc == TW_ACC_F32_STEP_F16 ||
         acc == TW_ACC_F32_STEP_BF16;
}

TW_INLINE int tw_acc_lanes(tw_acc_t acc) {
  return acc == TW_ACC_F64 ? 2 : acc == TW_ACC_F16 ? 8 : 4;
}

TW_INLINE int tw_out_bytes(tw_acc_t acc) {
  return acc == TW_ACC_F64 ? 8 : acc == TW_ACC_S32 || acc == TW_ACC_F32 ? 4 : 2;
}

TW_INLINE tw_vec tw_acc_add(tw_acc_t acc, tw_vec a, tw_vec b) {
  switch (acc) {
    case TW_ACC_S32:
      return vaddq_u32(a, b);
    case TW_ACC_F64:
      return (tw_vec)vaddq_f64((float64x2_t)a, (float64x2_t)b);
    default:  // TW_ACC_F16 has one set.
      return (tw_vec)vaddq_f32((float32x4_t)a, (float32x4_t)b);
  }
}

// Adds the sets up into set 0.
TW_INLINE void tw_reduce(tw_acc_t kind, tw_vec* acc, int vectors, int sets) {
  TW_UNROLL for (int half = sets / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * vectors; ++i) {
      acc[i] = tw_acc_add(kind, acc[i], acc[half * vectors + i]);
    }
  }
}

// One accumulator from the out tile.
TW_INLINE tw_vec tw_acc_load(tw_acc_t acc, const void* out) {
  switch (acc) {
    case TW_ACC_F32_OUT_F16:
    case TW_ACC_F32_STEP_F16:
      return (tw_vec)vcvt_f32_f16((float16x4_t)vld1_u8((const uint8_t*)out));
    case TW_ACC_F32_OUT_BF16:
    case TW_ACC_F32_STEP_BF16:
      return (tw_vec)vshll_n_u16((uint16x4_t)vld1_u8((const uint8_t*)out), 16);
    default:
      return tw_load(out, 16);
  }
}

TW_INLINE void tw_acc_store(tw_acc_t acc, void* out, tw_vec v) {
  switch (acc) {
    case TW_ACC_F32_OUT_F16:
    case TW_ACC_F32_STEP_F16:
      vst1_u8((uint8_t*)out, (uint8x8_t)vcvt_f16_f32((float32x4_t)v));
      break;
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    case TW_ACC_F32_OUT_BF16:
    case TW_ACC_F32_STEP_BF16:
      vst1_u8((uint8_t*)out, (uint8x8_t)vcvt_bf16_f32((float32x4_t)v));
      break;
#endif
    default:
      tw_store(out, v);
  }
}

// After a K step.
TW_INLINE void tw_round_step(tw_acc_t kind, tw_vec* acc, int vectors) {
  TW_UNROLL for (int i = 0; i < vectors; ++i) {
    if (kind == TW_ACC_F32_STEP_F16) {
      acc[i] = (tw_vec)vcvt_f32_f16(vcvt_f16_f32((float32x4_t)acc[i]));
    }
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    if (kind == TW_ACC_F32_STEP_BF16) {
      acc[i] = (tw_vec)vshll_n_u16(
          (uint16x4_t)vcvt_bf16_f32((float32x4_t)acc[i]), 16);
    }
#endif
  }
}

// Accumulators are acc[set][m][n], n counting vectors; set 0 starts with the
// out tile (or zero), the others with zero.
TW_INLINE void tw_begin(tw_acc_t kind, tw_vec* acc, const void* out,
                        const tw_mmt4d_params_t* params, int M0, int N0,
                        int sets) {
  const int nv = N0 / tw_acc_lanes(kind);
  TW_UNROLL for (int i = 0; i < sets * M0 * nv; ++i) { acc[i] = tw_zero(); }
  if (!tw_accumulates(params)) return;
  const tw_index_t stride = tw_out_stride(params, N0) * tw_out_bytes(kind);
  const int bytes = tw_acc_lanes(kind) * tw_out_bytes(kind);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] =
          tw_acc_load(kind, (const char*)out + m * stride + n * bytes);
    }
  }
}

TW_INLINE void tw_end(tw_acc_t kind, tw_vec* acc, void* out,
                      const tw_mmt4d_params_t* params, int M0, int N0,
                      int sets) {
  const int nv = N0 / tw_acc_lanes(kind);
  tw_reduce(kind, acc, M0 * nv, sets);
  const tw_index_t stride = tw_out_stride(params, N0) * tw_out_bytes(kind);
  const int bytes = tw_acc_lanes(kind) * tw_out_bytes(kind);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      tw_acc_store(kind, (char*)out + m * stride + n * bytes, acc[m * nv + n]);
    }
  }
}

#endif  // UKERNELS_ARM_64_VECTOR_H_
