// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hipBLASLt without its headers, for the benchmark: loaded at run time where it
// is installed.

#ifndef BENCH_AMDGPU_HIPBLASLT_H_
#define BENCH_AMDGPU_HIPBLASLT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "tilewright/types.h"

namespace tilewright::bench {

// A launch of out[M][N] = lhs[M][K] * rhs[N][K]^T, row-major, f32 accumulators,
// on the default stream; false if hipBLASLt reports an error. Empty, with `why`
// saying why, if hipBLASLt is not installed or has nothing for these types.
std::function<bool()> hipblasltMatmul(tw_type_triple_t types, int64_t M,
                                      int64_t N, int64_t K, const void* lhs,
                                      const void* rhs, void* out,
                                      std::string& why);

}  // namespace tilewright::bench

#endif  // BENCH_AMDGPU_HIPBLASLT_H_
