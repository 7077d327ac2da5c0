// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 by s4 by smopa: a byte of the rhs has an even element in its low half and
// an odd one in its high half; the lhs is split alike.

#ifndef UKERNELS_ARM_64_SME_S8S4_H_
#define UKERNELS_ARM_64_SME_S8S4_H_

#include "ukernels/arm_64/sme_body.h"

// The even and the odd elements of `vl` rows of 8.
TW_INLINE svint8x2_t tw_sme_split_s8(const void* p) TW_STREAMING {
  const svbool_t all = svptrue_b8();
  const svint8_t low = svld1(all, (const int8_t*)p);
  const svint8_t high = svld1_vnum(all, (const int8_t*)p, 1);
  return svcreate2(svuzp1(low, high), svuzp2(low, high));
}

TW_INLINE svint8x2_t tw_sme_split_s4(const void* p) TW_STREAMING {
  const svbool_t all = svptrue_b8();
  const svint8_t both = svld1(all, (const int8_t*)p);
  return svcreate2(svasr_x(all, svlsl_x(all, both, 4), 4),
                   svasr_x(all, both, 4));
}

#define TW_OUTER_SPLIT(tile, pn, pm, l, r)                  \
  (svmopa_za32_m(tile, pn, pm, svget2(l, 0), svget2(r, 0)), \
   svmopa_za32_m(tile, pn, pm, svget2(l, 1), svget2(r, 1)))

#define TW_TILE tw_sme_s8s4
#define TW_LHS int8_t
#define TW_ACC svint32_t
#define TW_LOAD_LHS(pg, p) tw_sme_split_s8(p)
#define TW_LOAD_RHS(p) tw_sme_split_s4(p)
#define TW_LHS_BYTES 8
#define TW_OUTER TW_OUTER_SPLIT
#include "ukernels/arm_64/sme_outer.h"

TW_SME_FAMILY(s8s4s32_k8_sme, tw_sme_s8s4, TW_OUT_32)

#endif  // UKERNELS_ARM_64_SME_S8S4_H_
