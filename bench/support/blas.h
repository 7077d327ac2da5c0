// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer to stand beside: OpenBLAS, where this was built with it.

#ifndef TILEWRIGHT_BENCH_SUPPORT_BLAS_H_
#define TILEWRIGHT_BENCH_SUPPORT_BLAS_H_

#include <cstdint>

namespace tilewright::bench {

// "openblas", or null in a build without it.
const char* blasName();

// c = a*b in f32, row-major size x size, on the calling thread. Only where
// blasName() is not null.
void blasMultiply(int64_t size, const void* a, const void* b, void* c);

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_BLAS_H_
