// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackedMatmul.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Bytes of a row along K, and of a rhs that only the second cache holds; many
/// rows are about so many, which that holds as well.
constexpr int64_t kRowBytes = 2 << 10, kRhsBytes = 256 << 10, kManyRows = 96;

int64_t padded(int64_t bytes) { return int64_t(alignTo(uint64_t(bytes), 64)); }

int64_t panels(const TileKey &here, int64_t rows) {
  int64_t count = rows < 0 ? kManyRows / here.m0
                           : int64_t(divideCeil(uint64_t(rows), here.m0));
  return std::max<int64_t>(count, 1);
}

/// K steps of rows of the wider operand.
int64_t stepsOf(const TileKey &here) {
  return std::max<int64_t>(kRowBytes / std::max(here.lhsStepBytes() / here.m0,
                                                here.rhsStepBytes() / here.n0),
                           1);
}

} // namespace

PackedMatmul::PackedMatmul(const TileKey &here, int64_t rows)
    : lhsPanels(panels(here, rows)),
      lhsBytes(padded(stepsOf(here) * here.lhsStepBytes())),
      rhsBytes(padded(stepsOf(here) * here.rhsStepBytes())),
      outBytes(padded(here.outTileBytes())) {
  rhsPanels = std::max<int64_t>(1, kRhsBytes / rhsBytes);
  memory = bench::allocateAligned(bytes());
  std::fill_n(memory.get(), bytes(), uint8_t(0));
  params.K = stepsOf(here);
  params.M0 = here.m0;
  params.N0 = here.n0;
  params.K0 = here.k0;
  params.flags = here.types;
  count = double(rows < 0 ? lhsPanels * here.m0 : rows) *
          double(rhsPanels * here.n0) * double(params.K * here.k0);
}

int64_t PackedMatmul::bytes() const {
  return lhsPanels * lhsBytes + rhsPanels * rhsBytes +
         lhsPanels * rhsPanels * outBytes;
}

void PackedMatmul::run(tw_mmt4d_tile_fn_t fn, int64_t times) {
  const uint8_t *rhs = memory.get() + lhsPanels * lhsBytes;
  for (int64_t time = 0; time < times; ++time) {
    uint8_t *out = memory.get() + lhsPanels * lhsBytes + rhsPanels * rhsBytes;
    for (int64_t m = 0; m < lhsPanels; ++m)
      for (int64_t n = 0; n < rhsPanels; ++n, out += outBytes)
        fn(out, memory.get() + m * lhsBytes, rhs + n * rhsBytes, &params);
  }
}

} // namespace tilewright
