// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the SME families share. A tile is an ordinary function to its caller:
// not streaming, with private ZA. It calls its family, which is both streaming
// and working on ZA, by tw_sme_call. Leaving that to the compiler (a "locally
// streaming" function with new ZA) would need routines of the SME ABI that C
// libraries of today do not have.

#ifndef UKERNELS_ARM_64_SME_BODY_H_
#define UKERNELS_ARM_64_SME_BODY_H_

#include <arm_sme.h>

#define TW_STREAMING __arm_streaming
#include "ukernels/arm_64/scalable.h"

// A family is streaming and works on ZA.
#define TW_SME_STATE __arm_streaming __arm_inout("za")

// Families of the same types are one function, a template (sme_outer.h,
// sme2_array.h) that a header includes with the types and the instruction; they
// differ in the out tile's elements.
#define TW_SME_FAMILY(family, tile, out_elements)                              \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,           \
                        const tw_mmt4d_params_t* params, int M0,               \
                        int rows_are_vectors, int nv, int columns_are_vectors) \
      TW_SME_STATE {                                                           \
    (void)columns_are_vectors;                                                 \
    tile(out_elements, out, (const char*)lhs, (const char*)rhs, params, M0,    \
         rows_are_vectors, nv);                                                \
  }

// Of a predicate that it knows, gcc 14.2 keeps a bit of each 32-bit lane where
// an outer product wants a bit of each byte.
#ifdef __clang__
#define TW_OPAQUE_PREDICATE(p) ((void)0)
#else
#define TW_OPAQUE_PREDICATE(p) __asm__("" : "+Upl"(p))
#endif

// Numbers of tiles of ZA have to be literals, too: op(tile, ...).
#define TW_ZA_TILE(tile, op, ...)     \
  ((tile) == 0   ? op(0, __VA_ARGS__) \
   : (tile) == 1 ? op(1, __VA_ARGS__) \
   : (tile) == 2 ? op(2, __VA_ARGS__) \
                 : op(3, __VA_ARGS__))

// A row of a tile of ZA as vector of type `acc`, and a group of four vectors.
#define TW_READ_ROW(tile, acc, row) \
  svread_hor_za32_m(TW_ZERO(acc), svptrue_b8(), tile, row)
#ifdef __ARM_FEATURE_SME2
#define TW_READ_GROUP(acc, group)          \
  _Generic((acc*)0,                        \
      svfloat32_t*: svread_za32_f32_vg1x4, \
      svint32_t*: svread_za32_s32_vg1x4,   \
      svuint32_t*: svread_za32_u32_vg1x4)(group)
#endif

// Calls `function` with PSTATE.SM and PSTATE.ZA on, and leaves with both off.
// If the caller has left a lazy save pending, ZA is saved first, as the SME ABI
// has it: TPIDR2_EL0 (s3_3_c13_c0_5) points to { buffer, number of rows }.
// Changes of PSTATE.SM clear all vector and predicate registers, so that the
// compiler saves d8 to d15 around this.
#define TW_SME_CALL(function, out_tile, lhs_panel, rhs_panel, params)          \
  register void* x0 __asm__("x0") = out_tile;                                  \
  register const void* x1 __asm__("x1") = lhs_panel;                           \
  register const void* x2 __asm__("x2") = rhs_panel;                           \
  register const tw_mmt4d_params_t* x3 __asm__("x3") = params;                 \
  __asm__ volatile(                                                            \
      "mrs x8, s3_3_c13_c0_5\n\t"                                              \
      "cbz x8, 3f\n\t"                                                         \
      "ldr x9, [x8]\n\t"                                                       \
      "ldrh w10, [x8, #8]\n\t"                                                 \
      "cbz x9, 2f\n\t"                                                         \
      "cbz w10, 2f\n\t"                                                        \
      "mov w12, wzr\n"                                                         \
      "1:\n\t"                                                                 \
      "str za[w12, 0], [x9]\n\t"                                               \
      "addsvl x9, x9, #1\n\t"                                                  \
      "add w12, w12, #1\n\t"                                                   \
      "cmp w12, w10\n\t"                                                       \
      "b.lo 1b\n"                                                              \
      "2:\n\t"                                                                 \
      "msr s3_3_c13_c0_5, xzr\n"                                               \
      "3:\n\t"                                                                 \
      "smstart\n\t"                                                            \
      "bl %c[callee]\n\t"                                                      \
      "smstop"                                                                 \
      : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)                                 \
      : [callee] "S"(&function)                                                \
      : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", \
        "x15", "x16", "x17", "x30", "cc", "memory", "z0", "z1", "z2", "z3",    \
        "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12", "z13", "z14", \
        "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24",  \
        "z25", "z26", "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2",     \
        "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13",  \
        "p14", "p15")

TW_INLINE int tw_sme_accumulates(
    const tw_mmt4d_params_t* params) __arm_streaming_compatible {
  return (params->flags & TW_MMT4D_FLAG_ACCUMULATE) != 0;
}

TW_INLINE tw_index_t tw_sme_out_stride(
    const tw_mmt4d_params_t* params, tw_index_t N0) __arm_streaming_compatible {
  return params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE ? params->out_row_stride
                                                      : N0;
}

#endif  // UKERNELS_ARM_64_SME_BODY_H_
