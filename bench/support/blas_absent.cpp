// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build without OpenBLAS.

#include "bench/support/blas.h"

namespace tilewright::bench {

const char* blasName() { return nullptr; }

void blasMultiply(int64_t, const void*, const void*, void*) {}

}  // namespace tilewright::bench
