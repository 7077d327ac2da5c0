// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS, on one thread.

#include "bench/support/blas.h"

#include <cblas.h>

namespace tilewright::bench {

const char* blasName() { return "openblas"; }

void blasMultiply(int64_t size, const void* a, const void* b, void* c) {
  openblas_set_num_threads(1);
  int n = int(size);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f,
              static_cast<const float*>(a), n, static_cast<const float*>(b), n,
              0.0f, static_cast<float*>(c), n);
}

}  // namespace tilewright::bench
