// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/vector_512.h"
// The vectors come first.
#include "ukernels/thin_functions.h"
#include "ukernels/x86_64/thin.h"

TW_THIN_FUNCTION(tw_thin_x86_64_avx512_base) {
  tw_thin_run(thin, n_begin, n_end);
}
