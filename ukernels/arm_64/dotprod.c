// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/arm_64/dot_s4.h"
#include "ukernels/arm_64/dot_u8s8.h"
#include "ukernels/arm_64/lane.h"

#define TW_STAMP_ISA_dotprod ~, 1
#include "ukernels/stamp_tiles.h"
