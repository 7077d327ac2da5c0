// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/amdgpu/mfma.h"

#define TW_STAMP_ISA_gfx950 ~, 1
#include "ukernels/amdgpu/stamp.h"
