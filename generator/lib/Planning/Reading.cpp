// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How operands come from memory: the parts of a plan that follow from all
// others, unless they are given.

#include "Planner.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace tilewright {

void chooseHolding(TilePlan &plan, const TileKey &key,
                   const PlanOverrides &overrides) {
  plan.by = overrides.valueOr<&TilePlan::by>(
      namesLanes(plan, key) ? BroadcastBy::Lane : BroadcastBy::Load);
  plan.split = false;
  plan.decodeAhead = 0;
  if (overrides.has<&TilePlan::split>())
    plan.split = overrides.plan.split;
  else if (plan.by == BroadcastBy::Lane)
    plan.split = TileShape(key, plan).canSplit;
}

/// Conversions want the same ports as the shuffles; those of half a zmm to f32
/// leave enough of them, but for f16, each vector of which shuffles itself:
/// 1x8x1 by a stage takes 0.93 of the time of shuffles, 1x16x1 0.88 to 0.95,
/// 1x24x1 0.6 (Zen 3).
static bool leavesShufflePorts(const TilePlan &plan, const TileShape &shape) {
  bool shufflesAnyway = shape.vector.type == TW_ELEMENT_F16 && shape.regular;
  return shape.compute == ComputeType::I8 ||
         (shape.compute == ComputeType::F32 &&
          plan.lanes * shape.accumulatorBytes == 32 && !shufflesAnyway) ||
         8 * bytesOf(shape.compute) == shape.vector.bits;
}

/// A broadcast that several multiplies share is no operand of theirs. It takes
/// shuffles from conversions of f16, from the shifts of pairs of bf16, and from
/// sums that are rounded.
static bool wantsShufflePorts(const TilePlan &plan, const TileShape &shape) {
  return shape.canLoadAlone && plan.blockVectors > 1 &&
         (shape.broadcast.inParts || shape.vector.type == TW_ELEMENT_F16 ||
          shape.roundsPerStep) &&
         !shape.vector.staged;
}

/// Whether rows share loads by pairs: where one vector a row would load about
/// as often as it multiplies. (f32 4x8x1, 8x8x1 take 0.80, 0.88 of the time,
/// f16 8x8x1 0.87; Zen 3.) Two rows of f16 would take 0.82 of it there, but by
/// the port table 1.4 on Intel's cores, where the shuffle stands beside those
/// that convert. Integers that are multiplied and added apart are bound by all
/// pipes, of which it takes one, and dot products wait for loads on Zen 5
/// alone.
static bool wantsPairs(const TilePlan &plan, const TileShape &shape) {
  if (!shape.canPair || !shape.regular || shape.vectors != 1 ||
      8 * plan.lanes * shape.accumulatorBytes != 256)
    return false;
  bool shuffles = shape.vector.type == TW_ELEMENT_F16; // to convert
  return shape.sum != TW_ELEMENT_S32 && !(shuffles && shape.rowGroups == 2);
}

/// Whether they do so by loads alone: of 512 bits, where Intel's cores shuffle
/// where they multiply. (f32, s16 and u8s8 16x16 take 0.91 to 0.95 of the time,
/// 8x16 0.91 to 0.95, 4x16 1.03; Granite Rapids.) Integers that are added apart
/// wait for other pipes, and of bf16 nothing was timed.
static bool wantsPairLoads(const TilePlan &plan, const TileShape &shape) {
  constexpr int kManyRows = 8;
  return shape.canPairLoads && shape.vectors == 1 &&
         shape.vectorBlocks.count == 1 && shape.rowGroups >= kManyRows &&
         !idiom(plan.idiom).addsApart && shape.compute != ComputeType::BF16;
}

/// Whether registers of the vector operand are loaded one by one, between the
/// multiplies of those before them.
static bool loadsAlone(const TilePlan &plan, const TileKey &key,
                       const TileShape &shape, const CoreModel &core) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  const IsaInfo &isa = info(key.isa);
  if (core.loadsOneByOne)
    return true;
  const bool decoded =
                 isDecoded(shape.vector, shape.compute, shape.roles.offset),
             few = shape.rowGroups <= idiom.rows;
  if (core.schedule != Schedule::Planned) {
    // Where halves of bytes are taken apart between loads and multiplies.
    constexpr int kRoom = 4;
    if (plan.split)
      return idiom.rows == 1 ||
             (shape.rowGroups > 1 &&
              registersNeeded(plan, key, shape) + kRoom <= isa.vectorRegisters);
    // Else a load waits for the products before it, of which `few` of one
    // element a lane are done as soon as it is.
    if (decoded || idiom.group > 1)
      return false;
    return idiom.halves == Halves::None
               ? core.loadsPassFloats && shape.compute != ComputeType::S32
               : few;
  }
  if (decoded || shape.convertsSums || idiom.addsApart || idiom.sumsInWords)
    return false;
  // Loads of several registers take Neoverse N1, which dispatches little, less
  // time, where more rows share them.
  constexpr int kFewRows = 4;
  return few ||
         (idiom.rows == 1 && shape.rowGroups <= kFewRows &&
          idiom.halves == Halves::None && machineOf(isa).dispatchIsWider);
}

/// Registers that are left beside the accumulators and the vectors of a K step
/// take the loads of those to come, as many by one instruction as there is
/// room.
static void chooseLoads(TilePlan &plan, const TileKey &key,
                        const TileShape &shape, const CoreModel &core) {
  plan.broadcastLoads = plan.vectorLoads = 1;
  plan.loadsEarly = shape.byLanes && loadsAlone(plan, key, shape, core);
  // What is decoded is not repeated by its load.
  if (plan.by == BroadcastBy::Shuffle &&
      isDecoded(shape.broadcast, shape.compute, 0) &&
      shape.canLoadTwoLanes(plan))
    plan.broadcastLoads = 2;
  const bool inOrder = core.schedule != Schedule::Planned;
  if (!shape.byLanes || (inOrder && plan.loadsEarly))
    return;
  constexpr int kMost = 4; // of one instruction
  int perStep = static_cast<int>(llvm::divideCeil(
      int64_t{shape.vectorBlocks.size} * shape.rowPitch, shape.vectorWidth));
  int spare =
      info(key.isa).vectorRegisters - shape.accumulators(plan) - perStep - 1;
  if (isDecoded(shape.broadcast, shape.compute, 0) ||
      isDecoded(shape.vector, shape.compute, shape.roles.offset))
    spare -= 2;
  // bfdot takes lanes of registers that are loaded in pairs only: LLVM turns
  // the others into duplicates before it looks for the lanes.
  plan.broadcastLoads = idiom(plan.idiom).lanesInPairs ? 2 : 1;
  // Registers in a row are hard to find where few are left.
  if (spare < kMost + 2) {
    plan.loadsEarly = false;
    if (spare >= kMost)
      plan.broadcastLoads = 2;
    // Three or four that are a whole step: its multiplies wait once.
    int whole = static_cast<int>(
        llvm::divideCeil(int64_t{shape.broadcastBlocks.size} * shape.rowPitch,
                         16 / bytesOf(shape.compute)));
    if (spare >= kMost && whole <= kMost)
      plan.broadcastLoads = std::max(plan.broadcastLoads, whole);
    if (spare >= kMost && perStep <= 3 && !shape.takesHalves(plan))
      plan.vectorLoads = perStep;
    return;
  }
  // A row, or few of a multiply that takes two, wait for their loads, of which
  // one of several registers takes two to five times as long as these by
  // themselves (A64FX, Ampere-1, Oryon). Bytes are decoded for longer than
  // that, and sums that are converted each step wait for each other.
  if (shape.rowGroups <= idiom(plan.idiom).rows && !shape.convertsSums &&
      (shape.compute == ComputeType::F32 ||
       !isDecoded(shape.vector, shape.compute, shape.roles.offset))) {
    // By ld1 of four Neoverse N1 spends fewer slots on the lanes than one by
    // one. Matrix instructions gain by it in order alone (Cortex-A510 0.78).
    int lanes =
        static_cast<int>(int64_t{plan.unroll} * shape.broadcastBlocks.size *
                         shape.rowPitch * bytesOf(shape.compute) / 16);
    if (lanes >= kMost && inOrder == (idiom(plan.idiom).rows > 1))
      plan.broadcastLoads = kMost;
    return;
  }
  plan.broadcastLoads = std::clamp(spare, 1, kMost);
  spare -= plan.broadcastLoads;
  // Oryon, A64FX and Ampere1 take longer over a load of several than over the
  // few multiplies of such tiles.
  if (shape.takesHalves(plan) || plan.loadsEarly)
    return;
  // Whole steps, unless there are registers for the rest of one.
  plan.vectorLoads = perStep % 3 == 0 && spare < 2 * kMost ? 3 : kMost;
  if (perStep < 3 && spare < kMost - perStep)
    plan.vectorLoads = perStep;
  plan.loadsEarly = spare >= 2 * plan.vectorLoads;
}

void chooseLoads(TilePlan &plan, const TileKey &key, const TileShape &shape,
                 const CoreModel &core, const PlanOverrides &overrides) {
  chooseLoads(plan, key, shape, core);
  if (overrides.has<&TilePlan::broadcastLoads>()) {
    plan.broadcastLoads = overrides.plan.broadcastLoads;
    plan.vectorLoads = overrides.plan.vectorLoads;
  }
  plan.loadsEarly = overrides.valueOr<&TilePlan::loadsEarly>(plan.loadsEarly);
}

bool chooseReading(TilePlan &plan, const TileKey &key, const TileShape &shape,
                   const PlanOverrides &overrides) {
  using P = TilePlan;
  const TilePlan before = plan;
  const IsaInfo &isa = info(key.isa);
  if (plan.by != BroadcastBy::Lane)
    plan.by = overrides.valueOr<&P::by>(
        shape.canShuffle && leavesShufflePorts(plan, shape)
            ? BroadcastBy::Shuffle
        : wantsPairs(plan, shape)        ? BroadcastBy::Pair
        : wantsPairLoads(plan, shape)    ? BroadcastBy::PairLoads
        : wantsShufflePorts(plan, shape) ? BroadcastBy::LoadAlone
                                         : BroadcastBy::Load);
  // An iteration's operands, or those of a step.
  for (int steps : {plan.unroll, 1, 0}) {
    plan.decodeAhead = overrides.valueOr<&P::decodeAhead>(steps);
    if (steps == 0 || shape.canDecodeAhead(plan, isa))
      break;
  }
  chooseLoads(plan, key, shape, usualCore(isa), overrides);
  return plan.by != before.by;
}

/// Stack to use for staging: a share of the L1 data cache.
static constexpr int64_t kStageBytes = 12 * 1024;
/// Where the sums of all blocks wait beside it: within a page, or Windows has
/// the stack probed by a call.
static constexpr int64_t kSharedStageBytes = 3 * 1024;

void chooseStageSteps(TilePlan &plan, const TileKey &key,
                      const TileShape &shape, const PlanOverrides &overrides) {
  // A loop of one vector is mostly its own; not so of a group of registers, and
  // irregular tiles are not worth the code.
  plan.stageAhead = overrides.valueOr<&TilePlan::stageAhead>(StageAhead::No);
  plan.stageRuns = overrides.valueOr<&TilePlan::stageRuns>(
      plan.staging != Staging::None && shape.regular && !shape.byLanes &&
      machineOf(info(key.isa)).registerGroup == 1);
  if (overrides.has<&TilePlan::stageSteps>() || plan.staging == Staging::None) {
    plan.stageSteps = overrides.valueOr<&TilePlan::stageSteps>(1);
    return;
  }
  // About 200 multiplies at a time: few enough that decoding overlaps them,
  // many enough that loop exits do not matter (measured on f16 12x32: 4 steps
  // of 12 multiplies 96 %, 16 steps 99 %, 64 steps 90 % of the peak). Padding
  // does not overlap: more at a time.
  int multiplies = shape.rowGroups * shape.vectors * shape.chunks * shape.parts;
  int wanted = shape.padded ? 800 : 192;
  plan.stageSteps = std::clamp(static_cast<int>(llvm::PowerOf2Ceil(
                                   llvm::divideCeil(wanted, multiplies))),
                               4, 64);
  // Of 32 registers such plans are for those who measure.
  bool isPlanned = info(key.isa).vectorRegisters < 32;
  int64_t most = plan.sharesRuns && isPlanned ? kSharedStageBytes : kStageBytes;
  while (plan.stageSteps > 1 && stageBytes(plan, key, shape) > most)
    plan.stageSteps /= 2;
}

/// Bytes of a stage that is filled beside the steps before it, and multiplies
/// of an iteration that does so, beyond which it is too much code.
static constexpr int kBesideBytes = 512, kMostBeside = 96;

/// Has the next stage filled in the loop of this one's steps, if an instruction
/// or two decode its elements: conversions and stores in a row keep multiplies
/// waiting. Of 256 bits f16 8x8x1, 6x8x1, 16x8x1, 5x16x1, 1x16x1 take 0.96,
/// 0.90, 0.91, 0.94, 0.95 of the time, bytes 8x8x2, 4x8x2, 1x8x2 0.95, 0.95,
/// 0.89, 1x16x2, 2x16x2, 4x16x2, 6x16x2 0.92, 0.95, 0.96, 0.97 (Zen 3).
static bool stagesBeside(TilePlan &plan, const TileKey &key,
                         const TileShape &shape,
                         const PlanOverrides &overrides) {
  const IsaInfo &isa = info(key.isa);
  int bytes = bytesOf(shape.compute), width = isa.vectorBits / 8 / bytes;
  int elements = shape.broadcastBlocks.size * shape.rowPitch;
  TilePlan beside = plan;
  beside.stageAhead = StageAhead::Beside;
  if (!overrides.has<&TilePlan::unroll>())
    beside.unroll = std::lcm(plan.unroll, width / std::gcd(width, elements));
  // Powers of two of iterations, as K often is.
  if (!overrides.has<&TilePlan::stageSteps>()) {
    unsigned fit = kBesideBytes / (bytes * elements * beside.unroll);
    beside.stageSteps = beside.unroll * std::max(1u, llvm::bit_floor(fit));
  }
  // A row's vectors are read one by one; LLVM would have those of several steps
  // at once, and spill: of 1x8 bytes 1x64x2 take 1.38 of the time.
  bool spills = shape.rowGroups == 1 && shape.vectors > 4;
  if (spills || beside.unroll * shape.rowGroups * shape.vectors > kMostBeside ||
      !whyStagesAheadUnfit(beside, shape, isa).empty())
    return false;
  plan = beside;
  return true;
}

/// What is read of a stage that is filled ahead was stored long ago, and it
/// need not be long. bf16 in parts takes 0.94 to 0.98 of 3x2 to 6x2 by stages
/// of three vectors or of eight steps, 1.00 of 8x1 and 6x1. The block of 6x2
/// takes 0.72 of f8E4M3FN by stages of four steps (Zen 3).
void chooseStagesAhead(TilePlan &plan, const TileKey &key,
                       const TileShape &shape, const PlanOverrides &overrides) {
  constexpr int kFewestRows = 3, kFewest = 5, kMost = 8;
  int accumulators = shape.rowGroups * shape.vectors;
  bool isFew = shape.rowGroups >= kFewestRows && accumulators >= kFewest &&
               accumulators <= kMost;
  bool isSixByTwo = shape.rowGroups == 6 && shape.vectors == 2;
  bool isAlone = shape.broadcastBlocks.count * shape.vectorBlocks.count == 1;
  if (!plan.stagesBroadcastAlone() || overrides.has<&TilePlan::stageAhead>() ||
      !machineOf(info(key.isa)).stagesAhead ||
      8 * plan.lanes * shape.accumulatorBytes != 256 || !shape.regular ||
      shape.roundsPerStep ||
      !whyStagesAheadUnfit(plan, shape, info(key.isa)).empty() ||
      stagesBeside(plan, key, shape, overrides) || !isAlone ||
      !(shape.broadcast.inParts ? shape.masksParts : isFew || isSixByTwo))
    return;
  plan.stageAhead = StageAhead::Before;
  if (overrides.has<&TilePlan::stageSteps>())
    return;
  constexpr int kThreeVectors = 24;
  int most = !shape.masksParts ? (isFew ? 16 : 4)
             : kThreeVectors % shape.rowGroups == 0
                 ? kThreeVectors / shape.rowGroups
                 : 8;
  plan.stageSteps = std::min(plan.stageSteps, most);
}

} // namespace tilewright
