// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vector-length-agnostic families share. A family is an inline
// function
//
//   family(out, lhs, rhs, params, M0, N0)
//
// where M0 is a number of rows and N0 of vectors of accumulators (the `vl` of
// a tile's name); both are constants wherever it is stamped.
//
// Families of the same types are one function, a template (sve_lanes.h,
// sve_mmla.h) that a header includes with the types and the instruction. C has
// no arrays of vectors of unknown length; but it has arrays of pointers to
// them, by which loops over accumulators are loops: the compiler unrolls them,
// and neither the pointers nor memory behind them is left.

#ifndef UKERNELS_ARM_64_SVE_BODY_H_
#define UKERNELS_ARM_64_SVE_BODY_H_

#include <arm_sve.h>

#define TW_STREAMING
#include "ukernels/arm_64/scalable.h"

// What tells families of the same types from each other.
typedef struct {
  int lhs_bytes;  // of a row's K step in the panel, which are a lane
  int rhs_bytes;  // of a column's
  tw_out_t out;
  int paired;  // accumulators 2i, 2i+1 hold even and odd columns of operand i
  int rounds;  // each K step rounds to the out type
  int splits;  // the rhs is s4, each operand two vectors of s8, times 16
  int groups_loads;  // the rhs of a K step is loaded before it is multiplied
  int rolls_widest;  // the K loop of a tile of 3vl columns is not unrolled
  int quad_vectors;  // vectors are known to be of 128 bits
} tw_sve_family_t;

// The family of `tile`'s types with these members of tw_sve_family_t;
// `vectors` are the accumulators of a row.
#define TW_SVE_FAMILY(family, tile, vectors, ...)                            \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,         \
                        const tw_mmt4d_params_t* params, int M0, int vl) {   \
    const tw_sve_family_t how = {__VA_ARGS__};                               \
    tile(how, out, (const char*)lhs, (const char*)rhs, params, M0, vectors); \
  }

// What an accumulator's sum is: a sixteenth of it where the rhs `splits`, to
// which the out tile is added in the end.
#define TW_SUM_AS_IT_IS(name, type)           \
  TW_INLINE type name(int splits, type sum) { \
    (void)splits;                             \
    return sum;                               \
  }
TW_SUM_AS_IT_IS(tw_sum_f64, svfloat64_t)
TW_SUM_AS_IT_IS(tw_sum_f32, svfloat32_t)
TW_SUM_AS_IT_IS(tw_sum_f16, svfloat16_t)
TW_SUM_AS_IT_IS(tw_sum_s64, svint64_t)
TW_SUM_AS_IT_IS(tw_sum_u32, svuint32_t)
TW_INLINE svint32_t tw_sum_s32(int splits, svint32_t sum) {
  return splits ? svasr_x(svptrue_b8(), sum, 4) : sum;
}
#define TW_SUM(acc, splits, sum) \
  _Generic((acc*)0,              \
      svfloat64_t*: tw_sum_f64,  \
      svfloat32_t*: tw_sum_f32,  \
      svfloat16_t*: tw_sum_f16,  \
      svint64_t*: tw_sum_s64,    \
      svint32_t*: tw_sum_s32,    \
      svuint32_t*: tw_sum_u32)(splits, sum)

// Keeps loads on their side: unrolled steps would find no registers if the
// compiler had the loads of all of them first.
TW_INLINE void tw_keep_loads(void) { __asm__ volatile("" ::: "memory"); }

// Keeps loads through `p` behind the computation of `v`, and uses of the vector
// `u` as well. Neither costs an instruction.
#define TW_LOAD_AFTER(p, v) __asm__ volatile("" : "+r"(p) : "w"(v))
#define TW_USE_AFTER(u, v) __asm__ volatile("" : "+w"(u) : "w"(v))

// K steps that sve_lanes.h takes at once, so that there are 4 or 8 rows. Those
// of different steps have accumulators of their own, so that many
// multiply-accumulates of 4 cycles' latency are in flight: 16 where registers
// allow, as many as a core with four multipliers needs.
TW_INLINE int tw_sve_sets(tw_sve_family_t how, int M0, int vectors) {
  int rows = vectors <= 3 ? 8 : 4;
  if (how.splits) rows = vectors > 3 ? 2 : M0 > 1 ? 8 : 4;
  return M0 < rows ? rows / M0 : 1;
}

// Bytes of an operand of the rhs, for accumulators of `lanes` lanes.
TW_INLINE tw_index_t tw_sve_rhs_vector(tw_sve_family_t how, tw_index_t lanes) {
  return (how.paired ? 2 * lanes : lanes) * how.rhs_bytes;
}

// Whether there are registers for the converted rhs of two K steps.
TW_INLINE int tw_sve_converts_early(int M0, int vectors) {
  return M0 < 8 || vectors < 3;
}

// The first `bytes` bytes of each 16; all of them where it makes no difference.
TW_INLINE svbool_t tw_sve_quad_bytes(int bytes) {
  return bytes >= 16 ? svptrue_b8() : svwhilelt_b8_s32(0, bytes);
}

// A quad is 16 bytes at `p`, repeated along the vector, of which pg has those
// that exist.
TW_INLINE svfloat64_t tw_f64_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const double*)p);
}
TW_INLINE svfloat32_t tw_f32_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const float*)p);
}
TW_INLINE svfloat16_t tw_f16_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const float16_t*)p);
}
TW_INLINE svint16_t tw_s16_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const int16_t*)p);
}
TW_INLINE svint8_t tw_s8_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const int8_t*)p);
}
TW_INLINE svuint8_t tw_u8_quad(svbool_t pg, const void* p) {
  return svld1rq(pg, (const uint8_t*)p);
}

TW_INLINE svfloat64_t tw_f64_vector(const void* p) {
  return svld1(svptrue_b8(), (const double*)p);
}
TW_INLINE svfloat32_t tw_f32_vector(const void* p) {
  return svld1(svptrue_b8(), (const float*)p);
}
TW_INLINE svfloat16_t tw_f16_vector(const void* p) {
  return svld1(svptrue_b8(), (const float16_t*)p);
}
TW_INLINE svint8_t tw_s8_vector(const void* p) {
  return svld1(svptrue_b8(), (const int8_t*)p);
}
TW_INLINE svuint8_t tw_u8_vector(const void* p) {
  return svld1(svptrue_b8(), (const uint8_t*)p);
}

// Two rows of 8 bytes each, or a `single` one twice, repeated along the vector.
TW_INLINE svuint64_t tw_sve_pair(const void* p, int single) {
  typedef uint64_t __attribute__((aligned(1), may_alias)) tw_any_u64_t;
  if (single) return svdup_u64(*(const tw_any_u64_t*)p);
  return svreinterpret_u64(tw_u8_quad(svptrue_b8(), p));
}

#endif  // UKERNELS_ARM_64_SVE_BODY_H_
