// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/random_plans.h"

#include <string>
#include <vector>

#include "llvm/Support/xxhash.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright::testing {
namespace {

struct Part {
  const char* name;
  std::vector<const char*> values;
};

// Besides `idiom`, of which the other parts depend.
const std::vector<Part>& parts() {
  static const std::vector<Part> all = {
      {"lanes", {"1", "2", "4", "8", "16"}},
      {"klanes", {"1", "2", "4", "8", "16"}},
      {"block",
       {"1x1", "1x2", "1x4", "2x1", "2x2", "3x1", "3x2", "4x1", "4x3", "5x1",
        "6x2", "8x1", "8x2"}},
      {"sets", {"1", "2", "3", "4"}},
      {"unroll", {"1", "2", "3", "4", "5", "8"}},
      {"broadcast", {"lhs", "rhs"}},
      {"by", {"load", "shuffle", "lane"}},
      {"stage", {"none", "broadcast", "vector", "both", "nibbles"}},
      {"stagesteps", {"1", "2", "3", "7", "16"}},
      {"split", {"no", "yes"}},
      {"decodeahead", {"0", "1", "2", "4", "8"}},
      {"loads",
       {"1x1", "1x2", "1x4", "2x1", "2x3", "3x2", "4x1", "4x3", "4x4"}},
      {"early", {"no", "yes"}},
      {"round",
       {"0x0", "0x1", "0x3", "1x0", "1x1", "1x3", "1x7", "2x2", "4x6", "8x8"}},
      {"order", {"mn", "nm"}},
      {"ahead", {"0", "64", "2048", "4096"}},
      {"sums", {"steps", "stage", "pass"}},
      {"ends", {"counter", "pointer"}},
      {"stageloop", {"vector", "vectors"}},
  };
  return all;
}

// Code of more vector instructions takes long to generate, and where sums are
// rounded in place on riscv_64, and spill, it may be more than a tile may have
// (by 4.5 instructions for each of these).
constexpr int kMostCode = 900;
constexpr int kTries = 12;

std::string drawn(const Part& part, Random& random) {
  return std::string(part.name) + "=" +
         part.values[random.below(part.values.size())];
}

}  // namespace

std::string randomPlan(const TileKey& key, Random& random) {
  TilePlan plan = llvm::cantFail(planTile(key));
  auto take = [&](const std::string& text) {
    llvm::Expected<TilePlan> other = planTile(key, text);
    if (!other) {
      llvm::consumeError(other.takeError());
      return;
    }
    if (estimateCost(*other, key).size <= kMostCode) plan = *other;
  };
  // Of another idiom or side, the planner's choice of the rest.
  if (random.chance(0.5)) {
    const llvm::ArrayRef<Idiom> all = targetOf(info(key.isa)).idioms();
    take("idiom=" + all[random.below(all.size())].name.str());
  }
  for (int i = 0; i < kTries; ++i) {
    // One part alone seldom fits the others: two or three at once.
    std::string text = printTilePlan(plan);
    for (int64_t count = random.between(1, 3); count > 0; --count)
      text += " " + drawn(parts()[random.below(parts().size())], random);
    take(text);
  }
  // Where there are several blocks and a stage, runs that all take.
  static const Part runs = {"runs", {"block", "tile"}};
  take(printTilePlan(plan) + " " + drawn(runs, random));
  // And where one set takes two steps, a few more accumulators.
  static const Part extra = {"extra", {"1", "2", "4", "7"}};
  if (machineOf(info(key.isa)).hasExtra)
    take(printTilePlan(plan) + " unroll=4 " + drawn(extra, random));
  // Any other part goes with any order of instructions.
  static const Part schedule = {"schedule", {"planned", "late", "full"}};
  take(printTilePlan(plan) + " " + drawn(schedule, random));
  // Where one operand has a stage, often two of them, and often pairs of rows;
  // by the plan itself, so that a seed draws what it always did.
  const std::string text = printTilePlan(plan);
  const uint64_t hash = llvm::xxh3_64bits(text);
  if (hash % 4 != 0) take(text + " stageahead=yes");
  if (hash / 4 % 2 != 0)
    take(printTilePlan(plan) +
         " unroll=8 stagesteps=16 stage=broadcast stageahead=beside");
  if (hash / 8 % 4 != 0) take(printTilePlan(plan) + " by=pair");
  if (hash / 32 % 4 != 0) take(printTilePlan(plan) + " by=pairloads");
  return printTilePlan(plan);
}

bool isSmall(const TileKey& key, int64_t volume) {
  const TileKey least = key.atVectorBits(info(key.isa).vectorBits);
  return int64_t{least.m0} * least.n0 * least.k0 <= volume;
}

}  // namespace tilewright::testing
