// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/riscv_64/group.h"

TW_RVV_FAMILY(bf16bf16f32_k1, __bf16, float, 16, TW_RVV_FMA)

#define TW_STAMP_ISA_zvfbfwma ~, 1
#include "ukernels/stamp_tiles.h"
