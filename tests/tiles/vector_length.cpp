// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/vector_length.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/prctl.h>
#endif

namespace tilewright::testing {

int vectorBitsHere(tw_scaling_t scaling) {
#if defined(__aarch64__) && defined(__linux__)
  // PR_SVE_GET_VL and PR_SME_GET_VL, of which older headers lack the second.
  // The low 16 bits of the result count bytes.
  const int option = scaling == TW_SCALING_SVE   ? 51
                     : scaling == TW_SCALING_SME ? 64
                                                 : 0;
  const int result = option == 0 ? -1 : prctl(option, 0, 0, 0, 0);
  return result < 0 ? 0 : (result & 0xFFFF) * 8;
#else
  (void)scaling;
  return 0;
#endif
}

std::optional<TileKey> concreteKey(const TileKey& key) {
  if (!key.isScalable()) return key;
  const int bits = vectorBitsHere(info(key.isa).scaling);
  if (bits == 0) return std::nullopt;
  return key.atVectorBits(bits);
}

}  // namespace tilewright::testing
