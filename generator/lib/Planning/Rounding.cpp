// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When the sums of a key that rounds each K step are rounded. A sum is
// multiplied, narrowed, widened, multiplied, and so on, each of which waits for
// the one before; and Neoverse N2 and V1 narrow in one half of their pipelines
// and widen in the other. All are busy if the sums of a block stand at
// different points of that circle.

#include "tilewright/Planning/PlanOverrides.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace tilewright {

void chooseRounding(TilePlan &plan, const TileKey &key, int sums,
                    const PlanOverrides &overrides) {
  plan.roundBehind = plan.narrowSums = 0;
  tw_element_type_t out = info(key.types).out;
  if (overrides.has<&TilePlan::roundBehind>()) {
    plan.roundBehind = overrides.plan.roundBehind;
    plan.narrowSums = overrides.plan.narrowSums;
  } else if (sums > 1 && machineOf(info(key.isa)).dispatchIsWider) {
    // By llvm-mca on N2, N3, V1, V2 and V3. To f16 there are fewer pipes. Cores
    // of the other levels that issue in order (Cortex-A55) take half the cycles
    // where all sums are rounded at once.
    plan.roundBehind = 1;
    plan.narrowSums =
        out == TW_ELEMENT_BF16 ? sums - std::max(1, sums / 8) : sums / 2;
  }
}

std::string whyRoundingUnfit(const TilePlan &plan, int sums) {
  if (!plan.roundsInTurn())
    return {};
  if (sums == 0)
    return "round=0x0 is all there is but for steprnd by=lane klanes=1 whose "
           "sums instructions convert to round them; of scalable vectors with "
           "decodeahead=0, and of 2x2 blocks with 8 sums";
  if (plan.roundBehind > sums || plan.narrowSums > sums)
    return llvm::formatv("round={0}x{1} exceeds the {2} accumulators of the "
                         "block",
                         plan.roundBehind, plan.narrowSums, sums)
        .str();
  return {};
}

} // namespace tilewright
