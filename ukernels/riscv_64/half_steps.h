// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The family that rounds to f16 after each step, as Zvfh's multiply-add does: a
// row of as many columns as of those that sum in f32, two registers.

#ifndef UKERNELS_RISCV_64_HALF_STEPS_H_
#define UKERNELS_RISCV_64_HALF_STEPS_H_

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(f16f16f16_k1_steprnd, _Float16, _Float16, _Float16,
              TW_RVV_COLUMNS(32), TW_RVV_FMA_AS_IS, STEPS)

#endif  // UKERNELS_RISCV_64_HALF_STEPS_H_
