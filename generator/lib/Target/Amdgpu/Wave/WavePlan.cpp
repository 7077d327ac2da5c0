// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/WavePlan.h"

#include "WaveTypes.h"
#include "tilewright/Support/PlanText.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Registers that a block may take of what a wave can have; the rest holds
/// addresses, predicates and the loads of the next fragments. On CDNA half of
/// the 512 leave a second wave its place.
int registerBudget(tw_isa_t isa) { return isRdna(isa) ? 192 : 224; }
constexpr int kAccumulatorBudget = 128;

StringRef valuName(WaveIdiom idiom) {
  switch (idiom) {
  case WaveIdiom::Matrix:
    return "matrix";
  case WaveIdiom::Fma:
    return "fma";
  case WaveIdiom::Dot4:
    return "dot4";
  case WaveIdiom::Dot2:
    return "dot2";
  case WaveIdiom::Mad:
    return "mad";
  }
  llvm_unreachable("all idioms are covered");
}

/// Why the idiom (and its instruction) cannot compute the key at all.
std::string whyIdiomUnfit(const WavePlan &plan, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  const MatrixInstruction *matrix = plan.instruction;
  if (matrix) {
    if (matrix->accumulator != types.accumulator)
      return "it accumulates in " +
             std::string(info(matrix->accumulator).name) + ", not " +
             std::string(info(types.accumulator).name);
    if (matrix->blocks > 1)
      return "it computes several small matrices at once";
    // Where gfx1250 has the scales and, of operands of different widths, the
    // same k, its documents do not say yet.
    if (matrix->call == MatrixCall::WMMA_SCALE)
      return "its scales are laid out in a way that is not published";
    if (matrix->call == MatrixCall::WMMA_FORMAT &&
        info(types.lhs).bits != info(types.rhs).bits)
      return "it takes operands of different widths in a way that is not "
             "published";
  }
  bool biasedLhs, biasedRhs;
  auto lhs =
      computeTypeOf(plan, key.isa, true, types.lhs, types.rhs, biasedLhs);
  auto rhs =
      computeTypeOf(plan, key.isa, false, types.rhs, types.lhs, biasedRhs);
  if (!lhs || !rhs)
    return "it does not take the types";
  if (matrix && !matrix->accepts(*lhs, *rhs))
    return "it does not take the types together";
  if (plan.idiom == WaveIdiom::Dot2 && isRdna(key.isa))
    return "the target has no dot product of 16-bit integers";
  if (plan.idiom == WaveIdiom::Dot4 && *lhs != *rhs && !isRdna(key.isa))
    return "the target has no dot product of signed and unsigned bytes";
  return {};
}

/// The candidates: every instruction of the target, and the idioms without.
std::vector<WavePlan> idiomsOf(const TileKey &key) {
  std::vector<WavePlan> result;
  for (const MatrixInstruction &instruction : matrixInstructions(key.isa)) {
    WavePlan plan;
    plan.idiom = WaveIdiom::Matrix;
    plan.instruction = &instruction;
    result.push_back(plan);
  }
  for (WaveIdiom idiom :
       {WaveIdiom::Dot4, WaveIdiom::Dot2, WaveIdiom::Fma, WaveIdiom::Mad}) {
    WavePlan plan;
    plan.idiom = idiom;
    result.push_back(plan);
  }
  erase_if(result, [&](const WavePlan &plan) {
    return !whyIdiomUnfit(plan, key).empty();
  });
  return result;
}

/// k that one multiplication takes of a lane.
int unitOf(const WavePlan &plan) {
  if (plan.instruction)
    return plan.instruction->lhsElements();
  return plan.idiom == WaveIdiom::Dot4   ? 4
         : plan.idiom == WaveIdiom::Dot2 ? 2
                                         : 1;
}

int groupsOf(const WavePlan &plan) {
  return plan.instruction ? plan.instruction->kGroups() : 1;
}

bool hasFormats(const WavePlan &plan) {
  return plan.instruction && plan.instruction->lhsTypes.size() > 2;
}

/// Fragment sizes worth a try: up to 16 bytes of each row at once, as long as
/// K0 fills them.
SmallVector<int> fragmentsOf(const WavePlan &plan, const TileKey &key) {
  int unit = unitOf(plan);
  if (key.blockScaled && !(plan.instruction && plan.instruction->isScaled()))
    return {kScaleBlock / groupsOf(plan)};
  SmallVector<int> result = {unit};
  if (hasFormats(plan))
    return result;
  const TypeTripleInfo &types = info(key.types);
  int bits = std::max(info(types.lhs).bits, info(types.rhs).bits);
  for (int f = 2 * unit; f * bits <= 128 && f * groupsOf(plan) <= key.k0;
       f *= 2)
    result.push_back(f);
  return result;
}

/// Ways to put the lanes over the rows and columns of a small or large tile.
void forLanes(WavePlan plan, const TileKey &key,
              function_ref<void(const WavePlan &)> use) {
  if (plan.instruction)
    return use(plan);
  int lanes = waveSize(key.isa);
  for (int m = 1; m <= lanes; m *= 2) {
    plan.lanesM = m;
    plan.lanesN = lanes / m;
    use(plan);
  }
}

/// The best block of an idiom whose other parts are chosen.
std::optional<WavePlan> bestBlock(WavePlan plan, const TileKey &key,
                                  int givenRows, int givenColumns,
                                  double &best) {
  std::optional<WavePlan> result;
  int subRows = plan.instruction ? plan.instruction->m : plan.lanesM;
  int subColumns = plan.instruction ? plan.instruction->n : plan.lanesN;
  int rows = divideCeil(key.m0, subRows),
      columns = divideCeil(key.n0, subColumns);
  auto sizes = [](int count, int given) {
    SmallVector<int> result;
    if (given)
      return SmallVector<int>{given};
    for (int size = 1; size <= std::min(count, 16); ++size)
      // Of all sizes that make as many blocks, the least.
      if (size == 1 || divideCeil(count, size) != divideCeil(count, size - 1))
        result.push_back(size);
    return result;
  };
  for (int m : sizes(rows, givenRows))
    for (int n : sizes(columns, givenColumns)) {
      plan.blockRows = m;
      plan.blockColumns = n;
      if (!whyWavePlanUnfit(plan, key).empty())
        continue;
      double cycles = estimateWaveCost(plan, key).cycles();
      if (!result || cycles < best) {
        result = plan;
        best = cycles;
      }
    }
  return result;
}

std::string nameOf(const WavePlan &plan) {
  return plan.instruction ? plan.instruction->intrinsic.str()
                          : valuName(plan.idiom).str();
}

std::string idiomNames(const TileKey &key) {
  std::string names;
  for (const WavePlan &plan : idiomsOf(key))
    names += (names.empty() ? "" : ", ") + nameOf(plan);
  return names;
}

/// Of WaveIdiom and the matrix instruction.
struct WaveIdiomField {
  using Members = Is<&WavePlan::idiom, &WavePlan::instruction>;
  StringLiteral name, meaning;

  std::string accepts() const {
    return "a matrix instruction's intrinsic, fma, dot4, dot2, mad";
  }
  std::string read(StringRef text, WavePlan &plan, const TileKey &key) const {
    for (const WavePlan &idiom : idiomsOf(key))
      if (nameOf(idiom) == text) {
        plan.idiom = idiom.idiom;
        plan.instruction = idiom.instruction;
        return "";
      }
    return ("no idiom '" + text + "' computes this key; expected one of ")
               .str() +
           idiomNames(key);
  }
  void print(raw_ostream &os, const WavePlan &plan) const {
    os << nameOf(plan);
  }
};

constexpr PlanWord<bool> kZeroOne[] = {{"0", false}, {"1", true}};

} // namespace

template <> struct PlanTable<WavePlan> {
  static constexpr auto fields() {
    using P = WavePlan;
    return std::tuple(
        WaveIdiomField{
            "idiom",
            "a matrix instruction of the table; or, where the target has none "
            "for the types, `fma` (f32, f64), `dot4` (bytes), `dot2` (16-bit "
            "integers), `mad` (32-bit integers), with out's elements shared "
            "among the lanes"},
        Pair<&P::lanesM, &P::lanesN>{
            "lanes",
            "how the lanes of the wave divide rows and columns; not for matrix "
            "instructions",
            1, 64},
        Pair<&P::blockRows, &P::blockColumns>{
            "block",
            "the register block: sub-tiles of the instruction, or elements "
            "that each lane owns. Larger tiles loop over blocks",
            1, 1024},
        Number<&P::fragment>{
            "fragment",
            "elements along k that a lane loads of each row at once: several "
            "instructions' worth where K0 allows 16 bytes",
            1, kMaxK0Gpu},
        Word<&P::ahead>{"ahead",
                        "the K loop loads the next fragments before it "
                        "multiplies the present ones",
                        kZeroOne});
  }
  static bool applies(const WavePlan &plan, StringRef field) {
    return field != "lanes" || !plan.instruction;
  }
};

std::string describeWavePlan() { return describePlanFields<WavePlan>(); }

Expected<WavePlan> planWave(const TileKey &key, StringRef overrides) {
  using P = WavePlan;
  Expected<GivenParts<WavePlan>> given =
      readPlanParts<WavePlan>(splitPlan(overrides), key);
  if (!given)
    return given.takeError();
  if (given->inFull()) {
    std::string why = whyWavePlanUnfit(given->plan, key);
    if (!why.empty())
      return createStringError("the plan '" + overrides +
                               "' does not fit: " + why);
    return given->plan;
  }
  std::optional<WavePlan> best;
  double bestCycles = 0;
  for (WavePlan idiom : idiomsOf(key)) {
    if (given->has<&P::idiom>() && nameOf(given->plan) != nameOf(idiom))
      continue;
    SmallVector<int> fragments = fragmentsOf(idiom, key);
    if (given->has<&P::fragment>())
      fragments = {given->plan.fragment};
    for (int fragment : fragments) {
      idiom.fragment = fragment;
      for (int ahead = 0; ahead <= 1; ++ahead) {
        // Of mad's additions LLVM makes v_add3_u32, and between the
        // boundaries of a span loaded ahead it computes all the products
        // first: registers for each of them.
        if (given->has<&P::ahead>() ? ahead != int(given->plan.ahead)
                                    : ahead && idiom.idiom == WaveIdiom::Mad)
          continue;
        idiom.ahead = ahead;
        forLanes(idiom, key, [&](const WavePlan &plan) {
          if (given->has<&P::lanesM>() && (plan.lanesM != given->plan.lanesM ||
                                           plan.lanesN != given->plan.lanesN))
            return;
          double cycles = 0;
          std::optional<WavePlan> block =
              bestBlock(plan, key, given->valueOr<&P::blockRows>(0),
                        given->valueOr<&P::blockColumns>(0), cycles);
          if (block && (!best || cycles < bestCycles)) {
            best = block;
            bestCycles = cycles;
          }
        });
      }
    }
  }
  if (best)
    return *best;
  return createStringError("no plan of this key has '" + overrides.str() +
                           "'; its idioms are " + idiomNames(key));
}

std::string printWavePlan(const WavePlan &plan) { return printPlan(plan); }

std::string whyWavePlanUnfit(const WavePlan &plan, const TileKey &key) {
  if (std::string why = whyIdiomUnfit(plan, key); !why.empty())
    return why;
  int unit = unitOf(plan);
  if (plan.fragment < unit || !isPowerOf2_32(plan.fragment) ||
      plan.fragment * groupsOf(plan) > kMaxK0Gpu ||
      (hasFormats(plan) && plan.fragment != unit))
    return "a fragment has " + std::to_string(unit) +
           " elements, or that times a power of two";
  if (!plan.instruction && (plan.lanesM * plan.lanesN != waveSize(key.isa) ||
                            !isPowerOf2_32(plan.lanesM)))
    return "the lanes are those of a wave";
  WaveShape shape(key, plan);
  if (plan.ahead && !shape.canLoadAhead)
    return "the K loop cannot load ahead";
  if (shape.scaledSums && shape.span != kScaleBlock)
    return "a span of k must be that of a block scale";
  if (shape.accumulatorRegisters > kAccumulatorBudget ||
      shape.registers > registerBudget(key.isa))
    return "the block does not fit the registers";
  return {};
}

} // namespace tilewright
