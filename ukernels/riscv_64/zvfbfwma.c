// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/riscv_64/brain.h"

#define TW_STAMP_ISA_zvfbfwma ~, 1
#include "ukernels/stamp_tiles.h"
