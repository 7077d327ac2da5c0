// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The family of Zvfbfwma, whose multiply-add takes bf16.

#ifndef UKERNELS_RISCV_64_BRAIN_H_
#define UKERNELS_RISCV_64_BRAIN_H_

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(bf16bf16f32_k1, __bf16, float, float, TW_RVV_COLUMNS(32),
              TW_RVV_FMA, ANY)

#endif  // UKERNELS_RISCV_64_BRAIN_H_
