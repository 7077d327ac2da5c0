// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many K steps an iteration of the K loop takes.

#include "Decoding.h"
#include "Planner.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace tilewright {

/// Vectors of accumulators from which on a tile prefetches.
static constexpr int kWideBlock = 12;
static constexpr int kCacheLine = 64;

bool wantsAhead(const TilePlan &plan, const TileKey &key,
                const TileShape &shape) {
  const IsaInfo &isa = info(key.isa);
  const Machine &machine = machineOf(isa);
  int block = shape.rowGroups * shape.vectors;
  bool decodes = plan.staging != Staging::None ||
                 isConverted(shape.vector.type, shape.compute);
  return machine.prefetches && block >= kWideBlock &&
         idiom(plan.idiom).gainsByPrefetch && !shape.vector.staged &&
         !shape.roundsPerStep && !(decodes && isa.vectorRegisters < 32) &&
         shape.broadcastBlocks.count * shape.vectorBlocks.count == 1;
}

namespace {

class Unroll {
public:
  Unroll(const TilePlan &plan, const TileKey &key, const TileShape &shape,
         const IdiomShape &shared)
      : plan(plan), key(key), shape(shape), shared(shared), isa(shared.isa),
        machine(shared.machine), block(shape.rowGroups * shape.vectors) {}

  /// Two iterations at least between the ends of sums in 16 bits, which hold
  /// few steps, or one of as many as there are sets.
  int choose() {
    int unroll = longer(forLoop());
    if (shape.sum != shape.accumulator) {
      int steps = productsInWords(info(key.types)) / key.k0;
      while (unroll % 2 == 0 && 2 * unroll > steps &&
             unroll / 2 * shape.turns >= plan.sets)
        unroll /= 2;
    }
    return unroll;
  }

private:
  /// Iterations of 48 multiplies or so where nothing asks for what is ahead:
  /// the longer the stride of each load, the further ahead caches fetch it.
  /// (From L2 f32 8x16x1, 4x16x1, 2x32x1 of 512 bits take 0.89, 0.94, 0.87 of
  /// the time of an iteration of a step a set, f64 8x8x1 0.78, dot products
  /// 0.83 to 0.95, and as long in L1; Granite Rapids.) Conversions among the
  /// multiplies, and a second vector where registers are few, are mixed with
  /// those of other steps, and LLVM spills.
  int longer(int unroll) const {
    constexpr int kMost = 16;
    const bool few = isa.vectorRegisters < 32;
    const bool decodes = isDecoded(shape.vector, shape.compute, 0);
    if (!machine.fetchesByStride || plan.staging != Staging::None ||
        !shape.regular || shape.roundsPerStep || plan.kLanes > 1 ||
        shape.chunks > 1 || idiom(plan.idiom).parts > 1 ||
        shape.broadcast.rows == 1 || block >= kWideBlock ||
        (few && shape.vectors > 1 && block > 4) ||
        (decodes &&
         (shape.compute == ComputeType::F32 || idiom(plan.idiom).addsApart)))
      return unroll;
    // Sums beside the multiplies take registers, for each vector of the operand
    // that is summed up, and steps of fewer rows have enough of them.
    const bool sums = shape.roles.offset != 0;
    if (sums && (few || shape.vectors > 1 || block < 4))
      return unroll;
    const int enough =
        few || sums ? TileShape::kFewMultiplies : TileShape::kManyMultiplies;
    while (block * unroll < enough && 2 * unroll <= kMost)
      unroll *= 2;
    return unroll;
  }

  int forLoop() {
    int unroll = static_cast<int>(llvm::divideCeil(plan.sets, shape.turns));
    // An iteration asks for a line of either panel at least. Of 16 registers
    // none are left for a second step's loads, which LLVM puts beside others.
    if (wantsAhead(plan, key, shape) && plan.staging == Staging::None &&
        shape.roles.offset == 0)
      return isa.vectorRegisters < 32
                 ? unroll
                 : std::max<int>(
                       unroll,
                       llvm::divideCeil(kCacheLine, shape.broadcast.stepBytes));
    if (int decoded = mostStepsAhead(unroll))
      return decoded;
    // A short iteration is mostly loop overhead.
    int enough = shape.regular ? 8 : 4;
    // Narrower dispatch: pointers, counter and branch take slots that count.
    // More so where two lanes are a register, for its loads take such slots,
    // too, and less so on the cores that bf16 and i8mm are for.
    if (machine.dispatchIsNarrow) {
      bool wide = machine.dispatchIsWider;
      bool few = block < 16 && shape.regular;
      enough *= 4 / idiom(plan.idiom).ops;
      if (plan.lanes == 2 || (few && !wide))
        enough *= 2;
    }
    // Parts that are loaded each by itself wait for it: s8s4 6x16x8 of 256 bits
    // takes 0.89 of the time of single steps (Granite Rapids).
    if (shape.nibbles && shape.loadsEachPart)
      enough *= 4;
    // Conversions run ahead of the multiplies within an iteration.
    if (machine.dispatchIsNarrow && shape.compute == ComputeType::F32 &&
        shape.vector.bits < 32 && block <= 16)
      enough *= 2;
    // Rounding is code of its own.
    if (shape.roundsPerStep && !idiom(plan.idiom).roundsToHalf)
      enough = shape.byLanes               ? enough / 2
               : shape.roundsEachSum(plan) ? 2 * block
                                           : 0;
    // So is one whose bytes come of nibbles, where both are few.
    bool fewBytes =
        shape.nibbles && shape.compute == ComputeType::I8 && block <= 2;
    int turns = fewBytes ? 1 : shape.turns;
    while (block * turns * unroll < enough && unroll < 8)
      unroll *= 2;
    // bfdot takes lanes of registers that are loaded in pairs (LaneSteps.cpp).
    while (idiom(plan.idiom).lanesInPairs && unroll < 8 &&
           plan.blockRows * shape.rowPitch * unroll < 16)
      unroll *= 2;
    // A row of f32 whose broadcasts come from registers: two loads of 32 bytes
    // keep the other operand's loads paired by cache lines (1x16x1: 87.4 %
    // of the peak, with one 86.0 %). Of f16 what one loads is converted at
    // once (256 bits 1x16x1: 0.96 of the time, Zen 4).
    if (shape.broadcast.rows == 1 && shape.regular && plan.blockVectors == 2 &&
        shape.compute == ComputeType::F32 &&
        (unroll == 8 || (unroll == 4 && shape.mayShuffle)))
      unroll *= 2;
    // One whose broadcasts are lanes loads as much as it multiplies, and what
    // the loop itself takes is a slot for either (llvm-mca: 0.90 to 0.95 of
    // the cycles of Neoverse V2 and N1).
    if (shape.broadcast.rows == 1 && shape.regular && shape.byLanes &&
        unroll == 8 &&
        block <= (idiom(plan.idiom).halves == Halves::None ? 2 : 3) &&
        !isDecoded(shape.vector, shape.compute, shape.roles.offset))
      unroll = 16;
    // One whose only vector of 64 bytes is converted in place has twice as many
    // of these under way (Zen 4: f16 1x16x1 0.97 of the time, s16s8 1x16x2
    // 0.96). Narrower ones gain nothing.
    if (shape.broadcast.rows == 1 && shape.regular && unroll == 8 &&
        block == 1 && plan.lanes * shape.accumulatorBytes == 64 &&
        isDecoded(shape.vector, shape.compute, shape.roles.offset) &&
        idiom(plan.idiom).parts == 1 && !idiom(plan.idiom).addsApart &&
        !shape.nibbles && !machine.takesScalars)
      unroll = 16;
    // Sum the corrections of several steps at once, in whole vectors, where
    // there are registers for these sums.
    int run = plan.lanes * shape.group, alone = unroll;
    if (shape.roles.offset != 0 && plan.sums == SumsIn::Steps &&
        plan.blockRows >= shape.broadcast.rows)
      while (plan.blockRows * shape.rowPitch * unroll % run != 0 &&
             unroll < 8 && 2 * unroll * block * shape.turns <= 128)
        unroll *= 2;
    if (unroll == alone)
      return unroll;
    plan.unroll = unroll;
    int needed = registersNeeded(plan, key, TileShape(key, plan, shared));
    return needed <= registers() ? unroll : alone;
  }

  /// Of a vector of accumulators.
  int registers() const {
    return vectorsInRegisters(isa, plan.lanes * shape.accumulatorBytes);
  }

  /// The most K steps, at least `sets` of them, that can be decoded one
  /// iteration ahead; 0 if none can.
  int mostStepsAhead(int sets) const {
    TilePlan trial = plan;
    for (trial.unroll = shape.mayDecodeIterations(plan) ? 4 : 0;
         trial.unroll >= sets; trial.unroll /= 2) {
      trial.decodeAhead = trial.unroll;
      if (TileShape(key, trial, shared).canDecodeAhead(trial, isa))
        return trial.unroll;
    }
    return 0;
  }

  TilePlan plan;
  const TileKey &key;
  const TileShape &shape;
  const IdiomShape &shared;
  const IsaInfo &isa;
  const Machine &machine;
  int block; ///< accumulators of one set
};

} // namespace

int chooseUnroll(const TilePlan &plan, const TileKey &key,
                 const TileShape &shape, const IdiomShape &shared) {
  return Unroll(plan, key, shape, shared).choose();
}

} // namespace tilewright
