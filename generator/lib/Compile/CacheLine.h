// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CACHELINE_H
#define TILEWRIGHT_LIB_COMPILE_CACHELINE_H

#include <cstdint>

namespace tilewright {

/// Bytes, on every CPU that there is code for.
inline constexpr int64_t kCacheLine = 64;

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CACHELINE_H
