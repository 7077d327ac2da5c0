// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/arm_64/sve2_f16.h"

#define TW_STAMP_ISA_sve2 ~, 1
#include "ukernels/arm_64/sve_stamp.h"
