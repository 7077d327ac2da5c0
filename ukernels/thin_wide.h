// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the multiplication of blocks whose rhs is of a wide type, in C.

#ifndef UKERNELS_THIN_WIDE_H_
#define UKERNELS_THIN_WIDE_H_

#include "ukernels/thin_block.h"

typedef float __attribute__((may_alias)) tw_wide_f32_t;
typedef double __attribute__((may_alias)) tw_wide_f64_t;
typedef int16_t __attribute__((may_alias)) tw_wide_s16_t;
typedef uint32_t __attribute__((may_alias)) tw_wide_s32_t;  // sums wrap

#define TW_WIDE tw_wide_f32_t
#define TW_SUM tw_wide_f32_t
#define TW_PRODUCT(a, b) ((a) * (b))
#define TW_ROWS tw_thin_rows_f32
#define TW_DOTS tw_thin_dots_f32
#include "ukernels/thin_wide_body.h"

#define TW_WIDE tw_wide_f64_t
#define TW_SUM tw_wide_f64_t
#define TW_PRODUCT(a, b) ((a) * (b))
#define TW_ROWS tw_thin_rows_f64
#define TW_DOTS tw_thin_dots_f64
#include "ukernels/thin_wide_body.h"

#define TW_WIDE tw_wide_s32_t
#define TW_SUM tw_wide_s32_t
#define TW_PRODUCT(a, b) ((a) * (b))
#define TW_ROWS tw_thin_rows_s32
#define TW_DOTS tw_thin_dots_s32
#include "ukernels/thin_wide_body.h"

// A product fits 32 bits, a sum need not.
#define TW_WIDE tw_wide_s16_t
#define TW_SUM tw_wide_s32_t
#define TW_PRODUCT(a, b) ((uint32_t)((int32_t)(a) * (int32_t)(b)))
#define TW_ROWS tw_thin_rows_s16
#define TW_DOTS tw_thin_dots_s16
#include "ukernels/thin_wide_body.h"

// Whether `type` is wide; then the block has been multiplied.
static int tw_thin_wide(const tw_thin_block_t* block, tw_element_type_t type) {
  const int dots = block->rhs_transposed;
  switch (type) {
    case TW_ELEMENT_F32:
      (dots ? tw_thin_dots_f32 : tw_thin_rows_f32)(block);
      return 1;
    case TW_ELEMENT_F64:
      (dots ? tw_thin_dots_f64 : tw_thin_rows_f64)(block);
      return 1;
    case TW_ELEMENT_S32:
      (dots ? tw_thin_dots_s32 : tw_thin_rows_s32)(block);
      return 1;
    case TW_ELEMENT_S16:
      (dots ? tw_thin_dots_s16 : tw_thin_rows_s16)(block);
      return 1;
    default:
      return 0;
  }
}

#endif  // UKERNELS_THIN_WIDE_H_
