// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tile plans as text, and whether a plan can carry out a key.

#include "tilewright/Planning/TilePlan.h"
#include "Planner.h"
#include "ShapedPlan.h"
#include "tilewright/Planning/PlanOverrides.h"
#include "tilewright/Planning/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

namespace tilewright {
namespace {

llvm::SmallVector<llvm::StringRef> idiomNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Target *target : targets())
    for (const Idiom &idiom : target->idioms())
      if (!llvm::is_contained(names, idiom.name))
        names.push_back(idiom.name);
  for (const ScalableIdiomInfo &idiom : scalableIdioms())
    names.push_back(idiom.name);
  return names;
}

} // namespace

std::string IdiomField::accepts() const {
  return listOfWords(idiomNames(), ", ");
}

std::string IdiomField::read(llvm::StringRef text, TilePlan &plan,
                             const TileKey &key) const {
  if (const Idiom *found = findIdiom(text, info(key.isa))) {
    plan.idiom = found->kind;
    plan.scalable = ScalableIdiom::None;
  } else if (const ScalableIdiomInfo *scalable = findScalableIdiom(text)) {
    plan.scalable = scalable->idiom;
  } else {
    llvm::SmallVector<llvm::StringRef> names;
    for (const Idiom &idiom : targetOf(info(key.isa)).idioms())
      names.push_back(idiom.name);
    if (info(key.isa).scaling != TW_SCALING_NONE)
      for (const ScalableIdiomInfo &idiom : scalableIdioms())
        names.push_back(idiom.name);
    return ("no idiom '" + text + "' for " + info(key.isa).name.data() +
            "; expected one of " + listOfWords(names, ", "))
        .str();
  }
  return "";
}

void IdiomField::print(llvm::raw_ostream &os, const TilePlan &plan) const {
  os << (plan.scalable == ScalableIdiom::None
             ? tilewright::idiom(plan.idiom).name
             : info(plan.scalable).name);
}

bool TilePlan::operator==(const TilePlan &o) const {
  return samePlans(*this, o);
}

std::string printTilePlan(const TilePlan &plan) { return printPlan(plan); }

std::string describeTilePlan() { return describePlanFields<TilePlan>(); }

llvm::Expected<PlanOverrides> parsePlanOverrides(llvm::StringRef text,
                                                 const TileKey &key) {
  PlanOverrides o;
  llvm::SmallVector<llvm::StringRef> parts;
  for (llvm::StringRef part : splitPlan(text)) {
    auto [name, value] = part.split('=');
    if (name != "core") {
      parts.push_back(part);
      continue;
    }
    llvm::Expected<const CoreModel *> core = findCore(value);
    if (!core)
      return badPlanPart(part, llvm::toString(core.takeError()));
    o.core = *core;
  }
  llvm::Expected<GivenParts<TilePlan>> given =
      readPlanParts<TilePlan>(parts, key);
  if (!given)
    return given.takeError();
  static_cast<GivenParts<TilePlan> &>(o) = *given;
  return o;
}

/// Stack that the stages of one kernel may take, and sums that wait beside
/// them.
constexpr int64_t kMaxStageBytes = 64 * 1024;

int64_t stageBytes(const TilePlan &plan, const TileKey &key) {
  return plan.scalable != ScalableIdiom::None
             ? 0
             : stageBytes(plan, key, TileShape(key, plan));
}

int64_t stageBytes(const TilePlan &plan, const TileKey &key,
                   const TileShape &shape) {
  int64_t parts = shape.broadcast.inParts ? idiom(plan.idiom).parts : 1;
  if (plan.stagesAhead())
    parts *= 2;
  auto rowsOf = [&](const OperandShape &operand, const Blocking &blocks) {
    return plan.sharesRuns ? operand.rows : blocks.size;
  };
  int64_t rows = (shape.broadcast.staged
                      ? parts * rowsOf(shape.broadcast, shape.broadcastBlocks)
                      : 0) +
                 (shape.vector.staged || shape.passesVectors(plan)
                      ? rowsOf(shape.vector, shape.vectorBlocks)
                      : 0);
  int64_t pitch = shape.rowPitch + (shape.padded ? key.k0 : 0);
  return rows * pitch * plan.stageSteps * bytesOf(shape.compute);
}

/// Stack that the sums of all blocks take between runs (TilePlan::sharesRuns).
static int64_t waitingBytes(const TilePlan &plan, const TileShape &shape) {
  if (!plan.sharesRuns)
    return 0;
  int64_t vectors = shape.sums(plan) + shape.correctionVectors;
  return vectors * plan.lanes * shape.sumBytes * shape.broadcastBlocks.count *
         shape.vectorBlocks.count;
}

static std::string whyOperandUnfit(const OperandShape &operand,
                                   const TileShape &shape, const char *side,
                                   int blockRows, int k0) {
  auto text = [&](const char *format) {
    return llvm::formatv(format, side, operand.rowPeriod, operand.bits).str();
  };
  if (blockRows < operand.rows && blockRows % operand.rowPeriod != 0)
    return text("blocks of the {0} operand must be a multiple of {1} rows, to "
                "start at whole bytes");
  if (operand.staged || operand.bits >= 8)
    return {};
  if (operand.bits != 4)
    return text("the {2}-bit {0} operand must be staged");
  if (k0 % 2 != 0 || (shape.chunkSize % 2 != 0 && !shape.byLanes))
    return text("the 4-bit {0} operand must be staged: its rows or chunks do "
                "not start at whole bytes");
  return {};
}

static std::string whyNibblesUnfit(const TileShape &shape, const Idiom &idiom,
                                   const TileKey &key) {
  if (shape.vector.bits != 4)
    return llvm::formatv("stage=nibbles needs a vector operand of 4-bit "
                         "elements, not of {0} bits",
                         shape.vector.bits)
        .str();
  bool narrow =
      shape.compute == ComputeType::I8 || shape.compute == ComputeType::S16;
  if (!narrow || !machineOf(info(key.isa)).partsNibbles)
    return llvm::formatv("stage=nibbles needs an idiom of bytes or words of "
                         "x86_64, not '{0}' on {1}",
                         idiom.name, info(key.isa).name)
        .str();
  if (key.k0 % shape.chunkSize != 0)
    return llvm::formatv("stage=nibbles needs rows of whole lanes of {0} "
                         "elements that fill klanes: K0={1} is not a multiple "
                         "of {2}",
                         kNibbles, key.k0, shape.chunkSize)
        .str();
  return {};
}

/// Of how far ahead operands are decoded, and loaded.
static std::string whyReadingUnfit(const TilePlan &plan, const TileKey &key,
                                   const TileShape &shape) {
  if (plan.decodeAhead != 0 && !shape.canDecodeAhead(plan, info(key.isa)))
    return llvm::formatv("decodeahead={0} needs by=lane, or a single row of "
                         "64-byte vectors whose products are added apart, "
                         "operands that are decoded, and registers for both; 1 "
                         "or all of unroll={1}",
                         plan.decodeAhead, plan.unroll)
        .str();
  if (plan.by == BroadcastBy::Lane)
    return {};
  if (plan.vectorLoads != 1 || plan.loadsEarly)
    return "loads=1x1 early=no is all there is without by=lane, but for the "
           "first one of by=shuffle";
  if (plan.broadcastLoads != 1 &&
      (plan.by != BroadcastBy::Shuffle || plan.broadcastLoads != 2 ||
       !shape.canLoadTwoLanes(plan)))
    return "the broadcast operand's loads=2 needs by=shuffle and 32 bytes of "
           "it in an iteration";
  return {};
}

/// Of where the broadcast operand is summed up.
static std::string whySumsUnfit(const TilePlan &plan, const TileKey &key,
                                const TileShape &shape) {
  if (plan.sums == SumsIn::Steps)
    return {};
  const char *name = plan.sums == SumsIn::Stage ? "stage" : "pass";
  if (shape.roles.offset == 0)
    return llvm::formatv("sums={0} needs an idiom that takes no two operands "
                         "of these signs; '{1}' does",
                         name, idiom(plan.idiom).name)
        .str();
  if (shape.padded)
    return llvm::formatv("sums={0} needs rows that fill their lanes; those of "
                         "{1} elements are padded for klanes={2}",
                         name, key.k0, plan.kLanes)
        .str();
  if (plan.sums == SumsIn::Stage && !shape.broadcast.staged)
    return "sums=stage needs a broadcast operand that is staged";
  if (plan.sums == SumsIn::Pass && shape.broadcast.scalable)
    return "sums=pass needs a broadcast operand of a known number of rows";
  return {};
}

bool mayHaveExtra(const TilePlan &plan, const TileShape &shape,
                  const IsaInfo &isa) {
  int bits = 8 * plan.lanes * shape.accumulatorBytes;
  return machineOf(isa).hasExtra && bits >= 128 && bits <= isa.vectorBits &&
         plan.sets == 1 && shape.turns == 1 && !shape.byLanes &&
         !shape.roundsPerStep && shape.sum == shape.accumulator &&
         shape.scaleBits == 0 && !shape.decodesIterations(plan);
}

static std::string whyExtraUnfit(const TilePlan &plan, const TileShape &shape,
                                 const IsaInfo &isa) {
  if (plan.extra == 0)
    return {};
  if (!mayHaveExtra(plan, shape, isa))
    return "extra needs x86-64, accumulators of 128 bits or more in one "
           "register, sets=1, one group of K0 a step, no by=lane, and sums "
           "that are neither rounded each step, scaled, of 16 bits, nor "
           "decoded for an iteration ahead";
  int block = shape.rowGroups * shape.vectors;
  if (plan.unroll % 2 == 0 && plan.extra <= block)
    return {};
  return llvm::formatv("extra={0} needs an even unroll, not {1}, and at most "
                       "the {2} accumulators of a block",
                       plan.extra, plan.unroll, block)
      .str();
}

std::string whyStagesAheadUnfit(const TilePlan &plan, const TileShape &shape,
                                const IsaInfo &isa) {
  if (!plan.stagesBroadcastAlone())
    return "stageahead needs the broadcast operand staged, and it alone";
  if (plan.sharesRuns || plan.sums == SumsIn::Stage || shape.scaleBits != 0)
    return "stageahead needs runs of one block, sums=steps or sums=pass, and "
           "sums that are not scaled";
  if (plan.stageAhead == StageAhead::Beside && !shape.canStageBeside(plan, isa))
    return llvm::formatv(
        "stageahead=beside needs equal blocks of the broadcast operand, whose "
        "elements an instruction or two decode and of which unroll={0} steps "
        "are whole vectors, a stagesteps={1} that is a multiple of that, and "
        "neither sums of 16 bits nor operands decoded for an iteration",
        plan.unroll, plan.stageSteps);
  return {};
}

/// Of TilePlan::sharesRuns.
static std::string whyRunsUnfit(const TilePlan &plan, const TileShape &shape) {
  if (!plan.sharesRuns)
    return {};
  if (plan.staging == Staging::None)
    return "runs=tile needs an operand that is staged";
  if (shape.broadcastBlocks.count * shape.vectorBlocks.count == 1)
    return llvm::formatv("runs=tile needs several register blocks; "
                         "block={0}x{1} is the whole tile",
                         plan.blockRows, plan.blockVectors)
        .str();
  if (shape.broadcast.scalable || shape.vector.scalable)
    return "runs=tile needs operands of a known number of rows";
  if (plan.by == BroadcastBy::Lane)
    return "runs=tile needs broadcasts that come from memory, not by=lane";
  if (plan.sums == SumsIn::Stage)
    return "runs=tile needs sums=steps or sums=pass";
  return {};
}

std::string whyLanesUnfit(const TilePlan &plan, const TileKey &key) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  const IsaInfo &isa = info(key.isa);
  int laneBits = info(accumulatorOf(idiom, key)).bits;
  if (!llvm::isPowerOf2_32(plan.lanes) ||
      plan.lanes * laneBits > widestVectorBits(isa) ||
      plan.lanes < idiom.minLanes)
    return llvm::formatv("lanes={0} is not a power of two in {1}..{2}",
                         plan.lanes, idiom.minLanes,
                         widestVectorBits(isa) / laneBits)
        .str();
  if (!llvm::isPowerOf2_32(plan.kLanes) || plan.kLanes > plan.lanes)
    return llvm::formatv("klanes={0} is not a power of two in 1..{1}",
                         plan.kLanes, plan.lanes)
        .str();
  if (plan.kLanes > 1 && (idiom.rows > 1 || idiom.halves != Halves::None))
    return llvm::formatv("idiom '{0}' needs klanes=1", idiom.name).str();
  return {};
}

std::string whyPlanUnfit(const TilePlan &plan, const TileKey &key) {
  std::string why = whyScheduleUnfit(plan.schedule, info(key.isa));
  if (!why.empty())
    return why;
  if (plan.scalable != ScalableIdiom::None)
    return whyScalablePlanUnfit(plan, key);
  why = whyIdiomUnfit(plan.idiom, key);
  if (why.empty())
    why = whyLanesUnfit(plan, key);
  return why.empty() ? whyPlanUnfit(plan, key, TileShape(key, plan)) : why;
}

std::string whyPlanUnfit(const TilePlan &plan, const TileKey &key,
                         const TileShape &shape) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  std::string why;
  if (shape.nibbles)
    why = whyNibblesUnfit(shape, idiom, key);
  if (!why.empty())
    return why;
  if (plan.by == BroadcastBy::Lane && !namesLanes(plan, key))
    return llvm::formatv("by=lane needs multiplies that name lanes and "
                         "klanes=1, not klanes={0} on {1}",
                         plan.kLanes, info(key.isa).name)
        .str();
  if (plan.by != BroadcastBy::Lane &&
      (idiom.rows > 1 || idiom.halves != Halves::None))
    return llvm::formatv("idiom '{0}' needs by=lane", idiom.name).str();
  if (plan.by == BroadcastBy::Shuffle && !shape.canShuffle)
    return "by=shuffle needs one row whose groups of 4 or 8 bytes fill "
           "registers of 16 in an iteration, and vectors of 32 bytes or more";
  if (plan.by == BroadcastBy::Pair && !shape.canPair)
    return "by=pair needs x86-64 with AVX2, two rows or more in a block, whose "
           "elements are no others where they are multiplied, or are staged, "
           "one group of K0 a step, klanes=1, one part a multiply, and sums "
           "that are neither rounded each step nor of 16 bits";
  if (plan.by == BroadcastBy::PairLoads && !shape.canPairLoads)
    return "by=pairloads needs what by=pair does, AVX-512, groups of 4 bytes, "
           "vectors of 64 in place, whose elements are no others where they "
           "are multiplied, and blocks of an even number of rows that fill the "
           "tile";
  if (plan.by == BroadcastBy::LoadAlone && !shape.canLoadAlone)
    return "by=loadalone needs AVX-512, vectors of 64 bytes, and a broadcast "
           "operand of f32 in memory, as such or staged";
  if (plan.split && !shape.canSplit)
    return "split=yes needs by=lane, an operand of 4-bit integers in place, "
           "and "
           "an even number of groups in a row";
  if (plan.split != shape.canSplit)
    return "split=no cannot tell the 4-bit elements of a row apart";
  if (!shape.separable())
    return llvm::formatv("klanes=1 cannot tell the {0} groups of a row apart",
                         shape.groups)
        .str();
  if (!shape.separates && shape.chunks > 1 && plan.kLanes != plan.lanes)
    return llvm::formatv("klanes={0} is less than the {1} groups of a row and "
                         "than lanes={2}",
                         plan.kLanes, shape.groups, plan.lanes)
        .str();
  if (plan.sets > plan.unroll * shape.turns)
    return llvm::formatv("sets={0} exceeds the {1} steps of one iteration",
                         plan.sets, plan.unroll * shape.turns)
        .str();
  if (idiom.sumsInWords && shape.wordSteps == 0)
    return llvm::formatv("16 bits hold the sums of {0} K steps, fewer than "
                         "unroll={1}",
                         productsInWords(info(key.types)) / key.k0, plan.unroll)
        .str();
  if (why = whyExtraUnfit(plan, shape, info(key.isa)); !why.empty())
    return why;
  if (shape.roundsPerStep && (plan.sets != 1 || plan.broadcastRhs))
    return "steprnd needs sets=1 broadcast=lhs";
  if (why = whyRoundingUnfit(plan, shape.sumsInTurn(plan)); !why.empty())
    return why;
  if (shape.padded && plan.staging != Staging::Both)
    return llvm::formatv("rows of {0} elements do not fill the lanes of "
                         "klanes={1}: both operands must be staged",
                         key.k0, plan.kLanes)
        .str();
  if (plan.staging == Staging::None && plan.stageSteps != 1)
    return "stagesteps needs a staged operand";
  if (plan.ahead != 0) {
    if (shape.broadcast.staged && shape.vector.staged)
      return "ahead needs an operand that is not staged";
    if (shape.broadcastBlocks.count * shape.vectorBlocks.count > 1)
      return llvm::formatv("ahead needs one register block; block={0}x{1} "
                           "makes {2}, each of which would ask for the same",
                           plan.blockRows, plan.blockVectors,
                           shape.broadcastBlocks.count *
                               shape.vectorBlocks.count)
          .str();
    if (shape.decodesIterations(plan))
      return "ahead needs operands that are not decoded an iteration ahead";
  }
  if (why = whyReadingUnfit(plan, key, shape); !why.empty())
    return why;
  if (why = whySumsUnfit(plan, key, shape); !why.empty())
    return why;
  if (why = whyRunsUnfit(plan, shape); !why.empty())
    return why;
  if (plan.stagesAhead())
    why = whyStagesAheadUnfit(plan, shape, info(key.isa));
  if (!why.empty())
    return why;
  if (plan.stageRuns && plan.staging == Staging::None)
    return "stageloop=vectors needs an operand that is staged";
  if (plan.endsByPointer && shape.vector.scalable)
    return "ends=pointer needs a vector operand of a known number of rows";
  if (plan.endsByPointer && shape.decodesIterations(plan))
    return llvm::formatv("decodeahead={0} needs ends=counter", plan.decodeAhead)
        .str();
  int64_t waiting = waitingBytes(plan, shape);
  if (int64_t bytes = stageBytes(plan, key, shape) + waiting;
      bytes > kMaxStageBytes)
    return llvm::formatv("the stages{2} take {0} bytes of stack; at most {1} "
                         "fit",
                         bytes, kMaxStageBytes, waiting ? " and sums" : "")
        .str();
  if (shape.roles.offset != 0 && !shape.padded && key.k0 % shape.group != 0)
    return llvm::formatv("idiom '{0}' with two operands of one signedness "
                         "needs K0 % {1} == 0",
                         idiom.name, shape.group)
        .str();
  why = whyOperandUnfit(shape.broadcast, shape, "broadcast",
                        shape.broadcastBlocks.size, key.k0);
  if (why.empty())
    why = whyOperandUnfit(shape.vector, shape, "vector",
                          shape.vectorBlocks.size, key.k0);
  if (!why.empty())
    return why;
  // A block that cannot be smaller, for its rows do not start at whole bytes,
  // may spill.
  bool smallest = plan.blockRows <= shape.broadcast.rowPeriod &&
                  plan.blockVectors * shape.vectorRows <=
                      std::max(shape.vectorRows, shape.vector.rowPeriod) &&
                  plan.sets == 1;
  int available =
      vectorsInRegisters(info(key.isa), plan.lanes * shape.accumulatorBytes);
  int registers = registersNeeded(plan, key, shape);
  if (registers > available && !smallest)
    return llvm::formatv("the block needs {0} vector registers of {1}",
                         registers, available)
        .str();
  return {};
}

} // namespace tilewright
