// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/f16_steprnd.h"

#define TW_STAMP_ISA_avx512_fp16 ~, 1
#include "ukernels/stamp_tiles.h"
