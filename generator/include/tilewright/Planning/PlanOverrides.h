// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PLANNING_PLANOVERRIDES_H
#define TILEWRIGHT_PLANNING_PLANOVERRIDES_H

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Support/PlanText.h"
#include <optional>

namespace tilewright {

/// Of ScalableIdiom and IdiomKind, which print as one part.
struct IdiomField {
  using Members = Is<&TilePlan::idiom, &TilePlan::scalable>;
  llvm::StringLiteral name, meaning;

  std::string accepts() const;
  std::string read(llvm::StringRef text, TilePlan &plan, const TileKey &) const;
  void print(llvm::raw_ostream &os, const TilePlan &plan) const;
};

inline constexpr PlanWord<bool> kNoYes[] = {{"no", false}, {"yes", true}};
inline constexpr PlanWord<bool> kOperands[] = {{"lhs", false}, {"rhs", true}};
inline constexpr PlanWord<bool> kOrders[] = {{"mn", false}, {"nm", true}};
inline constexpr PlanWord<BroadcastBy> kBroadcastBy[] = {
    {"load", BroadcastBy::Load},       {"loadalone", BroadcastBy::LoadAlone},
    {"pair", BroadcastBy::Pair},       {"pairloads", BroadcastBy::PairLoads},
    {"shuffle", BroadcastBy::Shuffle}, {"lane", BroadcastBy::Lane}};
inline constexpr PlanWord<Staging> kStagings[] = {
    {"none", Staging::None},
    {"broadcast", Staging::Broadcast},
    {"vector", Staging::Vector},
    {"both", Staging::Both},
    {"nibbles", Staging::Nibbles}};
inline constexpr PlanWord<bool> kEnds[] = {{"counter", false},
                                           {"pointer", true}};
inline constexpr PlanWord<bool> kStageLoops[] = {{"vector", false},
                                                 {"vectors", true}};
inline constexpr PlanWord<StageAhead> kStageAhead[] = {
    {"no", StageAhead::No},
    {"yes", StageAhead::Before},
    {"beside", StageAhead::Beside}};
inline constexpr PlanWord<bool> kRuns[] = {{"block", false}, {"tile", true}};
inline constexpr PlanWord<SumsIn> kSumsIn[] = {
    {"steps", SumsIn::Steps}, {"stage", SumsIn::Stage}, {"pass", SumsIn::Pass}};
inline constexpr PlanWord<Schedule> kScheduleWords[] = {
    {"planned", Schedule::Planned},
    {"late", Schedule::Late},
    {"full", Schedule::Full}};

template <> struct PlanTable<TilePlan> {
  static constexpr auto fields() {
    using P = TilePlan;
    return std::tuple(
        IdiomField{"idiom",
                   "the instruction of the multiply-accumulate, one of the "
                   "key's target (`generator/lib/Target`)"},
        Number<&P::lanes>{"lanes", "accumulator lanes of one vector", 1, 1024},
        Number<&P::kLanes>{
            "klanes",
            "lanes that hold partial sums of one out element; added up once, "
            "after the last K step",
            1, 1024},
        Pair<&P::blockRows, &P::blockVectors>{
            "block", "register block: rows of the broadcast operand x vectors",
            1, 1024},
        Number<&P::sets>{"sets",
                         "independent accumulator sets that take K steps (or "
                         "chunks of one) in turn, to cover latency",
                         1, 1024},
        Number<&P::unroll>{"unroll", "K steps per iteration", 1, 1024},
        Word<&P::broadcastRhs>{
            "broadcast",
            "which operand is repeated over vectors; the other one, the vector "
            "operand, is loaded as vectors",
            kOperands},
        Word<&P::by>{
            "by",
            "how: each group by a load (or one that is no shuffle besides), "
            "those of two rows by one load, with neighbouring lanes of the "
            "vector swapped for every second row, or with its even lanes, and "
            "then its odd ones, loaded twice, several of a single row by "
            "shuffles of "
            "one register, or none, for multiplies name lanes of registers "
            "that hold rows as memory does",
            kBroadcastBy},
        Word<&P::staging>{
            "stage",
            "operands that are decoded into a stack buffer before the "
            "multiplies read them; `nibbles` is the broadcast one, in another "
            "order",
            kStagings},
        Number<&P::stageSteps>{"stagesteps",
                               "K steps that are staged at a time", 1, 1024},
        Word<&P::split>{
            "split",
            "operands of 4 bits stay in place, and the even elements of each "
            "row are taken before the odd ones, in both operands",
            kNoYes},
        Number<&P::decodeAhead>{
            "decodeahead",
            "K steps that operands are decoded before they are multiplied: 1 "
            "within an iteration (three vectors, without `by=lane`), or all of "
            "`unroll` during the one before; of "
            "scalable vectors those that the rhs is loaded before, too, a "
            "divisor of `unroll`, and the lhs an iteration",
            0, 1024},
        Pair<&P::broadcastLoads, &P::vectorLoads>{
            "loads",
            "registers of the broadcast operand x of the vector operand that "
            "one instruction loads, with `by=lane`; with `by=shuffle` 16 bytes "
            "of the broadcast operand, which a load repeats over a register, "
            "or twice as many, which shuffles take apart; else 1x1",
            1, 4},
        Word<&P::loadsEarly>{
            "early",
            "such an instruction loads the vector operand's next registers "
            "while those before them are multiplied; if each loads one, it "
            "comes when another has done its last multiply, and no two are "
            "made a pair",
            kNoYes},
        Pair<&P::roundBehind, &P::narrowSums>{
            "round",
            "of a key that rounds each K step: how many other accumulators "
            "are multiplied before one is rounded, 0 for all that are left in "
            "the step, x how many stay in the out type from one step to the "
            "next, each widened as many before its turn as do not; 0x0 is all "
            "there is where the multiplies round, or take no lanes",
            0, 1024},
        Word<&P::rowsInner>{
            "order",
            "block loops: `mn` has the rows of the out tile outside, `nm` "
            "inside",
            kOrders},
        Number<&P::ahead>{
            "ahead",
            "how many bytes ahead an iteration prefetches what it reads of the "
            "panels of operands that are not staged, if that is a cache line "
            "at least; 0: nothing. Where a row of the register block has "
            "several vectors, what lies four times as far ahead of the rhs is "
            "fetched into L2 besides, if the caller says that the rhs is far. "
            "For plans of one block",
            0, 1 << 16},
        Word<&P::sums>{
            "sums",
            "where the broadcast operand is summed up, for an instruction that "
            "takes no two operands of the key's signs: in the K steps of each "
            "block, while it is staged, or before the blocks, once for all "
            "that share its rows; `steps` where nothing is",
            kSumsIn},
        Word<&P::endsByPointer>{
            "ends",
            "what says that a loop over K steps has ended: a counter, if there "
            "is no such part, or the pointer to the vector operand, whose "
            "number of rows is known then",
            kEnds},
        Word<&P::stageRuns>{
            "stageloop",
            "what an iteration that stages takes: as few K steps as fill a "
            "vector, if there is no such part, or those of four vectors first; "
            "what is summed up meanwhile is added up by vectors then",
            kStageLoops},
        Word<&P::stageAhead>{
            "stageahead",
            "the broadcast operand has two stages in turn, and one is filled "
            "before the steps of the other are multiplied, or `beside` these, "
            "in their loop: what they read was "
            "stored long ago. One, if there is no such part",
            kStageAhead},
        Word<&P::sharesRuns>{
            "runs",
            "what takes the K steps that are staged at a time before the next "
            "ones are: a register block, for itself, if there is no such part, "
            "or all blocks of the tile, whose sums are in memory meanwhile; "
            "vectors that the first one decodes are stored for the others",
            kRuns},
        Number<&P::extra>{
            "extra",
            "accumulators, the last ones of the block, that have another one, "
            "which takes every second K step; none, if there is no such part. "
            "Where registers do not hold two sets, and one is just long enough "
            "for the latency, the others' chains have less to wait for",
            0, 1024},
        Word<&P::schedule>{
            "schedule",
            "who orders the instructions: the plan, if there is no such part, "
            "or LLVM, for a core that issues in order: once they have "
            "registers, or before and afterwards",
            kScheduleWords});
  }
  static bool applies(const TilePlan &plan, llvm::StringRef field) {
    return field == "round"        ? plan.roundsInTurn()
           : field == "ends"       ? plan.endsByPointer
           : field == "stageloop"  ? plan.stageRuns
           : field == "stageahead" ? plan.stagesAhead()
           : field == "runs"       ? plan.sharesRuns
           : field == "extra"      ? plan.extra != 0
           : field == "schedule"   ? plan.schedule != Schedule::Planned
                                   : true;
  }
};

/// The parts of a plan that the user fixes.
struct PlanOverrides : GivenParts<TilePlan> {
  /// The core that the other parts are chosen for; null for the usual one.
  const CoreModel *core = nullptr;

  std::optional<IdiomKind> idiom() const {
    if (has<&TilePlan::idiom>() && plan.scalable == ScalableIdiom::None)
      return plan.idiom;
    return std::nullopt;
  }
  /// Instead of `idiom`.
  std::optional<ScalableIdiom> scalable() const {
    if (has<&TilePlan::idiom>() && plan.scalable != ScalableIdiom::None)
      return plan.scalable;
    return std::nullopt;
  }
};

llvm::Expected<PlanOverrides> parsePlanOverrides(llvm::StringRef text,
                                                 const TileKey &key);

/// The plan with scalable vectors, if one of their idioms computes `key` and
/// `overrides` do not ask for another kind of plan.
llvm::Expected<std::optional<TilePlan>> planScalable(const TileKey &key,
                                                     const PlanOverrides &o);

/// TilePlan::roundBehind and narrowSums, unless they are given; of a block with
/// `sums` that can be rounded in turn, 0 if they cannot.
void chooseRounding(TilePlan &plan, const TileKey &key, int sums,
                    const PlanOverrides &overrides);
std::string whyRoundingUnfit(const TilePlan &plan, int sums);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_PLANOVERRIDES_H
