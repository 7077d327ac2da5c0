// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model says of a plan, to choose by and to explain a choice.

#ifndef TILEWRIGHT_PLANNING_PLANCOST_H
#define TILEWRIGHT_PLANNING_PLANCOST_H

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright {

/// Estimates. Cycles are those of the core that was asked about.
struct PlanCost {
  double cycles; ///< per K step of the whole tile
  int size;      ///< of the code, in vector instructions, roughly

  /// Per K step of one full register block: what each resource takes if it is
  /// alone. They work side by side, so that the block takes about the largest.
  struct {
    double multiplies, loads, stores, decoding;
    double latency;      ///< each accumulator waits for itself
    double instructions; ///< a count, not cycles
  } block;
  /// Register blocks that tile the tile.
  int blocks;
};
PlanCost estimateCost(const TilePlan &plan, const TileKey &key,
                      const CoreModel &core);
/// On usualCore of the key.
PlanCost estimateCost(const TilePlan &plan, const TileKey &key);

/// Vector registers that the K loop of a full block keeps busy.
int registersNeeded(const TilePlan &plan, const TileKey &key);

/// Whether the vector of ByteRoles::offset has none of them left and is made
/// for each use.
bool makesOffsetAnew(const TilePlan &plan, const TileKey &key);

/// Stack that the stages of `plan` take.
int64_t stageBytes(const TilePlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_PLANCOST_H
