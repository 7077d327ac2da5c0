// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the keys of tiles as tables spell them, as constants.

#ifndef UKERNELS_ROW_KEY_H_
#define UKERNELS_ROW_KEY_H_

#include "ukernels/name.h"

// Values by the lower-case names that rows use.
enum {
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) \
  tw_triple_##lhs##rhs##out = value,
#include "tilewright/type_triples.def"
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  tw_isa_##arch_isa = TW_ISA_##ENUM,
#include "tilewright/isas.def"
};

// A size as rows spell it, `16` or `2vl`: constants made of its characters.
#define TW_IS_SCALABLE(size) \
  (sizeof #size > 3 && #size[sizeof #size - 2] == 'l')
#define TW_DIGITS(size) (sizeof #size - 1 - 2 * TW_IS_SCALABLE(size))
#define TW_DIGIT(size, i) \
  (TW_DIGITS(size) > i ? #size[TW_DIGITS(size) > i ? i : 0] - '0' : 0)
#define TW_POWER(size, i) (TW_DIGITS(size) > i ? 10 : 1)
#define TW_NUMBER(size)                                           \
  (((TW_DIGIT(size, 0) * TW_POWER(size, 1) + TW_DIGIT(size, 1)) * \
        TW_POWER(size, 2) +                                       \
    TW_DIGIT(size, 2)) *                                          \
       TW_POWER(size, 3) +                                        \
   TW_DIGIT(size, 3))

// step_rounding and vnni of a variant as it stands in names.
#define TW_VARIANT__ 0, 0
#define TW_VARIANT__steprnd_ 1, 0
#define TW_VARIANT__vnni_ 0, 1

// An initialiser of a tw_tile_key_t.
#define TW_KEY_OF_ROW(lhs, rhs, out, M0, N0, K0, variant, arch, isa) \
  {TW_NUMBER(M0),                                                    \
   TW_NUMBER(N0),                                                    \
   K0,                                                               \
   tw_triple_##lhs##rhs##out,                                        \
   TW_VARIANT_##variant,                                             \
   TW_IS_SCALABLE(M0),                                               \
   TW_IS_SCALABLE(N0),                                               \
   (tw_isa_t)tw_isa_##arch##_##isa}

#endif  // UKERNELS_ROW_KEY_H_
