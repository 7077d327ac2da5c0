// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PLANNING_COSTMODEL_H
#define TILEWRIGHT_PLANNING_COSTMODEL_H

#include "tilewright/Planning/TileShape.h"

namespace tilewright {

/// Vector registers that the K loop of a full block keeps busy.
int registersNeeded(const TilePlan &plan, const TileKey &key);

/// Stack that the stages of `plan` take.
int64_t stageBytes(const TilePlan &plan, const TileKey &key);

struct PlanCost {
  double cycles; ///< per K step of the whole tile
  int size;      ///< of the code, in vector instructions, roughly
};
PlanCost estimateCost(const TilePlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_COSTMODEL_H
