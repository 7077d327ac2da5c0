// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PLANNING_PLANOVERRIDES_H
#define TILEWRIGHT_PLANNING_PLANOVERRIDES_H

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/TilePlan.h"
#include <optional>

namespace tilewright {

/// The parts of a plan that the user fixes.
struct PlanOverrides {
  std::optional<IdiomKind> idiom;
  std::optional<ScalableIdiom> scalable; ///< instead of `idiom`
  std::optional<int> lanes, kLanes, blockRows, blockVectors, sets, unroll,
      stageSteps, ahead;
  std::optional<bool> broadcastRhs, rowsInner;
  std::optional<Staging> staging;
  /// The core that the other parts are chosen for; null for the usual one.
  const CoreModel *core = nullptr;
};

llvm::Expected<PlanOverrides> parsePlanOverrides(llvm::StringRef text);

/// The plan with scalable vectors, if one of their idioms computes `key` and
/// `overrides` do not ask for another kind of plan.
llvm::Expected<std::optional<TilePlan>> planScalable(const TileKey &key,
                                                     const PlanOverrides &o);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_PLANOVERRIDES_H
