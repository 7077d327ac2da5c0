// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tile plans as text, and whether a plan can carry out a key.

#include "tilewright/Planning/TilePlan.h"
#include "PlanOverrides.h"
#include "ShapedPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kStagings[] = {"none", "broadcast", "vector",
                                             "both", "nibbles"};

llvm::Error bad(llvm::StringRef part, const llvm::Twine &why) {
  return llvm::createStringError("plan override '%s': %s", part.str().c_str(),
                                 why.str().c_str());
}

llvm::Expected<int> parseNumber(llvm::StringRef part, llvm::StringRef text,
                                int least, int most) {
  int value = 0;
  if (text.getAsInteger(10, value) || value < least || value > most)
    return bad(part, "'" + text + "' is not a number in " + llvm::Twine(least) +
                         ".." + llvm::Twine(most));
  return value;
}

llvm::Error parseInto(llvm::StringRef part, llvm::StringRef text,
                      std::optional<int> &into, int least = 1,
                      int most = 1024) {
  llvm::Expected<int> value = parseNumber(part, text, least, most);
  if (!value)
    return value.takeError();
  into = *value;
  return llvm::Error::success();
}

} // namespace

bool TilePlan::operator==(const TilePlan &o) const {
  auto tie = [](const TilePlan &p) {
    return std::tie(p.idiom, p.scalable, p.lanes, p.kLanes, p.blockRows,
                    p.blockVectors, p.sets, p.unroll, p.broadcastRhs, p.staging,
                    p.stageSteps, p.rowsInner, p.ahead);
  };
  return tie(*this) == tie(o);
}

std::string printTilePlan(const TilePlan &p) {
  llvm::StringRef idiomName = p.scalable == ScalableIdiom::None
                                  ? idiom(p.idiom).name
                                  : info(p.scalable).name;
  return llvm::formatv(
             "idiom={0} lanes={1} klanes={2} block={3}x{4} sets={5} "
             "unroll={6} broadcast={7} stage={8} stagesteps={9} order={10} "
             "ahead={11}",
             idiomName, p.lanes, p.kLanes, p.blockRows, p.blockVectors, p.sets,
             p.unroll, p.broadcastRhs ? "rhs" : "lhs",
             kStagings[static_cast<int>(p.staging)], p.stageSteps,
             p.rowsInner ? "nm" : "mn", p.ahead)
      .str();
}

llvm::Expected<PlanOverrides> parsePlanOverrides(llvm::StringRef text) {
  PlanOverrides o;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(text, parts, " ,\t");
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    llvm::Error error = llvm::Error::success();
    llvm::cantFail(std::move(error));
    if (name == "idiom") {
      const Idiom *found = findIdiom(value);
      if (const ScalableIdiomInfo *scalable = findScalableIdiom(value)) {
        o.scalable = scalable->idiom;
        continue;
      }
      if (!found) {
        std::string names = llvm::join(
            llvm::map_range(idioms(), [](const Idiom &i) { return i.name; }),
            ", ");
        for (const ScalableIdiomInfo &i : scalableIdioms())
          names += ", " + i.name.str();
        return bad(part, "no idiom '" + value + "'; expected one of " + names);
      }
      o.idiom = found->kind;
    } else if (name == "block") {
      auto [rows, vectors] = value.split('x');
      if (llvm::Error e = parseInto(part, rows, o.blockRows))
        return std::move(e);
      if (llvm::Error e = parseInto(part, vectors, o.blockVectors))
        return std::move(e);
    } else if (std::optional<int> *number =
                   llvm::StringSwitch<std::optional<int> *>(name)
                       .Case("lanes", &o.lanes)
                       .Case("klanes", &o.kLanes)
                       .Case("sets", &o.sets)
                       .Case("unroll", &o.unroll)
                       .Case("stagesteps", &o.stageSteps)
                       .Default(nullptr)) {
      if (llvm::Error e = parseInto(part, value, *number))
        return std::move(e);
    } else if (name == "ahead") {
      if (llvm::Error e = parseInto(part, value, o.ahead, 0, 1 << 16))
        return std::move(e);
    } else if (name == "broadcast") {
      if (value != "lhs" && value != "rhs")
        return bad(part, "expected 'lhs' or 'rhs'");
      o.broadcastRhs = value == "rhs";
    } else if (name == "order") {
      if (value != "mn" && value != "nm")
        return bad(part, "expected 'mn' (rows outside) or 'nm'");
      o.rowsInner = value == "nm";
    } else if (name == "stage") {
      const auto *found = llvm::find(kStagings, value);
      if (found == std::end(kStagings))
        return bad(part, "expected none, broadcast, vector, both or nibbles");
      o.staging = static_cast<Staging>(found - kStagings);
    } else if (name == "core") {
      llvm::Expected<const CoreModel *> core = findCore(value);
      if (!core)
        return bad(part, llvm::toString(core.takeError()));
      o.core = *core;
    } else {
      return bad(part, "no part '" + name +
                           "'; a plan's parts are idiom, lanes, klanes, block, "
                           "sets, unroll, broadcast, stage, stagesteps, order, "
                           "ahead; "
                           "core is what they are chosen for");
    }
  }
  return o;
}

/// Stack that the stages of one kernel may take.
constexpr int64_t kMaxStageBytes = 64 * 1024;

int64_t stageBytes(const TilePlan &plan, const TileKey &key) {
  return plan.scalable != ScalableIdiom::None
             ? 0
             : stageBytes(plan, key, TileShape(key, plan));
}

int64_t stageBytes(const TilePlan &plan, const TileKey &key,
                   const TileShape &shape) {
  int64_t parts = shape.broadcast.inParts ? idiom(plan.idiom).parts : 1;
  int64_t rows =
      (shape.broadcast.staged ? parts * shape.broadcastBlocks.size : 0) +
      (shape.vector.staged ? shape.vectorBlocks.size : 0);
  int64_t pitch = shape.rowPitch + (shape.padded ? key.k0 : 0);
  return rows * pitch * plan.stageSteps * bytesOf(shape.compute);
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
  if (!narrow || info(key.isa).has("neon"))
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

std::string whyLanesUnfit(const TilePlan &plan, const TileKey &key) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  const IsaInfo &isa = info(key.isa);
  int laneBits = info(accumulatorOf(idiom, key)).bits;
  if (!llvm::isPowerOf2_32(plan.lanes) ||
      plan.lanes * laneBits > isa.vectorBits || plan.lanes < idiom.minLanes)
    return llvm::formatv("lanes={0} is not a power of two in {1}..{2}",
                         plan.lanes, idiom.minLanes, isa.vectorBits / laneBits)
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
  if (plan.scalable != ScalableIdiom::None)
    return whyScalablePlanUnfit(plan, key);
  std::string why = whyIdiomUnfit(tilewright::idiom(plan.idiom), key);
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
  if (shape.roundsPerStep && (plan.sets != 1 || plan.broadcastRhs))
    return "steprnd needs sets=1 broadcast=lhs";
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
    if (shape.decodesAhead)
      return "ahead needs operands that are not decoded an iteration ahead";
  }
  if (int64_t bytes = stageBytes(plan, key, shape); bytes > kMaxStageBytes)
    return llvm::formatv("the stages take {0} bytes of stack; at most {1} fit",
                         bytes, kMaxStageBytes)
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
  int available = info(key.isa).vectorRegisters;
  int registers = registersNeeded(plan, key, shape);
  if (registers > available && !smallest)
    return llvm::formatv("the block needs {0} vector registers of {1}",
                         registers, available)
        .str();
  return {};
}

} // namespace tilewright
