// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accumulators of a vector-length-agnostic family, and how its out tile has
// them. ACLE's intrinsics are overloaded by the types of their operands, which
// leaves what has no operand of the type: a list of
//
//   a vector's type, the reinterpretation of other vectors as one, an element's
//   type in the out tile, the load of a vector from there, and the store
//
// A family defines TW_ACCUMULATORS as one of these lists; its template finds
// the items as TW_ACC, TW_OUT and so on.

#ifndef UKERNELS_ARM_64_SVE_ACCUMULATORS_H_
#define UKERNELS_ARM_64_SVE_ACCUMULATORS_H_

#define TW_LOAD_ALL(p) svld1(svptrue_b8(), p)
#define TW_STORE_ALL(p, v) svst1(svptrue_b8(), p, v)

#define TW_F64 svfloat64_t, svreinterpret_f64, double, TW_LOAD_ALL, TW_STORE_ALL
#define TW_F32 svfloat32_t, svreinterpret_f32, float, TW_LOAD_ALL, TW_STORE_ALL
#define TW_F16 \
  svfloat16_t, svreinterpret_f16, float16_t, TW_LOAD_ALL, TW_STORE_ALL
#define TW_S32 svint32_t, svreinterpret_s32, int32_t, TW_LOAD_ALL, TW_STORE_ALL
#define TW_U32 \
  svuint32_t, svreinterpret_u32, uint32_t, TW_LOAD_ALL, TW_STORE_ALL

// macro(list), the list's items being arguments of their own.
#define TW_APPLY(macro, ...) macro(__VA_ARGS__)
#define TW_ITEM_1(a, b, c, d, e) a
#define TW_ITEM_2(a, b, c, d, e) b
#define TW_ITEM_3(a, b, c, d, e) c
#define TW_ITEM_4(a, b, c, d, e) d
#define TW_ITEM_5(a, b, c, d, e) e

#define TW_ACC TW_APPLY(TW_ITEM_1, TW_ACCUMULATORS)
#define TW_ACC_OF(v) TW_APPLY(TW_ITEM_2, TW_ACCUMULATORS)(v)
#define TW_OUT TW_APPLY(TW_ITEM_3, TW_ACCUMULATORS)
#define TW_LOAD(p) TW_APPLY(TW_ITEM_4, TW_ACCUMULATORS)(p)
#define TW_STORE(p, v) TW_APPLY(TW_ITEM_5, TW_ACCUMULATORS)(p, v)
#define TW_ZERO TW_ACC_OF(svdup_u8(0))

#endif  // UKERNELS_ARM_64_SVE_ACCUMULATORS_H_
