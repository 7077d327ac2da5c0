// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/arm_64/lane.h"
#include "ukernels/arm_64/mmla.h"

#define TW_STAMP_ISA_i8mm ~, 1
#include "ukernels/stamp_tiles.h"
