// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What families on vectors of unknown length share, SVE's and SME's: above all
// accumulators, from and to the out tile, where each operation is one name for
// all types of them. The includer defines TW_STREAMING, what functions on such
// vectors are declared with behind their parameters.

#ifndef UKERNELS_ARM_64_SCALABLE_H_
#define UKERNELS_ARM_64_SCALABLE_H_

#include <stdint.h>

#include "ukernels/arm_64/lane_number.h"
#include "ukernels/arm_64/tile_body.h"
#include "ukernels/stamp.h"

// The sizes in rows of mmt4d_tiles_scalable.def: how many, and whether of
// vectors.
enum {
  TW_COUNT_1 = 1,
  TW_COUNT_2 = 2,
  TW_COUNT_4 = 4,
  TW_COUNT_8 = 8,
  TW_COUNT_1vl = 1,
  TW_COUNT_2vl = 2,
  TW_COUNT_3vl = 3,
  TW_COUNT_4vl = 4,
  TW_COUNT_6vl = 6,
  TW_COUNT_8vl = 8
};
enum {
  TW_IS_VECTORS_1 = 0,
  TW_IS_VECTORS_2 = 0,
  TW_IS_VECTORS_4 = 0,
  TW_IS_VECTORS_1vl = 1,
  TW_IS_VECTORS_2vl = 1,
  TW_IS_VECTORS_4vl = 1
};

// The loop's own instructions are few, but a tile that multiplies in all of a
// core's pipelines has no issue slot left for them.
#ifdef __clang__
#define TW_UNROLL_2 _Pragma("clang loop unroll_count(2)")
#define TW_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define TW_UNROLL_2 _Pragma("GCC unroll 2")
#define TW_UNROLL_4 _Pragma("GCC unroll 4")
#endif

// LLVM 22 takes the cast of a vector that is stored, or loaded, through a
// pointer into the store or load; the type of that is then another than that of
// what the pointer points to, which it leaves in memory. What hides the cast
// costs no instruction.
#define TW_HIDE_CAST(v) TW_OPAQUE(v)

// The out tile's elements.
typedef enum {
  TW_OUT_32,  // as the accumulators; of 64-bit integers the lower half
  TW_OUT_64,  // f64
  TW_OUT_F16,
  TW_OUT_BF16
} tw_out_t;

TW_INLINE svfloat32_t tw_f32_from_f16(const void* p) TW_STREAMING {
  const svbool_t all = svptrue_b8();
  const svuint32_t bits = svld1uh_u32(all, (const uint16_t*)p);
  return svcvt_f32_x(all, svreinterpret_f16(bits));
}

TW_INLINE void tw_f32_to_f16(void* p, svfloat32_t v) TW_STREAMING {
  const svbool_t all = svptrue_b8();
  const svfloat16_t narrow = svcvt_f16_x(all, v);
  svst1h(all, (uint16_t*)p, svreinterpret_u32(narrow));
}

TW_INLINE svfloat32_t tw_f32_from_bf16(const void* p) TW_STREAMING {
  const svbool_t all = svptrue_b8();
  const svuint32_t bits = svld1uh_u32(all, (const uint16_t*)p);
  svfloat32_t v = svreinterpret_f32(svlsl_x(all, bits, 16));
  TW_HIDE_CAST(v);
  return v;
}

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
// To bf16 in the even halfwords, and back.
TW_INLINE svfloat32_t tw_bf16_narrow(svfloat32_t v) TW_STREAMING {
  v = svreinterpret_f32(svcvt_bf16_x(svptrue_b8(), v));
  TW_HIDE_CAST(v);
  return v;
}

TW_INLINE svfloat32_t tw_bf16_widen(svfloat32_t v) TW_STREAMING {
  TW_HIDE_CAST(v);
  v = svreinterpret_f32(svlsl_x(svptrue_b8(), svreinterpret_u32(v), 16));
  TW_HIDE_CAST(v);
  return v;
}
#endif

TW_INLINE svfloat64_t tw_load_f64(tw_out_t out, const void* p, tw_index_t row,
                                  tw_index_t at) TW_STREAMING {
  (void)out;
  return svld1(svptrue_b8(), (const double*)p + row + at);
}

TW_INLINE svfloat32_t tw_load_f32(tw_out_t out, const void* p, tw_index_t row,
                                  tw_index_t at) TW_STREAMING {
  switch (out) {
    case TW_OUT_F16:
      return tw_f32_from_f16((const uint16_t*)p + row + at);
    case TW_OUT_BF16:
      return tw_f32_from_bf16((const uint16_t*)p + row + at);
    default:
      return svld1(svptrue_b8(), (const float*)p + row + at);
  }
}

TW_INLINE svfloat16_t tw_load_f16(tw_out_t out, const void* p, tw_index_t row,
                                  tw_index_t at) TW_STREAMING {
  (void)out;
  return svld1(svptrue_b8(), (const float16_t*)p + row + at);
}

TW_INLINE svint64_t tw_load_s64(tw_out_t out, const void* p, tw_index_t row,
                                tw_index_t at) TW_STREAMING {
  (void)out;
  return svld1sw_s64(svptrue_b8(), (const int32_t*)p + row + at);
}

TW_INLINE svint32_t tw_load_s32(tw_out_t out, const void* p, tw_index_t row,
                                tw_index_t at) TW_STREAMING {
  (void)out;
  return svld1(svptrue_b8(), (const int32_t*)p + row + at);
}

TW_INLINE svuint32_t tw_load_u32(tw_out_t out, const void* p, tw_index_t row,
                                 tw_index_t at) TW_STREAMING {
  (void)out;
  return svld1(svptrue_b8(), (const uint32_t*)p + row + at);
}

TW_INLINE void tw_store_f64(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svfloat64_t v) TW_STREAMING {
  (void)out;
  svst1(svptrue_b8(), (double*)p + row + at, v);
}

TW_INLINE void tw_store_f32(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svfloat32_t v) TW_STREAMING {
  switch (out) {
    case TW_OUT_F16:
      tw_f32_to_f16((uint16_t*)p + row + at, v);
      break;
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    case TW_OUT_BF16:
      svst1h(svptrue_b8(), (uint16_t*)p + row + at,
             svreinterpret_u32(tw_bf16_narrow(v)));
      break;
#endif
    default:
      svst1(svptrue_b8(), (float*)p + row + at, v);
  }
}

TW_INLINE void tw_store_f16(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svfloat16_t v) TW_STREAMING {
  (void)out;
  svst1(svptrue_b8(), (float16_t*)p + row + at, v);
}

TW_INLINE void tw_store_s64(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svint64_t v) TW_STREAMING {
  (void)out;
  svst1w(svptrue_b8(), (int32_t*)p + row + at, v);
}

TW_INLINE void tw_store_s32(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svint32_t v) TW_STREAMING {
  (void)out;
  svst1(svptrue_b8(), (int32_t*)p + row + at, v);
}

TW_INLINE void tw_store_u32(tw_out_t out, void* p, tw_index_t row,
                            tw_index_t at, svuint32_t v) TW_STREAMING {
  (void)out;
  svst1(svptrue_b8(), (uint32_t*)p + row + at, v);
}

// An accumulator of type `acc` of zeros.
#define TW_ZERO(acc)              \
  _Generic((acc*)0,               \
      svfloat64_t*: svdup_f64(0), \
      svfloat32_t*: svdup_f32(0), \
      svfloat16_t*: svdup_f16(0), \
      svint64_t*: svdup_s64(0),   \
      svint32_t*: svdup_s32(0),   \
      svuint32_t*: svdup_u32(0))

// An accumulator of type `acc` from an out tile at `p`, whose elements are
// `out`: from the element at `row` + `at` on; and to it. A row of the tile
// apart from the place in it, for the addresses that compilers make of both.
#define TW_LOAD_ACC(acc, out, p, row, at) \
  _Generic((acc*)0,                       \
      svfloat64_t*: tw_load_f64,          \
      svfloat32_t*: tw_load_f32,          \
      svfloat16_t*: tw_load_f16,          \
      svint64_t*: tw_load_s64,            \
      svint32_t*: tw_load_s32,            \
      svuint32_t*: tw_load_u32)(out, p, row, at)
#define TW_STORE_ACC(acc, out, p, row, at, v) \
  _Generic((acc*)0,                           \
      svfloat64_t*: tw_store_f64,             \
      svfloat32_t*: tw_store_f32,             \
      svfloat16_t*: tw_store_f16,             \
      svint64_t*: tw_store_s64,               \
      svint32_t*: tw_store_s32,               \
      svuint32_t*: tw_store_u32)(out, p, row, at, v)

#endif  // UKERNELS_ARM_64_SCALABLE_H_
