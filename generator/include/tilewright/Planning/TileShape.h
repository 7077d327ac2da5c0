// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from a key and its plan: sizes and counts that the cost model
// and the lowering share.

#ifndef TILEWRIGHT_PLANNING_TILESHAPE_H
#define TILEWRIGHT_PLANNING_TILESHAPE_H

#include "tilewright/Planning/TilePlan.h"
#include <array>

namespace tilewright {

struct Machine;

/// The broadcast or the vector operand of the whole tile: a panel
/// [K][rows][k0].
struct OperandShape {
  tw_element_type_t type;
  int bits;
  /// Of a scalable operand, `rows` and `stepBytes` are those for vectors of the
  /// ISA's vectorBits; a tile has a run-time multiple of them.
  int rows;
  bool scalable;
  int64_t stepBytes; ///< of one K step
  bool staged;
  /// Staged as the elements of each of the idiom's parts, decoded, apart.
  bool inParts = false;
  /// Rows that fill whole bytes: a block must start at a multiple of it.
  int rowPeriod;
};

/// How the rows of one operand are cut into register blocks, all of one size,
/// so that one kernel serves them all: block i starts at row min(i * size, rows
/// - size), the last one repeating rows of the one before unless size divides
/// rows.
struct Blocking {
  int size, count;
  bool overlaps;
};

/// Elements of 4 bits in a lane of accumulators of 32.
inline constexpr int kNibbles = 8;

/// What the shapes of all plans of a key by one idiom share.
struct IdiomShape {
  IdiomShape(const TileKey &key, IdiomKind kind);

  const Idiom &idiom;
  const IsaInfo &isa;
  const Machine &machine;
  const TypeTripleInfo &types;
  int m0, n0; ///< at the least vector length
  ComputeType compute;
  tw_element_type_t accumulator, sum;
  /// By TilePlan::broadcastRhs.
  std::array<ByteRoles, 2> roles;
  bool unsignedWords;
  bool convertsSums;
};

struct TileShape {
  TileShape(const TileKey &key, const TilePlan &plan)
      : TileShape(key, plan, IdiomShape(key, plan.idiom)) {}
  /// `shared` is of the plan's idiom.
  TileShape(const TileKey &key, const TilePlan &plan, const IdiomShape &shared);

  ComputeType compute;
  tw_element_type_t accumulator;
  int accumulatorBytes;
  tw_element_type_t sum; ///< of all K steps: as `accumulator`, or wider
  int sumBytes;
  int group; ///< k0 per lane that a multiply takes
  /// Staging::Nibbles: a lane of the vector operand holds kNibbles elements as
  /// they lie in memory, of which each multiply takes a part.
  bool nibbles;
  int laneSize;  ///< k0 per lane that all multiplies together take
  int parts;     ///< multiplies that take them
  int groups;    ///< per row of one K step, the last one possibly partial
  int chunks;    ///< vectors of kLanes lanes per row of one K step
  int chunkSize; ///< k0 per chunk: kLanes * laneSize
  /// Multiplies of a K step that each accumulator takes in turn, if there is
  /// one set of them: sets share them out.
  int turns;
  int vectorRows; ///< rows of the vector operand per vector
  /// Accumulators of a row, or of idiom.rows rows, of a full block.
  int vectors;
  /// Rows of a full block in units of idiom.rows, the last one partial.
  int rowGroups;
  /// Rows of K0 elements do not fill their lanes: both operands are staged,
  /// with zeros behind each row.
  bool padded;
  int rowPitch; ///< k0 from row to row, in the stages if there are any
  OperandShape broadcast, vector;
  ByteRoles roles;
  /// K steps whose corrections (roles.offset) are summed side by side where
  /// they follow one another in memory: all of an iteration, or as many as fill
  /// vectors. Their sums [K step][row][group] fill so many vectors; 0 without.
  int correctionSteps, correctionVectors;
  Blocking broadcastBlocks, vectorBlocks;
  bool roundsPerStep;
  /// Such sums are converted to the out type and back for it, by instructions;
  /// otherwise those of f32 to bf16 are rounded as bits, in place.
  bool convertsSums;
  /// So many sums by vdpbf16ps, or fewer, that are rounded each step wait for
  /// themselves: as bits, and with an addition before it instead of a multiply,
  /// that is over sooner.
  static constexpr int kFewDots = 4;
  /// The multiplies of a K step add to the sums that are rounded.
  bool sumsInStep(const TilePlan &plan) const;
  /// Whether both parts of a vector of 512 bits, of 4-bit elements or of pairs
  /// of bf16, are made before the first is multiplied.
  bool makesPartsFirst(const TilePlan &plan) const;
  /// Whether a part of such vectors is made when those before are multiplied:
  /// LLVM would mix them, and what makes parts take the multiplies' pipes.
  bool partsInOrder(const TilePlan &plan) const;
  /// Whether a step's sums are rounded one after the other, each before the
  /// next multiply: pipes are chosen in the order of instructions.
  bool roundsEachSum(const TilePlan &plan) const;
  /// Accumulators that TilePlan::roundBehind and narrowSums are possible of.
  int sumsInTurn(const TilePlan &plan) const {
    return convertsSums && byLanes && sumsInStep(plan) ? accumulators(plan) : 0;
  }
  /// Of sums whose lanes are rows of the out tile (TilePlan::broadcastRhs): the
  /// vectors of out elements, each of a power of two of them, that shuffles of
  /// registers make of those of a block; 0 where they pass through memory.
  int transposedVectors;
  /// Whole vectors and equal blocks fill the tile: worth code of its own.
  bool regular;
  /// BroadcastBy::Shuffle is possible: within 128-bit lanes of a register. For
  /// operands of one row, whose loads would leave none for the vectors. It may
  /// be where the K steps of an iteration do not fill 16 bytes.
  bool canShuffle, mayShuffle;
  /// BroadcastBy::LoadAlone is possible: a float, or two whole bf16, for a
  /// whole vector of 64 bytes.
  bool canLoadAlone;
  /// BroadcastBy::Pair is possible: lanes of a load are elements of two rows by
  /// turns, and so are those of both rows' accumulators. The first has even
  /// lanes of the first row and odd ones of the second; of the other, whose
  /// vector has the lanes of each pair swapped, even ones are odd columns of
  /// the first row and odd ones even columns of the second.
  bool canPair;
  /// BroadcastBy::PairLoads is possible: no row is left over, and vectors are
  /// multiplied as they lie in memory. Even lanes of both accumulators are of
  /// the first row then, and odd ones of the second; the first has their even
  /// columns, each vector's even lanes having been loaded twice.
  bool canPairLoads;
  /// The row, or the other one, of two that share a load.
  bool pairsRow(const TilePlan &plan, int row) const {
    return isInPairs(plan.by) && (row | 1) < rowGroups;
  }
  /// Elements of the broadcast operand can be decoded as scalars, which a
  /// multiply takes then, and are, unless it is staged.
  bool hasScalars;
  bool decodesScalars() const { return hasScalars && !broadcast.staged; }
  /// The broadcasts of that many K steps come from one register then; else 1.
  int spreadSteps;
  /// plan.broadcastLoads may be 2 then.
  bool canLoadTwoLanes(const TilePlan &plan) const {
    return canShuffle && plan.unroll * chunkSize * bytesOf(compute) % 32 == 0;
  }
  /// BroadcastBy::Lane: registers are filled with the broadcast operand as it
  /// lies in memory, and the multiplies take its groups from their lanes (or,
  /// where idiom.rows is more than 1, take the registers themselves).
  bool byLanes;
  /// Several groups per row, which registers of the vector operand hold apart:
  /// chunk c of K0 has group c of each row.
  bool separates;
  /// Accumulators, without those of the corrections, of a full block.
  int accumulators(const TilePlan &plan) const {
    return rowGroups * vectors * plan.sets + plan.extra;
  }
  /// TilePlan::split is possible, and is so: even and odd elements lie in the
  /// low and the high half of bytes.
  bool canSplit, splits;
  /// Groups that registers have to hold apart, after that.
  int separateChunks() const { return splits ? chunks / 2 : chunks; }
  /// Each K step's products are made before the next one's, or LLVM would load
  /// what several multiply into registers that its accumulators need.
  bool stepsInOrder(const TilePlan &plan, const IsaInfo &isa) const {
    bool inRegisters = plan.lanes * accumulatorBytes >= 16; // assembly's
    return plan.sets > 1 && isa.vectorRegisters == 16 && regular &&
           inRegisters && accumulators(plan) > isa.vectorRegisters / 2;
  }
  /// The even elements are read and multiplied before the odd ones, for want of
  /// registers.
  bool partByPart(const TilePlan &plan) const {
    return splits && accumulators(plan) > 16;
  }
  /// Multiplies take two rows and the operand has one: a register of it holds
  /// two K steps, and of what it gives the sets keep either row, by turns.
  bool pairsSteps(const TilePlan &plan) const;
  /// Registers of the vector operand have two halves, and a K step may end with
  /// the low one: the next begins with the high one.
  bool takesHalves(const TilePlan &plan) const;
  /// Of two rows the second one.
  bool keepsSecondRow(const TilePlan &plan, int set) const {
    return pairsSteps(plan) && set / turns % 2 != 0;
  }
  /// Signed 4-bit elements that split are used times 16, which takes one
  /// instruction instead of a sign extension: the accumulators hold the sums
  /// times two to this power, of at most `scaledSteps` K steps at a time.
  int scaleBits, scaledSteps;
  /// Idiom::sumsInWords: that many K steps at a time are added up in 16 bits, a
  /// multiple of plan.unroll; 0 if they hold fewer than that. The sums are of
  /// one set.
  int wordSteps;
  bool unsignedWords;
  /// Sums of a full block.
  int sums(const TilePlan &plan) const {
    return sum == accumulator ? accumulators(plan) : rowGroups * vectors;
  }
  /// The vectors that several parts are taken of are loaded for each, for want
  /// of registers to keep them in beside the decoded ones.
  bool loadsEachPart;
  /// Or so that each part is a mask of what is loaded: their first part is the
  /// second one of what lies one element before, behind the first run of K
  /// steps.
  bool masksParts;
  /// TilePlan::sharesRuns: the first block of all that share vectors stores
  /// these as it decodes them, and the others load what it stored.
  bool passesVectors(const TilePlan &plan) const {
    return plan.sharesRuns && canPassVectors();
  }
  bool canPassVectors() const;
  /// Whether an iteration's steps fill vectors of the stage for StageAhead::
  /// Beside, and iterations the stage.
  bool canStageBeside(const TilePlan &plan, const IsaInfo &isa) const;
  /// Elements of the vector operand in a register that the multiplies take.
  int64_t vectorWidth;
  /// Whether the operands are of a kind that iterations can be decoded of.
  bool mayDecodeIterations(const TilePlan &plan) const;
  /// Vectors that are decoded ahead of the one that is multiplied where
  /// plan.decodeAhead is 1 and the multiplies take no lanes. With two or four
  /// s16s8 1x32x2 takes 1.05 of the time (Zen 4).
  static constexpr int kVectorsAhead = 3;
  /// Multiplies of a long iteration (Machine::fetchesByStride), and of one
  /// where registers are few or correct sums as well.
  static constexpr int kManyMultiplies = 48, kFewMultiplies = 32;
  /// Whether iterations are long, and what they leave has a loop of a step a
  /// set.
  bool iteratesLong(const TilePlan &plan, const IsaInfo &isa) const;
  /// Whether registers of plan.decodeAhead K steps can be decoded ahead.
  bool canDecodeAhead(const TilePlan &plan, const IsaInfo &isa) const;
  /// The operands of an iteration are decoded during the one before.
  bool decodesIterations(const TilePlan &plan) const {
    return plan.decodeAhead != 0 && plan.decodeAhead == plan.unroll;
  }
  /// Registers of two rows are told apart at once, others by halving.
  bool separable() const;

  int chunkValid(int chunk) const; ///< k0 of `chunk` that exist

private:
  int stepsOfCorrections(const TilePlan &plan, const IsaInfo &isa) const;
  bool canDecodeIterations(const TilePlan &plan, const IsaInfo &isa) const;
  bool canDecodeSteps(const TilePlan &plan, const IsaInfo &isa) const;
  bool canDecodeVectors(const TilePlan &plan, const IsaInfo &isa) const;
};

/// Of `left` out elements of a row, how many the next such vector has.
int transposedWidth(int left, int lanes);

/// Whether multiplies can take the groups of the broadcast operand from lanes.
bool namesLanes(const TilePlan &plan, const TileKey &key);

/// Whether the multiplies' operand is made of `operand` where it is read:
/// nothing is where it is staged.
bool isDecoded(const OperandShape &operand, ComputeType compute, int offset);

/// Whether an instruction or two decode a vector of elements of `type`.
bool isCheaplyDecoded(tw_element_type_t type);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_TILESHAPE_H
