// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from an element type, given as the suffix of its intrinsics
// (f32, s8, ...). The templates of the vector-length-agnostic families take
// types of operands and accumulators and derive from them what a family does
// not say itself.

#ifndef UKERNELS_ARM_64_SVE_TYPES_H_
#define UKERNELS_ARM_64_SVE_TYPES_H_

// a##b of what the arguments expand to.
#define TW_CAT(a, b) TW_CAT_(a, b)
#define TW_CAT_(a, b) a##b
// The intrinsic `op` for `type`, and for all elements or with a merging
// predicate: svadd_f32_x.
#define TW_TYPED(op, type) TW_CAT(op##_, type)
#define TW_TYPED_X(op, type) TW_CAT(TW_TYPED(op, type), _x)
#define TW_TYPED_M(op, type) TW_CAT(TW_TYPED(op, type), _m)

#define TW_ELEMENT(type) TW_CAT(TW_ELEMENT_, type)
#define TW_ELEMENT_f64 double
#define TW_ELEMENT_f32 float
#define TW_ELEMENT_f16 float16_t
#define TW_ELEMENT_bf16 bfloat16_t
#define TW_ELEMENT_s32 int32_t
#define TW_ELEMENT_u32 uint32_t
#define TW_ELEMENT_s16 int16_t
#define TW_ELEMENT_s8 int8_t
#define TW_ELEMENT_u8 uint8_t

#define TW_VECTOR(type) TW_CAT(TW_VECTOR_, type)
#define TW_VECTOR_f64 svfloat64_t
#define TW_VECTOR_f32 svfloat32_t
#define TW_VECTOR_f16 svfloat16_t
#define TW_VECTOR_bf16 svbfloat16_t
#define TW_VECTOR_s64 svint64_t
#define TW_VECTOR_s32 svint32_t
#define TW_VECTOR_u32 svuint32_t
#define TW_VECTOR_s16 svint16_t
#define TW_VECTOR_s8 svint8_t
#define TW_VECTOR_u8 svuint8_t

// Four of them.
#define TW_VECTORS_4(type) TW_CAT(TW_VECTORS_4_, type)
#define TW_VECTORS_4_f32 svfloat32x4_t
#define TW_VECTORS_4_f16 svfloat16x4_t
#define TW_VECTORS_4_bf16 svbfloat16x4_t
#define TW_VECTORS_4_s32 svint32x4_t
#define TW_VECTORS_4_u32 svuint32x4_t
#define TW_VECTORS_4_s16 svint16x4_t
#define TW_VECTORS_4_s8 svint8x4_t
#define TW_VECTORS_4_u8 svuint8x4_t

// Elements of a vector.
#define TW_COUNT(type) TW_CAT(TW_COUNT_, type)
#define TW_COUNT_f64 svcntd()
#define TW_COUNT_f32 svcntw()
#define TW_COUNT_f16 svcnth()
#define TW_COUNT_bf16 svcnth()
#define TW_COUNT_s64 svcntd()
#define TW_COUNT_s32 svcntw()
#define TW_COUNT_u32 svcntw()

#endif  // UKERNELS_ARM_64_SVE_TYPES_H_
