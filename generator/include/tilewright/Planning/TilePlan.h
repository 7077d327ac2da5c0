// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile plan: how one tile function computes its tile. Data, printable and
// overridable; no IR. The planner chooses it, tw-generate-tile-functions
// carries it out.

#ifndef TILEWRIGHT_PLANNING_TILEPLAN_H
#define TILEWRIGHT_PLANNING_TILEPLAN_H

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/Idiom.h"
#include "tilewright/Planning/ScalablePlan.h"
#include "tilewright/key.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright {

/// Which operands are decoded into a stack buffer, `stageSteps` K steps at a
/// time for each register block, before the multiplies read them.
enum class Staging : uint8_t {
  None,
  Broadcast,
  Vector,
  Both,
  /// The broadcast operand, in the order in which shifts and masks tell the
  /// 4-bit elements of the vector operand apart.
  Nibbles
};

/// Where the broadcast operand is summed up for idioms whose signs need an
/// offset (ByteRoles).
enum class SumsIn : uint8_t {
  Steps, ///< beside the multiplies of each register block
  Stage, ///< while a register block's rows of it are staged
  Pass   ///< before the register blocks, once for all that share its rows
};

/// How the multiplies get the groups of the broadcast operand.
enum class BroadcastBy : uint8_t {
  Load,      ///< each by a load that repeats it over a vector
  LoadAlone, ///< by one that is no shuffle besides, on any core
  Pair,      ///< of two rows by one load that repeats both (TileShape::canPair)
  PairLoads, ///< the same, of vectors that loads repeat lanes of, too
  Shuffle,   ///< several by shuffles of one register: of a single row
  Lane       ///< as lanes of registers that hold rows as memory does
};

/// Whether two rows share a load.
inline bool isInPairs(BroadcastBy by) {
  return by == BroadcastBy::Pair || by == BroadcastBy::PairLoads;
}

/// Whether the broadcast operand has two stages in turn, of which one is filled
/// before the steps of the other are multiplied, or in the loop that does so.
enum class StageAhead : uint8_t { No, Before, Beside };

/// One operand of the multiply, the *broadcast* operand, has each of its groups
/// repeated over a whole vector; the other, the *vector* operand, fills a
/// vector with `lanes / kLanes` of its rows, `kLanes` groups of k0 from each.
///
/// Printed as one line, "idiom=fma lanes=16 klanes=1 block=12x2 sets=1 unroll=1
/// broadcast=lhs by=load stage=none stagesteps=1 split=no decodeahead=0
/// loads=1x1 early=no order=mn ahead=2048 sums=steps": all that decides the
/// code of a key, so that the line alone gives it again. Of keys that round
/// each K step some have round=1x14 before order, those of x86-64 have
/// ends=pointer behind all, and those for cores that issue in order
/// schedule=full.
///
/// In a plan with scalable vectors, `lanes` counts those of the least length,
/// the broadcast operand is the lhs, and the register block of an outer product
/// is one of ZA tiles.
struct TilePlan {
  IdiomKind idiom = IdiomKind::Generic;
  /// Instead of `idiom` unless None.
  ScalableIdiom scalable = ScalableIdiom::None;
  /// Accumulator lanes per vector; a power of two.
  int lanes = 1;
  /// Lanes that hold partial sums of one out element, added up after the last
  /// K step; a power of two, at most `lanes`.
  int kLanes = 1;
  /// Register block: rows of the broadcast operand x vectors.
  int blockRows = 1, blockVectors = 1;
  /// Independent accumulator sets, which take K steps in turn.
  int sets = 1;
  /// Of one set: so many accumulators, the last ones of the block, have another
  /// one, which takes every second K step.
  int extra = 0;
  /// K steps per iteration of the K loop; a multiple of `sets`.
  int unroll = 1;
  /// The rhs is the broadcast operand and the lhs the vector operand.
  bool broadcastRhs = false;
  BroadcastBy by = BroadcastBy::Load;
  Staging staging = Staging::None;
  /// K steps that are staged at a time; 1 without staging.
  int stageSteps = 1;
  /// 4-bit elements stay in place: the groups take the even elements of each
  /// row first and then the odd ones, of both operands.
  bool split = false;
  /// K steps that operands are decoded before they are multiplied: 0, 1 within
  /// an iteration (TileShape::kVectorsAhead without lanes), or all of an
  /// iteration during the one before; of scalable vectors those that the rhs is
  /// loaded before, too, and the lhs an iteration.
  int decodeAhead = 0;
  /// Registers of the broadcast and of the vector operand that one instruction
  /// loads; of BroadcastBy::Lane. Of BroadcastBy::Shuffle 16 bytes of the
  /// broadcast operand, which repeat, or two times 16, to be taken apart.
  int broadcastLoads = 1, vectorLoads = 1;
  /// It loads the next ones of the vector operand while those before them are
  /// multiplied; single ones each after the last multiply of another, and none
  /// of them as one of a pair.
  bool loadsEarly = false;
  /// The loop over the tile's rows (M0) is the inner of the two block loops.
  bool rowsInner = false;
  /// Of a key that rounds each K step: multiplies of others between the last
  /// one of an accumulator and its rounding, 0 for all that are left in the
  /// step; and accumulators that stay in the out type between K steps.
  int roundBehind = 0, narrowSums = 0;
  /// Bytes behind what an iteration reads of the panels of operands that are
  /// not staged at which it prefetches as many; 0: nothing. Of several vectors
  /// a row of the register block, those at four times that go to L2 under
  /// TW_MMT4D_FLAG_RHS_FAR.
  int ahead = 0;
  /// Steps where nothing is summed up.
  SumsIn sums = SumsIn::Steps;
  /// Loops over K steps end where their pointer to the vector operand arrives;
  /// otherwise they count.
  bool endsByPointer = false;
  /// An iteration of a loop that stages an operand takes the K steps of four
  /// vectors, and what is left as few as fill one; otherwise only these. What a
  /// stage sums up is added up by vectors.
  bool stageRuns = false;
  StageAhead stageAhead = StageAhead::No;
  /// All register blocks take a run of stageSteps K steps, whose operands are
  /// staged once for them, before any takes the next one; their sums are in
  /// memory meanwhile. What the first blocks decode of the vector operand they
  /// store for those that follow (TileShape::passesVectors).
  bool sharesRuns = false;
  Schedule schedule = Schedule::Planned;

  bool operator==(const TilePlan &o) const;
  bool operator!=(const TilePlan &o) const { return !(*this == o); }
  bool roundsInTurn() const { return roundBehind != 0 || narrowSums != 0; }
  bool stagesBroadcast() const {
    return staging == Staging::Broadcast || staging == Staging::Both ||
           staging == Staging::Nibbles;
  }
  bool stagesBroadcastAlone() const {
    return stagesBroadcast() && staging != Staging::Both;
  }
  bool stagesAhead() const { return stageAhead != StageAhead::No; }
  bool stagesVector() const {
    return staging == Staging::Vector || staging == Staging::Both;
  }
};

/// The plan of `key`, which must be valid, with the parts that `overrides`
/// names (the syntax of printTilePlan, any subset) replaced; the planner
/// chooses the others to suit, and to suit the core that a part "core=<cpu>"
/// names. Overrides that are a plan in full are that plan: nothing is chosen.
/// Fails only on overrides that are malformed or do not fit.
llvm::Expected<TilePlan> planTile(const TileKey &key,
                                  llvm::StringRef overrides = "");

/// The plan of `key` that `text` has in full. Fails on any other text, also on
/// one that leaves the planner something to choose.
llvm::Expected<TilePlan> readTilePlan(const TileKey &key, llvm::StringRef text);

/// The overrides `parts` and, behind them, the core `cpu` if it is one of the
/// key's architecture. A name that is not known is refused where they are read.
std::string withCore(std::string parts, const TileKey &key,
                     llvm::StringRef cpu);

/// The core that planTile chooses for.
llvm::Expected<const CoreModel *> plannedCore(const TileKey &key,
                                              llvm::StringRef overrides);

/// planTile(key), then others that fit, cheapest first, also of idioms that the
/// planner would not have looked at; after each the same with twice its unroll.
/// At most `count` in all, no two alike. Of a key with scalable sizes the first
/// alone. For a `core` that lets LLVM choose an order, each as the planner has
/// it there, and behind the first the same in other orders.
llvm::Expected<std::vector<TilePlan>>
planCandidates(const TileKey &key, unsigned count,
               const CoreModel *core = nullptr);

std::string printTilePlan(const TilePlan &plan);

/// The parts of a plan as rows of a table in Markdown: name, values, meaning.
std::string describeTilePlan();

/// Why `plan` cannot carry out `key`; empty if it can.
std::string whyPlanUnfit(const TilePlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_TILEPLAN_H
