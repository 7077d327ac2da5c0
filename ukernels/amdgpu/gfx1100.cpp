// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/amdgpu/wmma.h"

#define TW_STAMP_ISA_gfx1100 ~, 1
#include "ukernels/amdgpu/stamp.h"
