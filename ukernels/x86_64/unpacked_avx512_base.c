// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/vector_512.h"
// The vectors come first.
#include "ukernels/x86_64/unpacked.h"

void tw_unpacked_x86_64_avx512_base(const tw_unpacked_t* u) {
  tw_unpacked_run(u);
}
