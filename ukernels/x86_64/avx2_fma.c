// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/vector_256.h"
// The vectors come first.
#include "ukernels/x86_64/bf16_fma.h"
#include "ukernels/x86_64/columns.h"
#include "ukernels/x86_64/f16.h"
#include "ukernels/x86_64/f32.h"
#include "ukernels/x86_64/f64.h"
#include "ukernels/x86_64/row.h"
#include "ukernels/x86_64/s16.h"

#define TW_STAMP_ISA_avx2_fma ~, 1
#include "ukernels/stamp_tiles.h"
