// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a plan costs, per K step of the whole tile, in cycles of a core that
// starts, per cycle, so many bytes of multiplies, as many of other vector
// operations, as many of loads in at most two instructions, half as many of
// stores, and so many instructions in all (CoreModel.cpp).
//
// One K step of a register block of r rows x v vectors does, for each of its
// `chunks`,
//   multiplies     r*v times the idiom's ops and parts
//   loads          v vectors and r broadcasts
//   decoding       of the v vectors, and of the r broadcasts unless these are
//                  staged, that is decoded once, by the vector, into a buffer
//                  (one load, decoding, one store for each vector; rows that
//                  do not fill their lanes are copied once more, row by row)
// Where blocks share runs of K steps, the stages are divided by the blocks that
// read them, and so is the decoding of vectors that the first one stores; sums
// are loaded and stored once a run.
// These resources work in parallel, so the step takes the largest of
//   multiplies, loads, stores, instructions / front end, and
//   chunks * latency / sets       each accumulator waits for itself
// plus a fraction of the decoding, which disturbs the multiplies it shares
// ports with. What happens once per block (zeroing, reduction, out tile,
// mispredicted loop exits) is spread over kTypicalSteps.

#include "Decoding.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

constexpr double kTypicalSteps = 128;
/// Share of a decoding operation's time that the multiplies do not hide where
/// it is done an iteration ahead.
constexpr double kDecodeAheadShare = 0.1;
/// Cycles lost where a loop ends.
constexpr double kLoopExit = 20;
/// The same where it has as many iterations each time, which are foreseen.
constexpr double kWordLoop = 4, kRunLoop = 4;

class BlockCost {
public:
  BlockCost(const TilePlan &plan, const TileKey &key, const TileShape &shape,
            const CoreModel &core)
      : plan(plan), key(key), shape(shape), isa(info(key.isa)),
        machine(machineOf(isa)), core(core),
        idiom(tilewright::idiom(plan.idiom, isa)) {
    int bytes = plan.lanes * shape.accumulatorBytes;
    width = std::max(bytes / core.bytes, 0.5);
    // Half vectors multiply as fast as whole ones at best, and half as fast on
    // cores with two whole multipliers.
    multiplyWidth = 8 * bytes < isa.vectorBits ? 1.1 * width : width;
    vectorDecode =
        shape.splits      ? splitOps(shape.vector, shape)
        : shape.nibbles   ? nibbleOps(shape.vector.type, shape, machine)
        : idiom.parts > 1 ? idiom.parts
                          : decodeOps(shape.vector.type, shape.compute,
                                      shape.roles.offset, machine);
    broadcastDecode = shape.splits      ? splitOps(shape.broadcast, shape)
                      : idiom.parts > 1 ? idiom.parts
                                        : decodeOps(shape.broadcast.type,
                                                    shape.compute, 0, machine);
    // The load of a scalar extends an integer.
    if (shape.decodesScalars() && shape.sum == TW_ELEMENT_S32)
      broadcastDecode = 0;
    if (shape.nibbles)
      broadcastDecode += orderOps(shape, isa);
  }

  /// Operations to decode one vector.
  int vectorDecode, broadcastDecode;
  /// Of the last step.
  double multiplies, loads, stores, decoding, latency, instructions;

  double step(int rows, int vectorRows) {
    instructions = loads = stores = decoding = overhead = shuffles = 0;
    int v = shape.vectors;
    double macs = double(shape.rowGroups) * v * shape.chunks * shape.parts;
    int bits = 8 * plan.lanes * shape.accumulatorBytes;
    int emulated = emulatedOps(shape, machine);
    multiplies =
        macs * (core.multiplies(idiom, bits) + emulated) * multiplyWidth;
    overhead += 0.2 * macs * width * (idiom.ops - 1);
    instructions += macs * (idiom.ops + emulated);
    readVectors(v);
    readBroadcasts(rows, v);
    if (shape.broadcast.staged)
      stage(shape.broadcast, decodesBroadcasts() ? 0 : broadcastDecode, rows);
    if (shape.vector.staged)
      stage(shape.vector, decodesVectors() ? 0 : vectorDecode, vectorRows);
    if (plan.sharesRuns)
      saveSums();
    if (shape.roles.offset)
      sumBroadcasts();
    if (shape.roundsPerStep)
      decoding += shape.rowGroups * double(v) * 4 * width;
    if (shape.wordSteps != 0)
      widenSums();
    bool sumsBytes = idiom.addsApart || idiom.sumsInWords;
    int wait = std::max(idiom.latency, sumsBytes ? machine.byteSums : 0);
    double chains =
        plan.sets + double(plan.extra) / (shape.rowGroups * shape.vectors);
    latency = shape.turns * wait / chains;
    // Both parts of nibbles add to one chain. What waits for it a cycle or
    // more waits for nothing else, and converts the next ones meanwhile (where
    // that was timed).
    double idle = latency - multiplies - shuffles;
    bool waitsLong = shape.nibbles && machine.hasThreeSets && idle >= 1;
    // A tenth more, for a chain that is exactly long enough is not.
    if (!waitsLong)
      latency *= 1.1;
    // Accumulators without another one wait as long as before. Of four cycles
    // that is hardly longer than what there is to multiply, and two sets, which
    // would be cheaper, spill (f32 7x8x1 takes twice as long).
    if (wait > 4 && plan.extra > 0 &&
        plan.extra < shape.rowGroups * shape.vectors)
      latency = std::max(latency, double(shape.turns) * wait / plan.sets);
    // Chains that are just long enough still wait now and then; twice the
    // latency is plenty, and less where a sum is forwarded to the next one.
    // Nibbles that shuffles tell apart fill the multiplies' pipes as well.
    double busy = multiplies + (shape.splits ? shuffles : 0);
    double plenty = machine.plentyOfLatency * latency;
    if (!waitsLong)
      overhead += 0.3 * latency * std::max(0.0, 1 - busy / plenty);
    if (shape.roundsPerStep)
      latency += 30;
    instructions += 4.0 / plan.unroll; // pointers, counter, branch
    double conversions =
        (shape.decodesIterations(plan) ? kDecodeAheadShare : core.decodeShare) *
        decoding;
    if (waitsLong)
      conversions = std::max(0.0, conversions - idle);
    double cycles = std::max({multiplies + shuffles, loads, stores, latency,
                              (instructions + decoding / width) / core.frontEnd,
                              decoding}) +
                    conversions + 0.01 * instructions;
    return cycles + overhead + once(rows, v) / kTypicalSteps;
  }

private:
  /// Whether operands are decoded where they are multiplied, not staged so.
  bool decodesVectors() const {
    return !shape.vector.staged || idiom.parts > 1;
  }
  bool decodesBroadcasts() const {
    return !shape.broadcast.staged ||
           (idiom.parts > 1 && !shape.broadcast.inParts);
  }

  /// A row of groups by the lanes of registers, or registers of row pairs.
  void readLanes(int rows) {
    double count = double(rows) * shape.rowPitch * bytesOf(shape.compute) / 16;
    bool together = shape.broadcastBlocks.count == 1 &&
                    !shape.broadcast.scalable &&
                    (idiom.rows == 1 || shape.pairsSteps(plan));
    int steps = together ? plan.unroll : 1;
    count = std::ceil(count * steps) / steps;
    loads += count * width;
    instructions += count;
    if (idiom.rows > 1 && shape.separates && shape.separateChunks() > 1)
      shuffles += count * width;
    if (idiom.shufflesLanes) {
      shuffles += double(rows) * shape.chunks * width;
      instructions += double(rows) * shape.chunks;
    }
    if (!shape.broadcast.staged)
      decoding += count * broadcastDecode * width;
  }

  void readVectors(int v) {
    double count = double(v) * shape.chunks;
    if (idiom.halves != Halves::None)
      count /= 2;
    if (shape.separates && shape.separateChunks() > 1)
      shuffles +=
          count * width *
          (shape.vectorRows == 2 ? 1 : llvm::Log2_32(shape.separateChunks()));
    double loaded = shape.loadsEachPart ? count * shape.parts : count;
    loads += loaded * width;
    instructions += loaded;
    if (!decodesVectors())
      return;
    double each = shape.passesVectors(plan) ? shape.broadcastBlocks.count : 1;
    decoding += count * vectorDecode * width / each;
    if (shape.passesVectors(plan)) {
      stores += count * 2 * width / each;
      instructions += count / each;
    }
  }

  void readBroadcasts(int rows, int v) {
    if (shape.byLanes)
      return readLanes(rows);
    double count = double(rows) * shape.chunks;
    if (shape.spreadSteps > 1) {
      bool wide = plan.lanes * shape.accumulatorBytes == 64;
      bool decoded = broadcastDecode != 0;
      loads += 0.5 / shape.spreadSteps / (decoded ? 1 : plan.broadcastLoads);
      shuffles += wide ? core.spread : 0.1;
      if (plan.broadcastLoads > 1 && !decoded)
        shuffles += (wide ? core.spread : core.acrossLanes) / shape.spreadSteps;
      decoding += broadcastDecode * width / shape.spreadSteps;
      instructions += 1.25;
      return;
    }
    bool whole = plan.kLanes == plan.lanes;
    if (isInPairs(plan.by)) {
      count -= rows / 2;
      instructions += v;
      if (plan.by == BroadcastBy::Pair)
        shuffles += 0.1 * v;
      else
        loads += v * width;
    }
    if (shape.broadcast.inParts || shape.nibbles)
      count *= shape.parts;
    loads += count * (whole ? width : 0.5);
    // In an operand a group of one lane is broadcast, no wider one, but for
    // vpmaddwd. (Idioms of one part: as their plans were measured.)
    bool folded = v == 1 && isa.vectorBits == 512 && !whole &&
                  !machine.takesScalars && !idiom.addsApart &&
                  (idiom.parts == 1 || plan.kLanes == 1) &&
                  (!decodesBroadcasts() || broadcastDecode == 0);
    instructions += folded ? 0 : count;
    bool isFloat = shape.sum != TW_ELEMENT_S32;
    // They share a pipe with the multiplies, and have one of their own.
    if (isFloat && isa.vectorBits == 512 && !folded && !whole &&
        plan.by != BroadcastBy::LoadAlone && plan.by != BroadcastBy::PairLoads)
      shuffles +=
          std::max(0.0, 2 * count * width - multiplies) * core.floatBroadcast;
    if (!whole)
      shuffles += count * width * core.broadcast;
    if (!decodesBroadcasts() || broadcastDecode == 0)
      return;
    if (shape.decodesScalars()) {
      instructions += count * broadcastDecode;
      return;
    }
    decoding += count * (broadcastDecode + 1) * width;
  }

  void sumBroadcasts() {
    double runs = double(shape.correctionVectors) / shape.correctionSteps;
    if (plan.sums == SumsIn::Pass) {
      // Nothing else is done meanwhile.
      overhead +=
          (runs * std::max(multiplyWidth, width) + kLoopExit / kTypicalSteps) /
          shape.vectorBlocks.count;
      return;
    }
    multiplies += runs * multiplyWidth;
    instructions += runs;
    if (plan.sums == SumsIn::Steps)
      loads += runs * width;
  }

  /// Either half of a vector of sums in 16 bits, which begin as zeros, is added
  /// to one of the sums: these wait in memory unless all fit in registers.
  void widenSums() {
    double sums = double(shape.sums(plan)) * shape.sumBytes /
                  shape.accumulatorBytes / shape.wordSteps;
    bool inMemory =
        registersOfBlock(plan, shape, isa) + sums * shape.wordSteps >
        isa.vectorRegisters;
    double added = shape.accumulators(plan) / double(shape.wordSteps);
    decoding += (sums + added) * width;
    instructions += sums + added;
    if (inMemory) {
      loads += sums * width;
      stores += 2 * sums * width;
      instructions += 2 * sums;
    }
    overhead += kWordLoop / shape.wordSteps;
  }

  /// A block's sums, between runs.
  void saveSums() {
    double sums = shape.accumulators(plan);
    instructions += 2 * sums / plan.stageSteps;
    // The last multiplies wait for none of these, and the first ones for all.
    overhead += (3 * sums * width + kRunLoop) / plan.stageSteps;
  }

  /// Of all rows together for all blocks, or of the block's for itself.
  void stage(const OperandShape &operand, int ops, int rows) {
    int blocks = 1;
    if (plan.sharesRuns) {
      blocks = shape.broadcastBlocks.count * shape.vectorBlocks.count;
      rows = operand.rows;
    }
    int run = isa.vectorBits / 8 / bytesOf(shape.compute);
    double full = isa.vectorBits / 8 / core.bytes;
    auto copy = [&](double vectors, int each) {
      vectors /= blocks;
      loads += vectors * full;
      stores += vectors * 2 * full * (operand.inParts ? idiom.parts : 1);
      decoding += vectors * each * full;
      if (&operand == &shape.broadcast && shape.hasScalars)
        overhead += vectors * core.stageWait;
      instructions += vectors * (operand.inParts ? 1 + 2 * idiom.parts : 3);
    };
    int64_t elements = int64_t{rows} * key.k0;
    if (ops != 0 || !shape.padded)
      copy(rows == operand.rows && elements % run != 0
               ? llvm::divideCeil(elements * plan.stageSteps, run) /
                     double(plan.stageSteps)
               : llvm::divideCeil(elements, run),
           ops);
    if (shape.padded)
      copy(double(rows) * llvm::divideCeil(shape.rowPitch, run), 1);
    // Loop exits; vectors read from several stores wait for all of them.
    double exits = plan.stageAhead == StageAhead::Beside
                       ? kRunLoop
                       : kLoopExit + (shape.padded ? 2 * kLoopExit : 4);
    overhead += exits / plan.stageSteps / blocks;
  }

  double once(int rows, int v) {
    double results = double(rows) * v;
    double cycles = kLoopExit * (plan.unroll > 1 ? 2 : 1);
    if (plan.kLanes > 1)
      cycles += results * 3 * width;
    cycles += (results * plan.sets + plan.extra) * width;
    // By lanes both operands are loaded as vectors: a plan that gains nothing
    // by the other side does not get there for a shuffle less (llvm-mca has s16
    // 8x16x2 behind on in-order cores of arm_64).
    if (shape.transposedVectors == 0 || shape.byLanes) {
      if (plan.broadcastRhs)
        cycles += results * plan.lanes * 2;
      return cycles + results * 3 * width;
    }
    // Shuffles, and one more for each vector that is less than a register.
    int most = transposedWidth(rows, plan.lanes);
    bool whole = rows % plan.lanes == 0;
    cycles += results * llvm::Log2_32(most) * width;
    // The next block's loads go on beside these (f32 16x8 of 256 bits by 4x2,
    // Zen 4: no cycle more a block than storing 8x1 takes), but conversions
    // want shuffles, too.
    bool decodes = vectorDecode != 0 || broadcastDecode != 0;
    cycles += shape.transposedVectors * (whole     ? 3 * width
                                         : decodes ? 4 * 0.5
                                                   : 1);
    return cycles;
  }

  const TilePlan &plan;
  const TileKey &key;
  const TileShape &shape;
  const IsaInfo &isa;
  const Machine &machine;
  const CoreModel &core;
  const Idiom &idiom;
  /// Of a vector, in units of core.bytes.
  double width, multiplyWidth;
  double overhead, shuffles;
};

} // namespace

PlanCost estimateCost(const TilePlan &plan, const TileKey &key) {
  return estimateCost(plan, key, usualCore(info(key.isa)));
}

PlanCost estimateCost(const TilePlan &plan, const TileKey &key,
                      const CoreModel &core) {
  if (plan.scalable != ScalableIdiom::None)
    return estimateScalableCost(plan, key);
  return estimateCost(plan, key, TileShape(key, plan), core);
}

PlanCost estimateCost(const TilePlan &plan, const TileKey &key,
                      const TileShape &shape, const CoreModel &core) {
  BlockCost block(plan, key, shape, core);
  int rows = shape.rowGroups;
  int v = shape.vectors;
  PlanCost cost;
  cost.cycles =
      block.step(shape.broadcastBlocks.size, shape.vectorBlocks.size) *
      shape.broadcastBlocks.count * shape.vectorBlocks.count;
  cost.block = {block.multiplies, block.loads,   block.stores,
                block.decoding,   block.latency, block.instructions};
  cost.blocks = shape.broadcastBlocks.count * shape.vectorBlocks.count;
  int iterations = plan.stageAhead == StageAhead::Beside ? 2 : 1;
  int unrolled = iterations * plan.unroll + (plan.unroll > 1);
  int chunks = rows * v * shape.chunks <= 32 ? shape.chunks : 1;
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  int results = rows * v;
  int ops = idiom.ops + emulatedOps(shape, machineOf(info(key.isa)));
  cost.size =
      results * (chunks * unrolled * ops * shape.parts + plan.sets + 2) +
      chunks * unrolled *
          (v * (1 + (shape.vector.staged ? 0 : block.vectorDecode)) +
           rows * (shape.broadcast.staged ? 1 : 1 + block.broadcastDecode));
  if (plan.kLanes > 1)
    cost.size += 3 * results;
  if (shape.roundsPerStep && !idiom.roundsToHalf)
    cost.size += 4 * results * unrolled;
  return cost;
}

} // namespace tilewright
