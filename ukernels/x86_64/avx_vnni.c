// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/vector_256.h"
// The vectors come first.
#include "ukernels/x86_64/nibbles.h"
#include "ukernels/x86_64/row.h"
#include "ukernels/x86_64/s16.h"
#include "ukernels/x86_64/s8_vnni.h"

#define TW_STAMP_ISA_avx_vnni ~, 1
#include "ukernels/stamp_tiles.h"
