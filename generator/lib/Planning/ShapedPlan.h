// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What TilePlan.h and PlanCost.h tell of a plan, for one that is not scalable
// and whose TileShape the caller has: the planner asks for all of it of each of
// some hundred plans, and making the shape takes as long as any of them.

#ifndef TILEWRIGHT_PLANNING_SHAPEDPLAN_H
#define TILEWRIGHT_PLANNING_SHAPEDPLAN_H

#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {

/// Why there is no TileShape of the plan; "" if there is one.
std::string whyLanesUnfit(const TilePlan &plan, const TileKey &key);

/// Why a plan with this shape cannot have its TilePlan::stageAhead; "" if it
/// can.
std::string whyStagesAheadUnfit(const TilePlan &plan, const TileShape &shape,
                                const IsaInfo &isa);

/// Of an idiom that fits the key.
std::string whyPlanUnfit(const TilePlan &plan, const TileKey &key,
                         const TileShape &shape);
PlanCost estimateCost(const TilePlan &plan, const TileKey &key,
                      const TileShape &shape, const CoreModel &core);
/// With the vector of ByteRoles::offset, which makesOffsetAnew may leave out.
int registersOfBlock(const TilePlan &plan, const TileShape &shape,
                     const IsaInfo &isa);
int registersNeeded(const TilePlan &plan, const TileKey &key,
                    const TileShape &shape);
/// Whether TilePlan::extra may be other than 0.
bool mayHaveExtra(const TilePlan &plan, const TileShape &shape,
                  const IsaInfo &isa);
int64_t stageBytes(const TilePlan &plan, const TileKey &key,
                   const TileShape &shape);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_SHAPEDPLAN_H
