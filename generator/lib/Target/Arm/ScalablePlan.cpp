// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What plans with scalable vectors cost, per K step of the tile at the least
// vector length, in cycles of a core that starts, per cycle, two vector
// multiplies, two loads, and six instructions in all (Neoverse V1 with 256-bit
// vectors, N2 with 128-bit ones), or one outer product (SME units). An
// accumulator waits for itself between its multiplies.

#include "tilewright/Planning/ScalablePlan.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/PlanOverrides.h"
#include "tilewright/Planning/TilePlan.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace tilewright {
namespace {

constexpr int kRegisters = 32;
/// ZA tiles of 32-bit elements.
constexpr int kZaTiles = 4;
/// Multiplies in a K loop's body: so many that its counter and branch do not
/// count, which those that take longer, outer products and what is rounded, are
/// sooner; and the most.
constexpr int kEnoughMultiplies = 48, kEnoughLong = 12, kMostMultiplies = 64;
/// In one whose operands are read ahead, or decoded besides: multiplies, and
/// units of the lhs, for multiplies take lanes of eight registers only.
constexpr int kMostMultipliesAhead = 32, kMostMultipliesDecoded = 64,
              kMostUnitsAhead = 32;
constexpr double kPipes = 2, kLoadPipes = 2, kFrontEnd = 6;
/// Loop counter, pointers and branch.
constexpr double kLoopInstructions = 5;

ScalableBlock blockOf(const TilePlan &plan) {
  return {plan.blockRows, plan.blockVectors, plan.sets, plan.unroll};
}

int divide(int a, int b) { return static_cast<int>(llvm::divideCeil(a, b)); }

struct StepCost {
  double multiplies = 0, vectorOps = 0, loads = 0, latency = 0,
         instructions = 0;
  double cycles() const {
    return std::max({(multiplies + vectorOps) / kPipes, loads / kLoadPipes,
                     latency, instructions / kFrontEnd}) +
           0.02 * (loads + vectorOps);
  }
};

/// Multiplies of one K step of a block.
int multipliesOf(const ScalableShape &shape, int rows, int vectors) {
  return divide(rows, shape.rowsTogether) * shape.rhsVectors(vectors) *
         shape.chunks * shape.halves;
}

bool pairsSteps(const ScalableShape &shape, int rows, int sets) {
  return shape.rowsTogether == 2 && shape.lhsIsDense() && rows == 1 &&
         shape.lhs.size == 1 && sets % 2 == 0;
}

/// Whether a pattern of the lhs may hold several K steps of a block of `rows`.
bool spansSteps(const ScalableShape &shape, int rows, int sets) {
  return shape.lhsIsDense() && rows == shape.lhs.size &&
         (rows % shape.rowsTogether == 0 || pairsSteps(shape, rows, sets));
}

StepCost sveStep(ScalableIdiom idiom, const ScalableShape &shape, int rows,
                 const ScalableBlock &block, bool perStep) {
  StepCost cost;
  int operands = shape.rhsVectors(block.vectors) * shape.chunks;
  cost.multiplies = multipliesOf(shape, rows, block.vectors);
  // Taking rows apart occupies the vector pipes as well.
  cost.loads = operands * (shape.chunks > 1 ? 1.5 : 1);
  if (shape.chunks > 1)
    cost.vectorOps += operands;
  if (shape.nibbles) { // one load, a few operations; lookups for the lhs
    int vectors = operands / shape.chunks;
    cost.loads = vectors;
    cost.vectorOps = (shape.scaleBits ? 2 : 3) * vectors + 0.5 * rows;
  }
  bool isFloat = idiom == ScalableIdiom::SveFma;
  if (shape.rhs.extends() && isFloat)
    cost.vectorOps += 2 * operands; // fcvt has one of the pipes
  bool converts = shape.byLane && shape.lhs.byValue;
  int together = spansSteps(shape, rows, block.sets) ? block.unroll : 1;
  int lhsBytes = rows * shape.lhs.rowBytes * together;
  double lhsLoads =
      !shape.byLane ? rows * shape.chunks
                    : double(divide(lhsBytes, converts ? 8 : 16)) / together;
  cost.loads += lhsLoads;
  if (converts)
    cost.vectorOps += lhsLoads * (isFloat ? 3 : 1);
  double sums = double(divide(rows, shape.rowsTogether)) *
                shape.sumVectors(block.vectors);
  bool rounds = perStep && idiom != ScalableIdiom::SveFmaHalf;
  if (rounds)
    cost.vectorOps += 3 * sums;
  cost.latency = (1.1 * shape.chunks *
                      (shape.halvesAreRows ? 1 : shape.halves) * shape.latency +
                  (rounds ? 8 : 0)) /
                 block.sets;
  cost.instructions = cost.multiplies + cost.vectorOps + cost.loads +
                      kLoopInstructions / block.unroll;
  return cost;
}

StepCost smeStep(const ScalableShape &shape, int rows, int vectors,
                 int unroll) {
  StepCost cost;
  // One outer product per cycle.
  cost.multiplies = kPipes * rows * vectors * shape.chunks;
  cost.loads = double(rows + vectors) * shape.chunks;
  cost.latency = 1;
  cost.instructions =
      cost.multiplies / kPipes + cost.loads + kLoopInstructions / unroll;
  return cost;
}

int sveRegisters(const ScalableShape &shape, const ScalableBlock &block) {
  int rows = divide(block.rows, shape.rowsTogether);
  int perRow = shape.sumVectors(block.vectors);
  int operands = shape.rhsVectors(block.vectors) * shape.chunks;
  // The lhs: one register being read, one on its way; conversions' copies.
  int lhs = 2 + (shape.lhs.extends() && shape.byLane ? 1 : 0);
  if (shape.nibbles)
    lhs += 2; // the lookup's indices, a vector before it is taken apart
  return rows * perRow * block.sets + operands + lhs + shape.roundingRegisters;
}

/// The sum over the blocks that tile `total`, of `size` and one of the rest.
template <typename Cost> double overBlocks(int total, int size, Cost cost) {
  double sum = (total / size) * cost(size);
  return total % size ? sum + cost(total % size) : sum;
}

/// Of them consist the blocks of M.
int blockableRows(const ScalableShape &shape) {
  return shape.lhs.size / shape.rowUnit();
}

double stepCycles(ScalableIdiom idiom, const ScalableShape &shape,
                  const ScalableBlock &block, bool perStep) {
  return overBlocks(
      shape.rhs.size / shape.lanes, block.vectors, [&](int vectors) {
        return overBlocks(blockableRows(shape), block.rows, [&](int rows) {
          ScalableBlock part = block;
          part.vectors = vectors;
          return shape.sme
                     ? smeStep(shape, rows, vectors, block.unroll).cycles()
                     : sveStep(idiom, shape, rows, part, perStep).cycles();
        });
      });
}

/// Registers of the lhs that an iteration of `block` takes: SveTile's patterns.
int patternRegisters(ScalableIdiom idiom, const ScalableShape &shape,
                     const ScalableBlock &block) {
  bool widens = idiom == ScalableIdiom::SveWiden;
  bool converts = idiom == ScalableIdiom::SveFma && shape.lhs.extends();
  int parts = shape.chunks * (widens ? shape.halves : 1);
  int units = block.unroll * block.rows * (shape.halvesAreRows ? 1 : parts);
  int each = 128 / (widens ? 16 : shape.containerBits);
  int registers = shape.nibbles ? 1 : 0; // the lookup's indices
  for (int count; units > 0; units -= count) {
    count = std::min<int>(converts ? 2 * each : each,
                          llvm::bit_floor(static_cast<unsigned>(units)));
    registers += converts ? std::min(count, 2) : 1;
  }
  return registers;
}

int chooseUnroll(const ScalableShape &shape, const ScalableBlock &block) {
  int multiplies = shape.sme ? block.rows * block.vectors * shape.chunks
                             : multipliesOf(shape, block.rows, block.vectors);
  int unroll = block.sets;
  // Few of them: loop overhead. Patterns of the lhs shorter than a load.
  auto isShort = [&] {
    int bytes = unroll * block.rows * shape.lhs.rowBytes;
    bool isLong = shape.sme || shape.roundingRegisters > 0;
    return unroll * multiplies < (isLong ? kEnoughLong : kEnoughMultiplies) ||
           (!shape.sme && spansSteps(shape, block.rows, block.sets) &&
            bytes % (shape.lhs.byValue ? 8 : 16) != 0);
  };
  int most = !shape.sme && block.rows == 1 ? 16 : 8;
  while (isShort() && 2 * unroll * multiplies <= kMostMultiplies &&
         unroll < most)
    unroll *= 2;
  return unroll;
}

/// Whether the pipes of the multiplies decode operands, too.
bool decodes(ScalableIdiom idiom, const ScalableShape &shape) {
  return shape.nibbles || (idiom == ScalableIdiom::SveFma &&
                           shape.rhs.extends() && shape.lhs.extends());
}

/// Whether reading operands gains by standing between the multiplies of the
/// steps before. Any core waits for what it decodes; one that issues in order
/// waits for loads, unless its multiplies or rounding take longer.
bool gainsAhead(ScalableIdiom idiom, const TileKey &key,
                const ScalableShape &shape) {
  return decodes(idiom, shape) ||
         (shape.roundingRegisters == 0 && !isSlowInOrder(idiom, key));
}

/// K steps of an iteration whose operands are read ahead; 0 if they cannot be.
/// The more the later decoding may be; and of one row, which has a load for
/// each multiply, the fewer slots the loop itself takes (Neoverse V2 0.93 to
/// 0.95 of the cycles, Cortex-A510 0.87 to 0.95).
int unrollAhead(ScalableIdiom idiom, const TileKey &key,
                const ScalableShape &shape, ScalableBlock block) {
  bool decoded = decodes(idiom, shape);
  int most = decoded ? kMostMultipliesDecoded : kMostMultipliesAhead;
  block.unroll = block.rows > 2 ? 4 : block.rows == 2 || decoded ? 8 : 16;
  for (; block.unroll >= block.sets; block.unroll /= 2)
    if (block.unroll * multipliesOf(shape, block.rows, block.vectors) <= most &&
        block.unroll * block.rows * shape.chunks <= kMostUnitsAhead &&
        stepsAhead(idiom, key, shape, block))
      return block.unroll;
  return 0;
}

} // namespace

bool pairsSteps(const TilePlan &plan, const ScalableShape &shape, int rows) {
  return pairsSteps(shape, rows, plan.sets);
}

ScalableBlock chooseScalableBlock(ScalableIdiom idiom, const TileKey &key,
                                  const ScalableBlock &given) {
  ScalableShape shape(idiom, key);
  bool perStep = key.rounding == Rounding::kPerStep;
  bool readsAhead = gainsAhead(idiom, key, shape);
  int rows = blockableRows(shape), vectors = shape.rhs.size / shape.lanes;
  ScalableBlock best;
  double bestPrice = 0;
  auto consider = [&](const ScalableBlock &block) {
    bool fits = shape.sme ? block.rows * block.vectors <= kZaTiles
                          : sveRegisters(shape, block) <= kRegisters;
    bool fixed = given.rows && given.vectors;
    if (!fits && !fixed)
      return;
    // Rests are code of their own.
    double price =
        stepCycles(idiom, shape, block, perStep) *
        (1 +
         0.01 * ((rows % block.rows != 0) + (vectors % block.vectors != 0)) +
         0.002 * block.sets);
    if (best.rows && price >= bestPrice)
      return;
    best = block;
    bestPrice = price;
  };
  auto range = [](int fixed, int last) {
    return fixed ? std::pair(fixed, fixed) : std::pair(1, last);
  };
  auto [firstRows, lastRows] = range(given.rows, std::min(rows, kRegisters));
  auto [firstVectors, lastVectors] = range(given.vectors, vectors);
  for (int r = firstRows; r <= lastRows; ++r) {
    // Run-time counts of rows leave no rest.
    if (shape.lhs.rows && !shape.sme && rows % r != 0 && !given.rows)
      continue;
    for (int v = firstVectors; v <= lastVectors; ++v)
      for (int sets : {1, 2, 4, 8}) {
        if (given.sets ? sets != 1 : sets > 1 && (shape.sme || perStep))
          continue;
        if (v % shape.vectorPeriod() != 0 && !given.vectors)
          continue;
        ScalableBlock block{r, v, given.sets ? given.sets : sets, 0};
        block.unroll = given.unroll ? given.unroll : chooseUnroll(shape, block);
        if (!given.unroll && readsAhead)
          if (int unroll = unrollAhead(idiom, key, shape, block))
            block.unroll = unroll;
        if (block.unroll % block.sets == 0)
          consider(block);
      }
  }
  return best;
}

int stepsAhead(ScalableIdiom idiom, const TileKey &key,
               const ScalableShape &shape, const ScalableBlock &block) {
  if (shape.sme || !spansSteps(shape, block.rows, block.sets) ||
      block.vectors * shape.lanes != shape.rhs.size)
    return 0;
  int sums = divide(block.rows, shape.rowsTogether) *
             shape.sumVectors(block.vectors) * block.sets;
  int lhs = patternRegisters(idiom, shape, block);
  int step = shape.rhsVectors(block.vectors) * shape.chunks;
  int left = kRegisters - sums - lhs - shape.roundingRegisters - 1;
  for (int ahead = block.unroll; ahead > 0; ahead /= 2)
    if (block.unroll % ahead == 0 && ahead * step <= left)
      return ahead;
  return 0;
}

/// Of chooseRounding.
static int sumsInTurn(const TilePlan &plan, const ScalableShape &shape) {
  if (!shape.convertsSums || plan.decodeAhead != 0)
    return 0;
  return divide(plan.blockRows, shape.rowsTogether) *
         shape.sumVectors(plan.blockVectors);
}

std::string whyScalablePlanUnfit(const TilePlan &plan, const TileKey &key) {
  std::string why = whyIdiomUnfit(plan.scalable, key);
  if (!why.empty())
    return why;
  ScalableShape shape(plan.scalable, key);
  ScalableBlock block = blockOf(plan);
  if (plan.lanes != shape.lanes || plan.kLanes != 1)
    return llvm::formatv("scalable vectors need lanes={0} klanes=1",
                         shape.lanes);
  if (plan.broadcastRhs || plan.staging != Staging::None ||
      plan.stageSteps != 1 || plan.ahead != 0 || plan.sums != SumsIn::Steps ||
      plan.endsByPointer || plan.stageRuns || plan.stagesAhead() ||
      plan.extra != 0)
    return "scalable vectors need broadcast=lhs stage=none stagesteps=1 "
           "ahead=0 sums=steps ends=counter stageloop=vector stageahead=no "
           "extra=0";
  BroadcastBy by = shape.byLane ? BroadcastBy::Lane : BroadcastBy::Load;
  if (plan.by != by || plan.split != shape.nibbles)
    return llvm::formatv("idiom '{0}' of these types needs by={1} split={2}",
                         info(plan.scalable).name,
                         shape.byLane ? "lane" : "load",
                         shape.nibbles ? "yes" : "no");
  if (plan.broadcastLoads != 1 || plan.vectorLoads != 1 || plan.loadsEarly)
    return "scalable vectors need loads=1x1 early=no";
  if (plan.unroll % plan.sets != 0)
    return llvm::formatv("unroll={0} is not a multiple of sets={1}",
                         plan.unroll, plan.sets);
  if (int most = stepsAhead(plan.scalable, key, shape, block);
      plan.decodeAhead != 0 &&
      (plan.decodeAhead > most || plan.unroll % plan.decodeAhead != 0))
    return llvm::formatv("decodeahead={0} is not a divisor of unroll={1} of at "
                         "most {2}",
                         plan.decodeAhead, plan.unroll, most);
  if (shape.sme) {
    if (plan.sets != 1)
      return "outer products need sets=1";
    if (plan.blockRows * plan.blockVectors > kZaTiles)
      return llvm::formatv("a block of {0}x{1} ZA tiles; there are {2}",
                           plan.blockRows, plan.blockVectors, kZaTiles);
    return {};
  }
  if (shape.lhs.rows && shape.lhs.size % plan.blockRows != 0)
    return llvm::formatv("blocks of {0} rows do not divide a scalable M0, a "
                         "multiple of {1}",
                         plan.blockRows, shape.lhs.size);
  if (plan.blockVectors % shape.vectorPeriod() != 0)
    return llvm::formatv("blocks of {0} vectors are not whole vectors of the "
                         "rhs",
                         plan.blockVectors);
  if (key.rounding == Rounding::kPerStep && plan.sets != 1)
    return "steprnd needs sets=1";
  if (why = whyRoundingUnfit(plan, sumsInTurn(plan, shape)); !why.empty())
    return why;
  int registers = sveRegisters(shape, block);
  if (registers > kRegisters)
    return llvm::formatv("the block needs {0} vector registers of {1}",
                         registers, kRegisters);
  return {};
}

PlanCost estimateScalableCost(const TilePlan &plan, const TileKey &key) {
  ScalableShape shape(plan.scalable, key);
  ScalableBlock block = blockOf(plan);
  bool perStep = key.rounding == Rounding::kPerStep;
  PlanCost cost;
  cost.cycles = stepCycles(plan.scalable, shape, block, perStep);
  StepCost step =
      shape.sme ? smeStep(shape, block.rows, block.vectors, block.unroll)
                : sveStep(plan.scalable, shape, block.rows, block, perStep);
  cost.block = {step.multiplies / kPipes,
                step.loads / kLoadPipes,
                0,
                step.vectorOps / kPipes,
                step.latency,
                step.instructions};
  cost.blocks = divide(blockableRows(shape), block.rows) *
                divide(shape.rhs.size / shape.lanes, block.vectors);
  cost.size = static_cast<int>(step.instructions * (block.unroll + 1)) +
              4 * block.rows * block.vectors;
  return cost;
}

int scalableRegistersNeeded(const TilePlan &plan, const TileKey &key) {
  ScalableShape shape(plan.scalable, key);
  if (shape.sme)
    return (plan.blockRows + plan.blockVectors) * shape.chunks;
  return sveRegisters(shape, blockOf(plan));
}

llvm::Expected<std::optional<TilePlan>> planScalable(const TileKey &key,
                                                     const PlanOverrides &o) {
  if (!o.scalable() && (!key.isScalable() || o.idiom()))
    return std::nullopt;
  using P = TilePlan;
  std::optional<TilePlan> best;
  double bestCycles = 0;
  std::string why;
  for (const ScalableIdiomInfo &idiom : scalableIdioms()) {
    if (o.scalable().value_or(idiom.idiom) != idiom.idiom)
      continue;
    why = whyIdiomUnfit(idiom.idiom, key);
    if (!why.empty())
      continue;
    TilePlan plan;
    plan.scalable = idiom.idiom;
    ScalableShape shape(idiom.idiom, key);
    plan.lanes = o.valueOr<&P::lanes>(shape.lanes);
    plan.kLanes = o.valueOr<&P::kLanes>(1);
    ScalableBlock block = chooseScalableBlock(
        idiom.idiom, key,
        {o.valueOr<&P::blockRows>(0), o.valueOr<&P::blockVectors>(0),
         o.valueOr<&P::sets>(0), o.valueOr<&P::unroll>(0)});
    plan.blockRows = std::max(block.rows, 1);
    plan.blockVectors = std::max(block.vectors, 1);
    plan.sets = std::max(block.sets, 1);
    plan.unroll = std::max(block.unroll, 1);
    plan.broadcastRhs = o.valueOr<&P::broadcastRhs>(false);
    plan.staging = o.valueOr<&P::staging>(Staging::None);
    plan.stageSteps = o.valueOr<&P::stageSteps>(1);
    plan.by =
        o.valueOr<&P::by>(shape.byLane ? BroadcastBy::Lane : BroadcastBy::Load);
    plan.split = o.valueOr<&P::split>(shape.nibbles);
    plan.decodeAhead = o.valueOr<&P::decodeAhead>(
        gainsAhead(idiom.idiom, key, shape)
            ? stepsAhead(idiom.idiom, key, shape, blockOf(plan))
            : 0);
    plan.broadcastLoads = o.valueOr<&P::broadcastLoads>(1);
    plan.vectorLoads = o.valueOr<&P::vectorLoads>(1);
    plan.loadsEarly = o.valueOr<&P::loadsEarly>(false);
    plan.ahead = o.valueOr<&P::ahead>(0);
    plan.sums = o.valueOr<&P::sums>(SumsIn::Steps);
    plan.endsByPointer = o.valueOr<&P::endsByPointer>(false);
    plan.stageRuns = o.valueOr<&P::stageRuns>(false);
    plan.stageAhead = o.valueOr<&P::stageAhead>(StageAhead::No);
    plan.extra = o.valueOr<&P::extra>(0);
    // Each is two registers in its turn: LLVM spills where none is left.
    bool takesTurns = sveRegisters(shape, block) < kRegisters;
    chooseRounding(plan, key, takesTurns ? sumsInTurn(plan, shape) : 0, o);
    plan.rowsInner = o.valueOr<&P::rowsInner>(false);
    why = whyPlanUnfit(plan, key);
    if (!why.empty())
      continue;
    double cycles = estimateCost(plan, key).cycles;
    if (best && cycles >= bestCycles)
      continue;
    best = plan;
    bestCycles = cycles;
  }
  if (!best && o.scalable())
    return llvm::createStringError("%s: %s", printTileKey(key).c_str(),
                                   why.c_str());
  return best;
}

} // namespace tilewright
