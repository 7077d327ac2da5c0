// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/arm_64/sme_float.h"
#include "ukernels/arm_64/sme_int.h"
#include "ukernels/arm_64/sme_s8s4.h"

#define TW_STAMP_ISA_sme ~, 1
#include "ukernels/arm_64/sme_stamp.h"
