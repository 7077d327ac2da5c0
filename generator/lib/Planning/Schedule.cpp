// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who orders the instructions of a tile function (docs/adr/0075): on a core
// that starts them in the order of the code, LLVM.

#include "Planner.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
namespace {

/// Registers beside those of the K loop that LLVM has to find before it may
/// move loads up, for it spills where there are fewer; of scalable vectors,
/// which have registers for what is read ahead.
constexpr int kRoom = 6, kScalableRoom = 3;
/// K steps of an iteration up to which it takes twice as many: nothing moves
/// across its end. A single row has few instructions, and matrices few loads.
constexpr int kFewSteps = 2, kFewOfMatrices = 4, kFewOfRows = 8;

/// What `plan` gains by on a core that gains by `most`.
Schedule gainsBy(Schedule most, const TilePlan &plan, const TileKey &key) {
  int room = info(key.isa).vectorRegisters - registersNeeded(plan, key);
  if (plan.scalable != ScalableIdiom::None)
    return plan.decodeAhead != 0 && room >= kScalableRoom ? most
                                                          : Schedule::Late;
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  // Additions after all of their multiplies, which LLVM would mix again.
  if (idiom.addsApart)
    return most == Schedule::Full ? Schedule::Planned : most;
  // Few K steps are an iteration, and each begins with shifts and broadcasts.
  if (idiom.sumsInWords)
    return Schedule::Full;
  return idiom.rows > 1 || room >= kRoom ? most : Schedule::Late;
}

/// Whether twice as many K steps an iteration leave LLVM more to choose from,
/// and share neither registers nor sums that it would spill.
bool wantsMoreSteps(const TilePlan &plan, const TileShape &shape) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  int few = shape.broadcast.rows == 1 ? kFewOfRows
            : idiom.rows > 1          ? kFewOfMatrices
                                      : kFewSteps;
  int mostAhead = plan.schedule == Schedule::Full ? 1 : 0;
  return plan.unroll <= few && plan.decodeAhead <= mostAhead && !shape.splits &&
         shape.roles.offset == 0 && !idiom.addsApart;
}

void takeMoreSteps(TilePlan &plan, const TileKey &key,
                   const PlanOverrides &overrides) {
  if (!wantsMoreSteps(plan, TileShape(key, plan)))
    return;
  TilePlan twice = plan;
  twice.unroll *= 2;
  chooseReading(twice, key, TileShape(key, twice), overrides);
  if (whyPlanUnfit(twice, key).empty() &&
      estimateCost(twice, key).size <= kSizeLimit)
    plan = twice;
}

} // namespace

std::string whyScheduleUnfit(Schedule schedule, const IsaInfo &isa) {
  if (schedule == Schedule::Planned ||
      targetOf(isa).codeGeneration().keepsPlannedOrder())
    return {};
  return llvm::formatv(
             "schedule={0} is for cores that issue in order, and none "
             "of {1}'s is planned for as such",
             schedule == Schedule::Late ? "late" : "full", isa.name)
      .str();
}

void chooseSchedule(TilePlan &plan, const TileKey &key, const CoreModel &core,
                    const PlanOverrides &overrides) {
  const bool inOrder = core.schedule != Schedule::Planned;
  // What stands in turn in the code, such a core does in turn.
  if (inOrder && !overrides.has<&TilePlan::roundBehind>())
    plan.roundBehind = plan.narrowSums = 0;
  if (overrides.has<&TilePlan::schedule>()) {
    plan.schedule = overrides.plan.schedule;
    return;
  }
  if (!inOrder)
    return;
  plan.schedule = gainsBy(core.schedule, plan, key);
  if (plan.schedule == Schedule::Planned ||
      plan.scalable != ScalableIdiom::None)
    return;
  if (!overrides.has<&TilePlan::unroll>())
    takeMoreSteps(plan, key, overrides);
  chooseLoads(plan, key, TileShape(key, plan), core, overrides);
}

} // namespace tilewright
