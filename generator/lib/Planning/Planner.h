// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PLANNING_PLANNER_H
#define TILEWRIGHT_PLANNING_PLANNER_H

#include "tilewright/Planning/PlanOverrides.h"
#include "tilewright/Planning/TileShape.h"
#include <string>
#include <vector>

namespace tilewright {

/// Code size, in vector instructions, beyond which a plan is not considered
/// while there is a smaller one.
inline constexpr int kSizeLimit = 300;

/// The plan of choice with the parts that `overrides` fix, then others,
/// cheapest first, at most `wanted` in all; if there is none, `refusal` is why
/// the last one looked at was refused. None has scalable vectors.
std::vector<TilePlan> searchPlans(const TileKey &key,
                                  const PlanOverrides &overrides, size_t wanted,
                                  std::string &refusal);

/// Whether registers hold the broadcast operand as memory does, and 4-bit
/// elements are split: of the idiom, lanes, sides and stages of `plan`.
void chooseHolding(TilePlan &plan, const TileKey &key,
                   const PlanOverrides &overrides);

/// Wide tiles ask for their panels ahead of time where two vectors may be
/// multiplied in a cycle: L2 hands them over no sooner than they are wanted.
/// Narrower ones load at almost every chance, and a prefetch is a load. What
/// ukernels/x86_64 found to gain nothing or to lose does without: bf16 by
/// multiply-adds, and what is decoded where there are 16 registers.
bool wantsAhead(const TilePlan &plan, const TileKey &key,
                const TileShape &shape);

/// K steps of an iteration, of a plan whose block and sets are there, and its
/// shape; `shared` is of its idiom.
int chooseUnroll(const TilePlan &plan, const TileKey &key,
                 const TileShape &shape, const IdiomShape &shared);

/// How the operands are read, of a plan whose block and unroll are there, and
/// its shape: shuffled broadcasts, decoding and loads ahead. Says whether that
/// makes its shape another.
bool chooseReading(TilePlan &plan, const TileKey &key, const TileShape &shape,
                   const PlanOverrides &overrides);

/// How many registers of the operands a load takes on `core`, and when.
void chooseLoads(TilePlan &plan, const TileKey &key, const TileShape &shape,
                 const CoreModel &core, const PlanOverrides &overrides);

/// How many K steps are staged at a time, of a plan with all of that.
void chooseStageSteps(TilePlan &plan, const TileKey &key,
                      const TileShape &shape, const PlanOverrides &overrides);

/// Whether stages are filled ahead, of a plan that is priced: the price knows
/// nothing of that, and would take short ones for dear.
void chooseStagesAhead(TilePlan &plan, const TileKey &key,
                       const TileShape &shape, const PlanOverrides &overrides);

/// Why plans of `isa` cannot have it; "" if they can.
std::string whyScheduleUnfit(Schedule schedule, const IsaInfo &isa);

/// Who orders the instructions of `plan`, which has everything else, for
/// `core`; where LLVM does, an iteration may take more K steps, and registers
/// be loaded one by one. A core in order rounds all sums of a step at once.
void chooseSchedule(TilePlan &plan, const TileKey &key, const CoreModel &core,
                    const PlanOverrides &overrides);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_PLANNER_H
