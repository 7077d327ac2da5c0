// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul on packed panels, which tuning times: one call on one panel in the
// first cache says neither what a tile reads for a multiply-add nor whether it
// has it in time.

#ifndef TILEWRIGHT_LIB_BENCH_PACKEDMATMUL_H
#define TILEWRIGHT_LIB_BENCH_PACKEDMATMUL_H

#include "measure/operands.h"
#include "tilewright/key.h"

namespace tilewright {

class PackedMatmul {
public:
  /// Of tiles of `here`, whose sizes are numbers, and at most `rows` rows; of
  /// many if that is negative.
  PackedMatmul(const TileKey &here, int64_t rows);

  /// In the order of tw_mmt4d.
  void run(tw_mmt4d_tile_fn_t fn, int64_t times);

  /// Multiply-adds of a run; what rows of padding cost is waste.
  double multiplies() const { return count; }

private:
  int64_t bytes() const;

  int64_t lhsPanels, rhsPanels, lhsBytes, rhsBytes, outBytes;
  bench::AlignedBytes memory;
  tw_mmt4d_params_t params{};
  double count;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_BENCH_PACKEDMATMUL_H
