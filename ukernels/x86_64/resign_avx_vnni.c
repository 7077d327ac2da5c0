// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/vector_256.h"
// The vectors come first.
#define TW_STAMP_ISA_avx_vnni ~, 1
#include "ukernels/x86_64/resign.h"

const tw_resign_t tw_resign_x86_64_avx_vnni = TW_RESIGN_OF(X86_64_AVX_VNNI);
