// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of f16 that take conversions to and from f32: of Zvfhmin, and of
// Zvfh, whose multiply-add converts.

#ifndef UKERNELS_RISCV_64_HALF_H_
#define UKERNELS_RISCV_64_HALF_H_

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(f16f16f32_k1, _Float16, float, float, TW_RVV_COLUMNS(32),
              TW_RVV_FMA, ANY)
TW_RVV_FAMILY(f16f16f16_k1, _Float16, float, _Float16, TW_RVV_COLUMNS(32),
              TW_RVV_FMA, ANY)

#endif  // UKERNELS_RISCV_64_HALF_H_
