// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plan that was asked for: given in full, or chosen.

#include "Planner.h"
#include "ShapedPlan.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright {

static llvm::Expected<const CoreModel *> coreOf(const PlanOverrides &o,
                                                const TileKey &key) {
  const IsaInfo &isa = info(key.isa);
  if (o.core && !o.core->isCoreOf(isa))
    return llvm::createStringError("%s: core '%s' is of another architecture",
                                   printTileKey(key).c_str(),
                                   o.core->name.str().c_str());
  return o.core ? o.core : &usualCore(isa);
}

std::string withCore(std::string parts, const TileKey &key,
                     llvm::StringRef cpu) {
  if (cpu.empty())
    return parts;
  llvm::Expected<const CoreModel *> core = findCore(cpu);
  if (core && !(*core)->isCoreOf(info(key.isa)))
    return parts;
  llvm::StringRef name = core ? llvm::StringRef((*core)->name) : cpu;
  llvm::consumeError(core.takeError());
  return parts + (parts.empty() ? "core=" : " core=") + name.str();
}

llvm::Expected<const CoreModel *> plannedCore(const TileKey &key,
                                              llvm::StringRef overrides) {
  llvm::Expected<PlanOverrides> parsed = parsePlanOverrides(overrides, key);
  if (!parsed)
    return parsed.takeError();
  return coreOf(*parsed, key);
}

static llvm::Error checkPlanned(const TileKey &key) {
  if (!key.vnni)
    return llvm::Error::success();
  return llvm::createStringError(
      "%s: a tile of the variant 'vnni' has no plan: it is the body of the "
      "hand-written ones with its sizes bound",
      printTileKey(key).c_str());
}

/// `parsed` is a plan in full, of `text`.
static llvm::Expected<TilePlan>
fitting(const TileKey &key, const PlanOverrides &parsed, llvm::StringRef text) {
  std::string why = whyPlanUnfit(parsed.plan, key);
  if (!why.empty())
    return llvm::createStringError("%s: the plan '%s' does not fit: %s",
                                   printTileKey(key).c_str(),
                                   text.str().c_str(), why.c_str());
  return parsed.plan;
}

llvm::Expected<TilePlan> readTilePlan(const TileKey &key,
                                      llvm::StringRef text) {
  if (info(key.isa).isGpu())
    return llvm::createStringError(
        "%s: has the plan '%s', but is planned with the kernel around it; "
        "expected none",
        printTileKey(key).c_str(), text.str().c_str());
  if (llvm::Error error = checkPlanned(key))
    return std::move(error);
  llvm::Expected<PlanOverrides> parsed = parsePlanOverrides(text, key);
  if (!parsed)
    return parsed.takeError();
  if (!parsed->inFull())
    return llvm::createStringError(
        "%s: the plan '%s' lacks parts; expected all of them, as --emit=plan "
        "prints them",
        printTileKey(key).c_str(), text.str().c_str());
  return fitting(key, *parsed, text);
}

llvm::Expected<TilePlan> planTile(const TileKey &key,
                                  llvm::StringRef overrides) {
  llvm::Expected<PlanOverrides> parsed = parsePlanOverrides(overrides, key);
  if (!parsed)
    return parsed.takeError();
  llvm::Expected<const CoreModel *> core = coreOf(*parsed, key);
  if (!core)
    return core.takeError();
  std::string name = printTileKey(key);
  if (llvm::Error error = checkPlanned(key))
    return std::move(error);
  if (parsed->inFull())
    return fitting(key, *parsed, overrides);
  if (parsed->has<&TilePlan::schedule>()) {
    std::string why = whyScheduleUnfit(parsed->plan.schedule, info(key.isa));
    if (!why.empty())
      return llvm::createStringError("%s: %s", name.c_str(), why.c_str());
  }
  llvm::Expected<std::optional<TilePlan>> scalable = planScalable(key, *parsed);
  if (!scalable)
    return scalable.takeError();
  auto scheduled = [&](TilePlan plan) {
    chooseSchedule(plan, key, **core, *parsed);
    return plan;
  };
  if (*scalable)
    return scheduled(**scalable);
  if (parsed->idiom()) {
    std::string why = whyIdiomUnfit(*parsed->idiom(), key);
    if (!why.empty())
      return llvm::createStringError("%s: %s", name.c_str(), why.c_str());
  }
  std::string refusal;
  std::vector<TilePlan> plans =
      searchPlans(key, *parsed, /*wanted=*/1, refusal);
  if (plans.empty())
    return llvm::createStringError(
        "%s: no plan fits the overrides '%s'; the last one tried: %s",
        name.c_str(), overrides.str().c_str(), refusal.c_str());
  return scheduled(plans.front());
}

/// `plan`, scheduled for `core`, and the same in all other orders.
static llvm::SmallVector<TilePlan>
inEachOrder(TilePlan plan, const TileKey &key, const CoreModel &core) {
  chooseSchedule(plan, key, core, {});
  llvm::SmallVector<TilePlan> plans = {plan};
  for (int i = 0; i < kSchedules; ++i) {
    plan.schedule = static_cast<Schedule>(i);
    if (plan.schedule != plans.front().schedule)
      plans.push_back(plan);
  }
  return plans;
}

/// `plan` with other values of what rules of thumb have chosen, of which the
/// price knows little, each by itself.
static llvm::SmallVector<TilePlan> byOtherRules(const TilePlan &plan) {
  llvm::SmallVector<TilePlan> others;
  if (plan.extra != 0)
    others.emplace_back(plan).extra = 0;
  // Cores differ in what a shuffle stands beside: f16 2x8x1 takes 0.82 of the
  // time by pairs on Zen 3 and, by the port table, 1.4 of it on Intel's.
  if (plan.by == BroadcastBy::Load)
    others.emplace_back(plan).by = BroadcastBy::Pair;
  if (plan.by == BroadcastBy::Load)
    others.emplace_back(plan).by = BroadcastBy::PairLoads;
  if (isInPairs(plan.by))
    others.emplace_back(plan).by = BroadcastBy::Load;
  // Stages of any multiple of four steps are loops of the same vectors. (Of
  // bf16 6x16x2 by multiply-adds 12 steps take 0.98 of the time of 8, where 4
  // and 16 take 0.99; Zen 3.)
  constexpr int kSteps = 4;
  auto withStage = [&](int quarters, bool ahead) {
    others.push_back(plan);
    others.back().stageSteps =
        static_cast<int>(llvm::alignTo(plan.stageSteps * quarters / 4, kSteps));
    others.back().stageAhead = ahead ? StageAhead::Before : StageAhead::No;
  };
  if (plan.staging != Staging::None && plan.stageSteps >= 2 * kSteps) {
    for (int quarters : {3, 6})
      withStage(quarters, false);
    // Stages that are filled ahead may be short. (f16 6x16x1 takes 0.91 of the
    // time by 4 steps instead of 16, 12x8x1 0.96; Zen 3.)
    for (int quarters : {1, 2, 4})
      withStage(quarters, true);
  }
  return others;
}

llvm::Expected<std::vector<TilePlan>>
planCandidates(const TileKey &key, unsigned count, const CoreModel *core) {
  llvm::Expected<TilePlan> choice = planTile(key);
  if (!choice)
    return choice.takeError();
  const bool inOrder = core && core->schedule != Schedule::Planned;
  std::vector<TilePlan> candidates;
  auto add = [&](const TilePlan &plan) {
    if (candidates.size() < count && !llvm::is_contained(candidates, plan))
      candidates.push_back(plan);
  };
  auto addIfFit = [&](const TilePlan &plan) {
    if (whyPlanUnfit(plan, key).empty() &&
        estimateCost(plan, key).size <= kSizeLimit)
      add(plan);
  };
  if (inOrder)
    for (const TilePlan &plan : inEachOrder(*choice, key, *core))
      add(plan);
  else
    add(*choice);
  if (key.isScalable() || count <= 1)
    return candidates;
  std::string refusal;
  for (TilePlan plan : searchPlans(key, {}, count, refusal)) {
    if (inOrder)
      chooseSchedule(plan, key, *core, {});
    add(plan);
    // The unroll is such a rule as well: the planner has one for each of the
    // other parts, so that this is another plan.
    TilePlan twice = plan;
    twice.unroll *= 2;
    chooseReading(twice, key, TileShape(key, twice), {});
    if (plan.by == BroadcastBy::Shuffle)
      twice.broadcastLoads = plan.broadcastLoads;
    addIfFit(twice);
    if (plan == candidates.front())
      for (const TilePlan &other : byOtherRules(plan))
        addIfFit(other);
  }
  return candidates;
}

} // namespace tilewright
