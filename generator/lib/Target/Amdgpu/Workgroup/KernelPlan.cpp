// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing, printing and overriding plans.

#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "tilewright/Support/PlanText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace tilewright {

namespace {

/// Whether `instruction` can multiply the key's operands: its rows are columns
/// of out.
bool multiplies(const MatrixInstruction &instruction, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  return instruction.accepts(types.rhs, types.lhs) &&
         instruction.accumulator == types.accumulator;
}

struct InstructionField {
  using Members = Is<&KernelPlan::instruction>;
  llvm::StringLiteral name, meaning;

  std::string accepts() const { return "an intrinsic of the target"; }
  std::string read(StringRef text, KernelPlan &plan, const TileKey &key) const {
    for (const MatrixInstruction &i : matrixInstructions(key.isa))
      if (i.intrinsic == text && multiplies(i, key)) {
        plan.instruction = &i;
        return "";
      }
    return ("the target has no instruction '" + text + "' for these types")
        .str();
  }
  void print(llvm::raw_ostream &os, const KernelPlan &plan) const {
    os << plan.instruction->intrinsic;
  }
};

constexpr PlanWord<KernelForm> kForms[] = {
    {"simple", KernelForm::Simple}, {"pipelined", KernelForm::Pipelined}};
constexpr PlanWord<bool> kReads[] = {{"registers", false}, {"direct", true}};
constexpr PlanWord<bool> kOffOn[] = {{"off", false}, {"on", true}};
constexpr PlanWord<bool> kPaddings[] = {{"offsets", false}, {"select", true}};
constexpr PlanWord<StageBoundaries> kBoundaries[] = {
    {"read+compute", {true, true, false}},
    {"read", {true, false, false}},
    {"compute", {false, true, false}},
    {"relaxed", {true, true, true}},
    {"none", {false, false, false}}};
constexpr int kMost = 1024;

} // namespace

template <> struct PlanTable<KernelPlan> {
  static constexpr auto fields() {
    using P = KernelPlan;
    return std::tuple(
        Word<&P::form>{"form",
                       "waves call the tile for tiles of their own, or compute "
                       "one large tile, staged through LDS; the simple form "
                       "has `waves` and nothing else",
                       kForms},
        InstructionField{"instruction", "which matrix instruction"},
        Pair<&P::wavesM, &P::wavesN>{"waves", "waves along M x along N", 1,
                                     kMost},
        Pair<&P::tilesM, &P::tilesN>{
            "tiles", "tiles M0 x N0 of a workgroup, along M x along N", 1,
            kMost},
        Number<&P::kSteps>{"ksteps", "K steps of one iteration", 1, kMost},
        Number<&P::stages>{"stages",
                           "iterations in flight, 2 or 3: READ runs one or two "
                           "ahead of COMPUTE",
                           1, kMost},
        Number<&P::buffers>{"buffers",
                            "buffers of LDS, at most 4. With one, a barrier "
                            "stands on both sides of WRITE; with more, one "
                            "barrier per iteration",
                            1, kMost},
        Word<&P::direct>{
            "reads",
            "`direct` loads into LDS without registers: 4 bytes per lane on "
            "gfx90a and gfx942, 16 on gfx950; needs as many buffers as stages",
            kReads},
        Word<&P::boundaries>{"boundaries",
                             "after which stages the scheduler is stopped; "
                             "`relaxed`: arithmetic may cross both",
                             kBoundaries},
        Number<&P::interleave>{"interleave",
                               "so many matrix instructions after each read "
                               "from LDS (`sched_group_barrier`); 0 leaves the "
                               "order within COMPUTE to the scheduler",
                               0, kMost},
        NumberOrNone<&P::priority>{
            "priority", "of the wave during COMPUTE, 1 to 3 (`s_setprio`)", 0,
            kMost},
        Word<&P::skew>{"skew",
                       "half of the waves runs a stage behind the other half, "
                       "which meet at each boundary",
                       kOffOn},
        Word<&P::padsByArithmetic>{"padding",
                                   "zeros beyond the edges by the buffers' "
                                   "bounds, or by arithmetic in WRITE",
                                   kPaddings});
  }
  static bool applies(const KernelPlan &plan, StringRef field) {
    return plan.form == KernelForm::Pipelined || field == "form" ||
           field == "waves";
  }
};

std::string describeKernelPlan() { return describePlanFields<KernelPlan>(); }

namespace {

using Overrides = GivenParts<KernelPlan>;
using P = KernelPlan;

/// The parts that are not searched over.
KernelPlan withFixedParts(const Overrides &o) {
  KernelPlan plan;
  plan.form = KernelForm::Pipelined;
  plan.direct = o.valueOr<&P::direct>(false);
  plan.stages = o.valueOr<&P::stages>(2);
  plan.skew = o.valueOr<&P::skew>(false);
  plan.padsByArithmetic = o.valueOr<&P::padsByArithmetic>(false);
  plan.buffers = o.valueOr<&P::buffers>(plan.direct ? plan.stages
                                        : plan.skew ? 2
                                                    : 1);
  plan.boundaries = o.valueOr<&P::boundaries>(StageBoundaries());
  plan.interleave = o.valueOr<&P::interleave>(0);
  plan.priority = o.valueOr<&P::priority>(std::nullopt);
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
    if (!multiplies(i, key))
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
          for (int k = 1; k <= std::max(last, o.valueOr<&P::kSteps>(1));
               k += k) {
            plan.kSteps = o.valueOr<&P::kSteps>(k);
            if (o.agreesWith(plan) && whyKernelPlanUnfit(plan, key).empty())
              consider(plan);
          }
        }
  }
}

/// Why no plan fits, from the one that the user probably means.
Error whyNone(const TileKey &key, const Overrides &o) {
  KernelPlan plan = withFixedParts(o);
  plan.instruction = o.plan.instruction;
  for (const MatrixInstruction &i : matrixInstructions(key.isa))
    if (!plan.instruction && multiplies(i, key))
      plan.instruction = &i;
  plan.wavesM = o.valueOr<&P::wavesM>(2);
  plan.wavesN = o.valueOr<&P::wavesN>(2);
  plan.tilesM = o.valueOr<&P::tilesM>(llvm::divideCeil(128, key.m0));
  plan.tilesN = o.valueOr<&P::tilesN>(llvm::divideCeil(128, key.n0));
  plan.kSteps = o.valueOr<&P::kSteps>(1);
  std::string why = whyKernelPlanUnfit(plan, key);
  return createStringError(
      "plan: " + (why.empty() ? "no pipelined plan has these parts" : why));
}

} // namespace

Expected<KernelPlan> planKernel(const TileKey &key, StringRef overrides) {
  Expected<Overrides> o = readPlanParts<KernelPlan>(splitPlan(overrides), key);
  if (!o)
    return o.takeError();
  bool isSimple = o->has<&P::form>() && o->plan.form == KernelForm::Simple;
  if (o->inFull() && !isSimple) {
    if (std::string why = whyKernelPlanUnfit(o->plan, key); !why.empty())
      return createStringError("plan: " + why);
    return o->plan;
  }
  std::optional<KernelPlan> best;
  double bestCost = 0;
  if (!isSimple)
    enumerate(key, *o, [&](const KernelPlan &plan) {
      double cost = estimateKernelCost(plan, key).perMac();
      if (!best || cost < bestCost * 0.999) {
        best = plan;
        bestCost = cost;
      }
    });
  if (best)
    return *best;
  bool pipelinedWanted = o->has<&P::form>() || o->has<&P::direct>() ||
                         o->has<&P::stages>() || o->has<&P::buffers>() ||
                         o->has<&P::kSteps>() || o->has<&P::tilesM>() ||
                         o->has<&P::instruction>();
  if (pipelinedWanted && !isSimple)
    return whyNone(key, *o);
  KernelPlan simple;
  simple.wavesM = o->valueOr<&P::wavesM>(1);
  simple.wavesN = o->valueOr<&P::wavesN>(4);
  simple.tilesM = simple.wavesM;
  simple.tilesN = simple.wavesN;
  if (std::string why = whyKernelPlanUnfit(simple, key); !why.empty())
    return createStringError("plan: " + why);
  if (o->valueOr<&P::tilesM>(simple.tilesM) != simple.tilesM ||
      o->valueOr<&P::tilesN>(simple.tilesN) != simple.tilesN)
    return createStringError("plan: the simple form has one tile per wave");
  return simple;
}

std::string printKernelPlan(const KernelPlan &plan) { return printPlan(plan); }

} // namespace tilewright
