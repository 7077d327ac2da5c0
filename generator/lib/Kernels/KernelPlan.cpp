// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing, printing and overriding plans.

#include "tilewright/Kernels/KernelPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace tilewright {

namespace {

/// Parts of a plan that the user fixes.
struct Overrides {
  std::optional<KernelForm> form;
  std::string instruction;
  std::optional<int> wavesM, wavesN, tilesM, tilesN, kSteps, stages, buffers,
      interleave;
  std::optional<bool> direct, skew, padsByArithmetic;
  std::optional<StageBoundaries> boundaries;
  std::optional<std::optional<int>> priority;

  bool matches(const KernelPlan &plan) const {
    auto is = [](const auto &wanted, const auto &value) {
      return !wanted || *wanted == value;
    };
    return is(form, plan.form) && is(wavesM, plan.wavesM) &&
           is(wavesN, plan.wavesN) && is(tilesM, plan.tilesM) &&
           is(tilesN, plan.tilesN) && is(kSteps, plan.kSteps) &&
           (instruction.empty() || !plan.instruction ||
            plan.instruction->intrinsic == instruction);
  }
};

Error badValue(StringRef part, StringRef expected) {
  return createStringError("plan: '" + part + "': expected " + expected);
}

Error parseInteger(StringRef part, StringRef value, std::optional<int> &into) {
  int number;
  if (value.getAsInteger(10, number) || number < 0)
    return badValue(part, "a number");
  into = number;
  return Error::success();
}

Error parsePair(StringRef part, StringRef value, std::optional<int> &first,
                std::optional<int> &second) {
  auto [a, b] = value.split('x');
  int m, n;
  if (a.getAsInteger(10, m) || b.getAsInteger(10, n))
    return badValue(part, "<along M>x<along N>");
  first = m;
  second = n;
  return Error::success();
}

Error parseBoundaries(StringRef part, StringRef value, Overrides &o) {
  StageBoundaries boundaries{false, false, false};
  if (value == "relaxed")
    boundaries = {true, true, true};
  else if (value == "read+compute")
    boundaries = {true, true, false};
  else if (value == "read")
    boundaries.afterRead = true;
  else if (value == "compute")
    boundaries.afterCompute = true;
  else if (value != "none")
    return badValue(part, "read+compute, read, compute, relaxed or none");
  o.boundaries = boundaries;
  return Error::success();
}

Error parseWord(StringRef part, StringRef value, StringRef no, StringRef yes,
                std::optional<bool> &into) {
  if (value != no && value != yes)
    return badValue(part, (no + " or " + yes).str());
  into = value == yes;
  return Error::success();
}

Error parsePart(StringRef part, Overrides &o) {
  auto [name, value] = part.split('=');
  if (name == "form") {
    std::optional<bool> pipelined;
    if (Error error = parseWord(part, value, "simple", "pipelined", pipelined))
      return error;
    o.form = *pipelined ? KernelForm::Pipelined : KernelForm::Simple;
    return Error::success();
  }
  if (name == "instruction") {
    o.instruction = value.str();
    return Error::success();
  }
  if (name == "waves")
    return parsePair(part, value, o.wavesM, o.wavesN);
  if (name == "tiles")
    return parsePair(part, value, o.tilesM, o.tilesN);
  if (name == "ksteps")
    return parseInteger(part, value, o.kSteps);
  if (name == "stages")
    return parseInteger(part, value, o.stages);
  if (name == "buffers")
    return parseInteger(part, value, o.buffers);
  if (name == "interleave")
    return parseInteger(part, value, o.interleave);
  if (name == "reads")
    return parseWord(part, value, "registers", "direct", o.direct);
  if (name == "skew")
    return parseWord(part, value, "off", "on", o.skew);
  if (name == "padding")
    return parseWord(part, value, "offsets", "select", o.padsByArithmetic);
  if (name == "boundaries")
    return parseBoundaries(part, value, o);
  if (name == "priority") {
    std::optional<int> number;
    if (value != "none")
      if (Error error = parseInteger(part, value, number))
        return error;
    o.priority = number;
    return Error::success();
  }
  return createStringError(
      "plan: there is no part '" + name +
      "'; expected form, instruction, waves, tiles, ksteps, stages, buffers, "
      "reads, boundaries, interleave, priority, skew or padding");
}

Expected<Overrides> parseOverrides(StringRef text) {
  Overrides o;
  llvm::SmallVector<StringRef> parts;
  llvm::SplitString(text, parts, " ,\t");
  for (StringRef part : parts)
    if (Error error = parsePart(part, o))
      return std::move(error);
  return o;
}

/// The parts that are not searched over.
KernelPlan withFixedParts(const Overrides &o) {
  KernelPlan plan;
  plan.form = KernelForm::Pipelined;
  plan.direct = o.direct.value_or(false);
  plan.stages = o.stages.value_or(2);
  plan.skew = o.skew.value_or(false);
  plan.padsByArithmetic = o.padsByArithmetic.value_or(false);
  plan.buffers = o.buffers.value_or(plan.direct ? plan.stages
                                    : plan.skew ? 2
                                                : 1);
  plan.boundaries = o.boundaries.value_or(StageBoundaries());
  plan.interleave = o.interleave.value_or(0);
  plan.priority = o.priority.value_or(std::nullopt);
  return plan;
}

/// Bytes of a row that one iteration takes: enough matrix instructions to hide
/// what is not one, and not more LDS than that needs.
constexpr int kMaxIterationRowBytes = 256;
/// Rows and columns of a workgroup.
constexpr int kMaxBlock = 256;

/// Calls `consider` for all plans that fit.
void enumerate(const TileKey &key, const Overrides &o,
               llvm::function_ref<void(const KernelPlan &)> consider) {
  const TypeTripleInfo &types = info(key.types);
  int rowBits = key.k0 * info(types.lhs).bits;
  KernelPlan plan = withFixedParts(o);
  for (const MatrixInstruction &i : matrixInstructions(key.isa)) {
    if (!i.accepts(types.rhs, types.lhs) || i.accumulator != types.accumulator)
      continue;
    plan.instruction = &i;
    for (auto [wavesM, wavesN] : {std::pair(1, 1),
                                  {1, 2},
                                  {2, 1},
                                  {2, 2},
                                  {1, 4},
                                  {4, 1},
                                  {2, 4},
                                  {4, 2}})
      for (int m = wavesM * i.n; m <= std::max(kMaxBlock, key.m0); m += i.n)
        for (int n = wavesN * i.m; n <= std::max(kMaxBlock, key.n0); n += i.m) {
          if (m % key.m0 || n % key.n0 || m % (wavesM * i.n) ||
              n % (wavesN * i.m))
            continue;
          plan.wavesM = wavesM;
          plan.wavesN = wavesN;
          plan.tilesM = m / key.m0;
          plan.tilesN = n / key.n0;
          int last = std::max(kMaxIterationRowBytes * 8 / rowBits, 1);
          for (int k = 1; k <= std::max(last, o.kSteps.value_or(1)); k += k) {
            plan.kSteps = o.kSteps.value_or(k);
            if (o.matches(plan) && whyKernelPlanUnfit(plan, key).empty())
              consider(plan);
          }
        }
  }
}

/// Why no plan fits, from the one that the user probably means.
Error whyNone(const TileKey &key, const Overrides &o) {
  const TypeTripleInfo &types = info(key.types);
  KernelPlan plan = withFixedParts(o);
  for (const MatrixInstruction &i : matrixInstructions(key.isa))
    if (i.accepts(types.rhs, types.lhs) && i.accumulator == types.accumulator &&
        (o.instruction.empty() || o.instruction == i.intrinsic)) {
      plan.instruction = &i;
      break;
    }
  if (!o.instruction.empty() && !plan.instruction)
    return createStringError("plan: the target has no instruction '" +
                             o.instruction + "' for these types");
  plan.wavesM = o.wavesM.value_or(2);
  plan.wavesN = o.wavesN.value_or(2);
  plan.tilesM = o.tilesM.value_or(llvm::divideCeil(128, key.m0));
  plan.tilesN = o.tilesN.value_or(llvm::divideCeil(128, key.n0));
  plan.kSteps = o.kSteps.value_or(1);
  std::string why = whyKernelPlanUnfit(plan, key);
  return createStringError(
      "plan: " + (why.empty() ? "no pipelined plan has these parts" : why));
}

} // namespace

Expected<KernelPlan> planKernel(const TileKey &key, StringRef overrides) {
  Expected<Overrides> o = parseOverrides(overrides);
  if (!o)
    return o.takeError();
  std::optional<KernelPlan> best;
  double bestCost = 0;
  if (o->form != KernelForm::Simple)
    enumerate(key, *o, [&](const KernelPlan &plan) {
      double cost = estimateKernelCost(plan, key).perMac();
      if (!best || cost < bestCost * 0.999) {
        best = plan;
        bestCost = cost;
      }
    });
  if (best)
    return *best;
  bool pipelinedWanted = o->form == KernelForm::Pipelined || o->direct ||
                         o->stages || o->buffers || o->kSteps || o->tilesM ||
                         !o->instruction.empty();
  if (pipelinedWanted && o->form != KernelForm::Simple)
    return whyNone(key, *o);
  KernelPlan simple;
  simple.wavesM = o->wavesM.value_or(1);
  simple.wavesN = o->wavesN.value_or(o->wavesM ? 1 : 4);
  simple.tilesM = simple.wavesM;
  simple.tilesN = simple.wavesN;
  if (std::string why = whyKernelPlanUnfit(simple, key); !why.empty())
    return createStringError("plan: " + why);
  if ((o->tilesM && *o->tilesM != simple.tilesM) ||
      (o->tilesN && *o->tilesN != simple.tilesN))
    return createStringError("plan: the simple form has one tile per wave");
  return simple;
}

std::string printKernelPlan(const KernelPlan &p) {
  if (p.form == KernelForm::Simple)
    return llvm::formatv("form=simple waves={0}x{1}", p.wavesM, p.wavesN);
  const char *boundaries =
      p.boundaries.relaxed ? "relaxed"
      : p.boundaries.afterRead
          ? (p.boundaries.afterCompute ? "read+compute" : "read")
          : (p.boundaries.afterCompute ? "compute" : "none");
  return llvm::formatv(
      "form=pipelined instruction={0} waves={1}x{2} tiles={3}x{4} ksteps={5} "
      "stages={6} buffers={7} reads={8} boundaries={9} interleave={10} "
      "priority={11} skew={12} padding={13}",
      p.instruction->intrinsic, p.wavesM, p.wavesN, p.tilesM, p.tilesN,
      p.kSteps, p.stages, p.buffers, p.direct ? "direct" : "registers",
      boundaries, p.interleave,
      p.priority ? std::to_string(*p.priority) : "none", p.skew ? "on" : "off",
      p.padsByArithmetic ? "select" : "offsets");
}

} // namespace tilewright
