// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(f16f16f32_k1, _Float16, float, 16, TW_RVV_FMA)

#define TW_STAMP_ISA_zvfh ~, 1
#include "ukernels/stamp_tiles.h"
