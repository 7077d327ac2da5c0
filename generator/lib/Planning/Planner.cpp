// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The planner: tries the plans that make sense and keeps the cheapest ones.

#include "Planner.h"
#include "Decoding.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tilewright {
namespace {

/// Accumulators in flight that keep two pipes busy whatever waits between the
/// multiplies.
constexpr int kWaitingChains = 16, kPipes = 2;
/// How far ahead a tile prefetches.
constexpr int kAhead = 2048;
/// Relative price of one vector instruction of code, which takes its time to
/// generate: between plans of like speed take the smaller. Tiles that whole
/// vectors and equal blocks fill are worth the code.
constexpr double kSizePrice = 1e-3, kRegularSizePrice = 4e-5;

class Planner {
  using P = TilePlan;

public:
  /// Keeps at most `wanted` plans.
  Planner(const TileKey &key, const PlanOverrides &overrides, size_t wanted)
      : key(key), overrides(overrides), isa(info(key.isa)),
        machine(machineOf(isa)),
        cores(overrides.core ? llvm::ArrayRef(overrides.core)
                             : usualCores(isa)),
        wanted(wanted) {}

  /// The plan of choice, then others, cheapest first.
  std::vector<TilePlan> best() {
    std::optional<TilePlan> choice;
    for (const Idiom &idiom : targetOf(isa).idioms()) {
      if (overrides.idiom().value_or(idiom.kind) != idiom.kind ||
          !whyIdiomUnfit(idiom.kind, key).empty())
        continue;
      tryIdiom(idiom);
      // Best first: another idiom is of interest where this one's groups do not
      // fill, where its blocks of rows may not, where its sums are widened as
      // often as their bits ask for, and on a core whose rates make the order
      // another.
      if (!choice && !found.empty() && key.k0 % idiom.group == 0 &&
          idiom.rows == 1 && !idiom.sumsInWords &&
          !(overrides.core && machine.comparesIdioms))
        choice = found.front().plan;
      if (choice && wanted == 1)
        break;
    }
    std::vector<TilePlan> plans;
    if (choice)
      plans.push_back(*choice);
    for (const Priced &priced : found)
      if (plans.size() < wanted && !llvm::is_contained(plans, priced.plan))
        plans.push_back(priced.plan);
    return plans;
  }

  /// Why the last plan looked at was refused.
  const std::string &lastRefusal() const { return refusal; }

private:
  TileShape shapeOf(const TilePlan &p) const { return {key, p, *shared}; }
  void tryIdiom(const Idiom &idiom) {
    plan.idiom = idiom.kind;
    shared.emplace(key, idiom.kind);
    int maxLanes = widestVectorBits(isa) / info(shared->accumulator).bits;
    for (bool broadcastRhs : {false, true}) {
      if (overrides.valueOr<&P::broadcastRhs>(broadcastRhs) != broadcastRhs)
        continue;
      plan.broadcastRhs = broadcastRhs;
      int rows = broadcastRhs ? shared->m0 : shared->n0;
      tryStagings(
          idiom, rows, maxLanes, idiom.group,
          {Staging::None, Staging::Broadcast, Staging::Vector, Staging::Both});
      if (triesNibbles(idiom))
        tryStagings(idiom, rows, maxLanes, kNibbles, {Staging::Nibbles});
    }
  }

  /// What cannot be, only for the reason against it, and if there is none yet.
  bool triesNibbles(const Idiom &idiom) const {
    const TypeTripleInfo &types = info(key.types);
    const ElementTypeInfo &vector =
        info(plan.broadcastRhs ? types.lhs : types.rhs);
    bool possible = idiom.group > 1 && vector.bits == 4;
    if (overrides.valueOr<&P::staging>(Staging::None) == Staging::Nibbles)
      return possible || (found.empty() && refusal.empty());
    return possible && key.k0 % kNibbles == 0 && machine.partsNibbles;
  }

  /// `rows` of the vector operand, whose lanes take `laneSize` k0 each with any
  /// of `stagings`.
  void tryStagings(const Idiom &idiom, int rows, int maxLanes, int laneSize,
                   llvm::ArrayRef<Staging> stagings) {
    int groups = static_cast<int>(llvm::divideCeil(key.k0, laneSize));
    // No more lanes than the vector operand can fill.
    int useful = static_cast<int>(std::min<uint64_t>(
        maxLanes,
        llvm::PowerOf2Ceil(uint64_t(rows) * llvm::PowerOf2Ceil(groups))));
    useful = std::max(useful, idiom.minLanes);
    if (overrides.has<&P::lanes>()) {
      plan.lanes = overrides.plan.lanes;
      return tryLanes(groups, stagings);
    }
    for (plan.lanes = useful;
         plan.lanes >=
         std::max(idiom.minLanes, useful / (2 * machine.registerGroup));
         plan.lanes /= 2)
      tryLanes(groups, stagings);
  }

  void tryLanes(int groups, llvm::ArrayRef<Staging> stagings) {
    // Rows side by side in a vector, or one row's chunks after one another.
    llvm::SmallVector<int> choices = {static_cast<int>(
        std::min<uint64_t>(plan.lanes, llvm::PowerOf2Ceil(groups)))};
    if (choices[0] != plan.lanes && groups * 2 > plan.lanes)
      choices.push_back(plan.lanes);
    // Or rows side by side, one group after another.
    if (machine.namesLanes && choices[0] != 1)
      choices.insert(choices.begin(), 1);
    if (overrides.has<&P::kLanes>())
      choices = {overrides.plan.kLanes};
    for (int kLanes : choices) {
      plan.kLanes = kLanes;
      plan.staging = stagings.front(); // of the most that can be told apart
      plan.blockRows = plan.blockVectors = 1;
      chooseHolding(plan, key, overrides);
      if (!overrides.has<&P::kLanes>() && !shapeOf(plan).separable())
        continue;
      for (Staging staging : stagings) {
        if (overrides.valueOr<&P::staging>(staging) != staging)
          continue;
        plan.staging = staging;
        chooseHolding(plan, key, overrides);
        if (!overrides.has<&P::staging>() && !stagingMakesSense())
          continue;
        tryBlocks();
      }
    }
  }

  /// Stage what cannot be read in place; beyond that broadcast operands that
  /// need decoding, and vector operands that need much of it.
  bool stagingMakesSense() {
    plan.blockRows = plan.blockVectors = 1;
    TileShape shape = shapeOf(plan);
    if (shape.nibbles)
      return true; // triesNibbles
    if (shape.padded)
      return plan.staging == Staging::Both;
    auto inPlace = [&](const OperandShape &operand) {
      return operand.bits >= 8 || (operand.bits == 4 && key.k0 % 2 == 0 &&
                                   (shape.byLanes || shape.chunkSize % 2 == 0));
    };
    bool muchDecoding = info(shape.vector.type).kind == TW_ELEMENT_KIND_FLOAT ||
                        shape.vector.bits < 8;
    if (shape.vector.staged
            ? inPlace(shape.vector) && !(muchDecoding && shape.vector.bits <= 8)
            : !inPlace(shape.vector))
      return false;
    bool decodes = isConverted(shape.broadcast.type, shape.compute) ||
                   idiom(plan.idiom).parts > 1;
    return shape.broadcast.staged ? decodes : inPlace(shape.broadcast);
  }

  /// Block sizes that cut `total` into 1, 2, 3, ... blocks as equal as can be,
  /// none above `limit`, multiples of `period`.
  static llvm::SmallVector<int> blockSizes(int total, int limit, int period) {
    llvm::SmallVector<int> sizes;
    limit = std::min(limit, total);
    for (int size = limit; size >= 1;) {
      int count = static_cast<int>(llvm::divideCeil(total, size));
      int even = static_cast<int>(
          llvm::alignTo(llvm::divideCeil(total, count), period));
      for (int candidate : {even, size})
        if (candidate <= limit && !llvm::is_contained(sizes, candidate) &&
            (candidate % period == 0 || candidate == total))
          sizes.push_back(candidate);
      size = std::min(size, even) - 1;
    }
    if (sizes.empty())
      sizes.push_back(std::min(total, period));
    return sizes;
  }

  void tryBlocks() {
    plan.blockRows = plan.blockVectors = 1;
    TileShape shape = shapeOf(plan);
    int limit = registers(shape);
    int vectors =
        static_cast<int>(llvm::divideCeil(shape.vector.rows, shape.vectorRows));
    auto period = [](int rows, int each) {
      int p = rows;
      while (p > 1 && (p / 2) * each % rows == 0)
        p /= 2;
      return p;
    };
    int tileRows = idiom(plan.idiom).rows;
    llvm::SmallVector<int> rowSizes =
        blockSizes(shape.broadcast.rows, limit * tileRows,
                   std::lcm(shape.broadcast.rowPeriod, tileRows));
    llvm::SmallVector<int> vectorSizes = blockSizes(
        vectors, limit, period(shape.vector.rowPeriod, shape.vectorRows));
    if (overrides.has<&P::blockRows>())
      rowSizes = {overrides.plan.blockRows};
    if (overrides.has<&P::blockVectors>())
      vectorSizes = {overrides.plan.blockVectors};
    for (int rows : rowSizes)
      for (int v : vectorSizes) {
        // Blocks of one to three vectors are for tiles of no more.
        if (!overrides.has<&P::blockRows>() &&
            !overrides.has<&P::blockVectors>() && rows * v < 4 * tileRows &&
            shape.broadcast.rows * vectors >= 8 * tileRows)
          continue;
        plan.blockRows = rows;
        plan.blockVectors = v;
        TileShape block = shapeOf(plan);
        if (block.rowGroups * block.vectors <= limit ||
            overrides.has<&P::blockRows>() || overrides.has<&P::blockVectors>())
          trySets(block);
      }
  }

  void trySets(const TileShape &shape) {
    int block = shape.rowGroups * shape.vectors;
    int latency = idiom(plan.idiom, isa).latency;
    // A single row is bound by its loads, and by any wait between them; one
    // whose nibbles are told apart by that.
    bool waits = shape.broadcast.rows == 1 && latency >= 4 && !shape.nibbles;
    int enough = std::max(waits ? std::max(kWaitingChains, machine.chains)
                                : machine.chains,
                          kPipes * latency) *
                 idiom(plan.idiom).parts;
    // A group of registers is in flight as long as its registers would be.
    int each = isa.vectorRegisters / registers(shape);
    // Fewer than three chains a step wait for loads rather than for four
    // cycles; corrections leave no registers for them.
    bool threes = machine.hasThreeSets && plan.staging == Staging::None &&
                  shape.regular && shape.broadcast.rows > 1 &&
                  shape.roles.offset == 0 && (block >= 3 || latency > 4);
    int more = isa.vectorRegisters > 16 ? 4 : 1; // as registers have room
    if (threes)
      enough = std::max(enough, kPipes * latency + more);
    // Eight rows that no load holds up wait for two sets, and hardly for three
    // (f32, s16, u8s8 8x16 0.96 of the time; Granite Rapids).
    constexpr int kPairedBlock = 8, kPairedSets = 3;
    if (threes && shape.canPairLoads && block == kPairedBlock)
      enough = std::max(enough, kPairedSets * block - 1);
    int before = 0;
    for (int sets : {1, 2, 3, 4, 6, 8}) {
      if (sets % 3 == 0 && !threes)
        continue;
      if (sets > 1 &&
          (shape.roundsPerStep || block * each * before >= enough) &&
          !overrides.has<&P::sets>())
        break;
      before = sets;
      // Parts would be read one after another; short sums add many sets up.
      if (((sets > 1 && shape.splits && block * sets > 16) ||
           (sets > 4 && block > 1 && idiom(plan.idiom).sumsInWords)) &&
          !overrides.has<&P::sets>())
        break;
      plan.sets = overrides.valueOr<&P::sets>(sets);
      for (SumsIn sums : sumsToTry(shape)) {
        plan.sums = sums;
        plan.unroll = overrides.valueOr<&P::unroll>(
            chooseUnroll(plan, key, shape, *shared));
        plan.extra = overrides.valueOr<&P::extra>(0);
        consider();
        if (int extra = extraAccumulators(shape)) {
          plan.extra = extra;
          plan.unroll =
              overrides.valueOr<&P::unroll>(llvm::alignTo(plan.unroll, 2));
          consider();
          plan.extra = 0;
        }
      }
      plan.sums = SumsIn::Steps;
      if (overrides.has<&P::sets>())
        break;
    }
  }

  /// Of a block that is just long enough to cover the latency, or nearly so,
  /// and of which registers do not hold two sets: what they hold besides, at
  /// most half of it. (Zen 4: f64 8x4x1 and f32 16x8x1 of 256 bits go from 92
  /// and 93 to 99 % of the peak.) One that waits for its loads gains nothing.
  int extraAccumulators(const TileShape &shape) const {
    int block = shape.rowGroups * shape.vectors;
    int spare = registers(shape) - registersNeeded(plan, key, shape);
    int chains = kPipes * idiom(plan.idiom, isa).latency;
    bool pairs = isInPairs(plan.by);
    int loads = pairs ? shape.rowGroups - shape.rowGroups / 2 : shape.rowGroups;
    if (overrides.has<&P::extra>() || !shape.regular ||
        !mayHaveExtra(plan, shape, isa) || block < loads + shape.vectors)
      return 0;
    // Pairs that are not staged: of half as many accumulators all have another
    // one, for LLVM would mix the steps of two sets (f32 4x8x1 takes 0.87 of
    // the time; f16 4x8x1, beside conversions, 1.08 of it; Zen 3).
    bool inPlace = pairs && !shape.broadcast.staged;
    if (inPlace && 2 * block == chains)
      return block;
    if (block > chains || 2 * block <= chains || spare >= block)
      return 0;
    return std::max(std::min(spare, block / 2), 0);
  }

  /// While the operand is staged it is in registers anyway, and its sums need
  /// none in the K loop; several blocks of its rows share a pass.
  llvm::SmallVector<SumsIn, 2> sumsToTry(const TileShape &shape) const {
    if (overrides.has<&P::sums>())
      return {overrides.plan.sums};
    if (shape.roles.offset == 0 || shape.padded)
      return {SumsIn::Steps};
    SumsIn first = shape.broadcast.staged ? SumsIn::Stage : SumsIn::Steps;
    if (shape.vectorBlocks.count == 1 || shape.broadcast.scalable)
      return {first};
    return {first, SumsIn::Pass};
  }

  /// Of a vector of accumulators.
  int registers(const TileShape &shape) const {
    return vectorsInRegisters(isa, plan.lanes * shape.accumulatorBytes);
  }

  void consider() {
    TileShape shape = shapeOf(plan);
    if (chooseReading(plan, key, shape, overrides))
      shape = shapeOf(plan);
    considerSharing(shape);
    if (BroadcastBy by = plan.by; isInPairs(by) && !overrides.has<&P::by>()) {
      // There may be no register for the vectors of second rows.
      plan.by = BroadcastBy::Load;
      considerSharing(shape);
      plan.by = by;
    }
  }

  void considerSharing(const TileShape &shape) {
    for (bool shares : {false, true})
      if (overrides.valueOr<&P::sharesRuns>(shares) == shares &&
          (!shares || overrides.has<&P::sharesRuns>() || mayShareRuns(shape))) {
        plan.sharesRuns = shares;
        considerRuns(shape);
      }
    plan.sharesRuns = false;
  }

  /// Several blocks, which could not well be larger, read what is staged or
  /// decoded once; of a single row that is little. Blocks in 32 registers are
  /// so large that what they decode for themselves hides behind multiplies: of
  /// 50 random tiles of AVX-512 24 took longer (Zen 4), so that these plans are
  /// for those who measure.
  bool mayShareRuns(const TileShape &shape) const {
    return plan.staging != Staging::None && plan.sums != SumsIn::Stage &&
           !shape.byLanes && !shape.broadcast.scalable &&
           !shape.vector.scalable && shape.broadcast.rows > 1 &&
           (isa.vectorRegisters < 32 || wanted > 1) &&
           2 * shape.accumulators(plan) >= registers(shape) &&
           ((shape.broadcast.staged && shape.vectorBlocks.count > 1) ||
            (shape.vector.staged && shape.broadcastBlocks.count > 1) ||
            shape.canPassVectors());
  }

  void considerRuns(TileShape shape) {
    chooseStageSteps(plan, key, shape, overrides);
    if (plan.sums == SumsIn::Stage) // which takes that many steps
      shape = shapeOf(plan);
    plan.endsByPointer =
        overrides.valueOr<&P::endsByPointer>(machine.endsByPointer);
    plan.ahead =
        overrides.valueOr<&P::ahead>(wantsAhead(plan, key, shape) ? kAhead : 0);
    chooseRounding(plan, key, shape.sumsInTurn(plan), overrides);
    price(shape);
    if (shape.spreadSteps > 1 && plan.broadcastLoads == 1 &&
        !overrides.has<&P::broadcastLoads>() && shape.canLoadTwoLanes(plan)) {
      plan.broadcastLoads = 2;
      price(shape);
    }
  }

  /// Keeps the plan if it is among the cheapest.
  void price(const TileShape &shape) {
    TilePlan kept = plan;
    chooseStagesAhead(kept, key, shape, overrides);
    // Stages that are filled before their steps are short, and cost no more.
    const TilePlan &priced =
        kept.stageAhead == StageAhead::Beside ? kept : plan;
    PlanCost cost = estimateCost(priced, key, shape, *cores.front());
    for (const CoreModel *core : cores.drop_front())
      cost.cycles *= estimateCost(priced, key, shape, *core).cycles;
    cost.cycles = std::pow(cost.cycles, 1.0 / double(cores.size()));
    double each = shape.regular ? kRegularSizePrice : kSizePrice;
    double price = cost.cycles * (1 + each * cost.size);
    if (cost.size > kSizeLimit)
      price *= double(cost.size) / kSizeLimit;
    auto dearer = [&](const Priced &other) { return other.price > price; };
    auto *place = llvm::find_if(found, dearer);
    if (place == found.end() && found.size() == wanted)
      return;
    // Only now: most plans need not be looked at.
    if (refusal = whyLanesUnfit(kept, key); refusal.empty())
      refusal = whyPlanUnfit(kept, key, shape);
    if (!refusal.empty())
      return;
    kept.rowsInner = overrides.valueOr<&P::rowsInner>(preferRowsInner(shape));
    if (llvm::any_of(found, [&](const Priced &p) { return p.plan == kept; }))
      return;
    if (found.size() == wanted)
      found.pop_back();
    found.insert(place, {kept, price});
  }

  /// The panel of the outer loop is read once, that of the inner loop once for
  /// each of the outer's blocks.
  bool preferRowsInner(const TileShape &shape) const {
    int64_t vectorOuter = shape.broadcast.stepBytes * shape.vectorBlocks.count +
                          shape.vector.stepBytes;
    int64_t broadcastOuter =
        shape.vector.stepBytes * shape.broadcastBlocks.count +
        shape.broadcast.stepBytes;
    return (vectorOuter < broadcastOuter) != plan.broadcastRhs;
  }

  const TileKey &key;
  const PlanOverrides &overrides;
  const IsaInfo &isa;
  const Machine &machine;
  const llvm::ArrayRef<const CoreModel *> cores;
  const size_t wanted;
  std::optional<IdiomShape> shared; ///< of plan.idiom
  TilePlan plan;
  struct Priced {
    TilePlan plan;
    double price;
  };
  llvm::SmallVector<Priced> found; ///< cheapest first, at most `wanted`
  std::string refusal;
};

} // namespace

std::vector<TilePlan> searchPlans(const TileKey &key,
                                  const PlanOverrides &overrides, size_t wanted,
                                  std::string &refusal) {
  Planner planner(key, overrides, wanted);
  std::vector<TilePlan> plans = planner.best();
  refusal = planner.lastRefusal();
  return plans;
}

} // namespace tilewright
