// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DEVICES_KEYINC_H
#define TILEWRIGHT_DEVICES_KEYINC_H

#include "tilewright/key.h"
#include "ukernels/name.h"

namespace tilewright {

/// `key` as the runtime library's choices take it.
inline tw_tile_key_t keyInC(const TileKey &key) {
  tw_tile_key_t result{};
  result.m0 = key.m0;
  result.n0 = key.n0;
  result.k0 = key.k0;
  result.types = key.types;
  result.step_rounding = key.rounding == Rounding::kPerStep;
  result.vnni = key.vnni;
  result.m0_scalable = key.m0Scalable;
  result.n0_scalable = key.n0Scalable;
  result.isa = key.isa;
  return result;
}

/// The key that `row` is.
inline TileKey keyOfC(const tw_tile_key_t &row) {
  TileKey key;
  key.types = tw_type_triple_t(row.types);
  key.m0 = row.m0;
  key.n0 = row.n0;
  key.k0 = row.k0;
  key.rounding = row.step_rounding ? Rounding::kPerStep : Rounding::kOnce;
  key.isa = row.isa;
  key.m0Scalable = row.m0_scalable;
  key.n0Scalable = row.n0_scalable;
  key.vnni = row.vnni;
  return key;
}

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_KEYINC_H
