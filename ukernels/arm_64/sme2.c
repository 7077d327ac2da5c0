// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/arm_64/sme2_float_array.h"
#include "ukernels/arm_64/sme2_int_array.h"
#include "ukernels/arm_64/sme_float.h"
#include "ukernels/arm_64/sme_int.h"

#define TW_STAMP_ISA_sme2 ~, 1
#include "ukernels/arm_64/sme_stamp.h"
