// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Amdgpu/WavePlan.h"

#include "WaveTypes.h"
#include "tilewright/Amdgpu/CodeObject.h"
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

/// What `overrides` gives.
struct Given {
  std::string idiom;
  int lanesM = 0, lanesN = 0, rows = 0, columns = 0, fragment = 0;
  int ahead = -1;
};

bool parsePair(StringRef text, int &first, int &second) {
  auto [a, b] = text.split('x');
  return !a.getAsInteger(10, first) && !b.getAsInteger(10, second) &&
         first > 0 && second > 0;
}

Expected<Given> parse(StringRef text) {
  Given given;
  SmallVector<StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    bool good = false;
    if (name == "idiom")
      good = !value.empty();
    else if (name == "lanes")
      good = parsePair(value, given.lanesM, given.lanesN);
    else if (name == "block")
      good = parsePair(value, given.rows, given.columns);
    else if (name == "fragment")
      good = !value.getAsInteger(10, given.fragment) && given.fragment > 0;
    else if (name == "ahead")
      good = !value.getAsInteger(10, given.ahead) && given.ahead >= 0 &&
             given.ahead <= 1;
    if (!good)
      return createStringError(
          "plan part '" + part.str() +
          "': expected idiom=<name>, block=<m>x<n>, "
          "fragment=<elements>, ahead=<0|1> or, for idioms that are no "
          "matrix instruction, lanes=<m>x<n>");
    if (name == "idiom")
      given.idiom = value.str();
  }
  return given;
}

std::string nameOf(const WavePlan &plan) {
  return plan.instruction ? plan.instruction->intrinsic.str()
                          : valuName(plan.idiom).str();
}

} // namespace

Expected<WavePlan> planWave(const TileKey &key, StringRef overrides) {
  Expected<Given> given = parse(overrides);
  if (!given)
    return given.takeError();
  std::optional<WavePlan> best;
  double bestCycles = 0;
  for (WavePlan idiom : idiomsOf(key)) {
    if (!given->idiom.empty() && given->idiom != nameOf(idiom))
      continue;
    SmallVector<int> fragments = fragmentsOf(idiom, key);
    if (given->fragment)
      fragments = {given->fragment};
    for (int fragment : fragments) {
      idiom.fragment = fragment;
      for (int ahead = 0; ahead <= 1; ++ahead) {
        // Of mad's additions LLVM makes v_add3_u32, and between the
        // boundaries of a span loaded ahead it computes all the products
        // first: registers for each of them.
        if (given->ahead >= 0 ? ahead != given->ahead
                              : ahead && idiom.idiom == WaveIdiom::Mad)
          continue;
        idiom.ahead = ahead;
        forLanes(idiom, key, [&](const WavePlan &plan) {
          if (given->lanesM &&
              (plan.lanesM != given->lanesM || plan.lanesN != given->lanesN))
            return;
          double cycles = 0;
          std::optional<WavePlan> block =
              bestBlock(plan, key, given->rows, given->columns, cycles);
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
  std::string names;
  for (const WavePlan &plan : idiomsOf(key))
    names += (names.empty() ? "" : ", ") + nameOf(plan);
  return createStringError("no plan of this key has '" + overrides.str() +
                           "'; its idioms are " + names);
}

std::string printWavePlan(const WavePlan &plan) {
  std::string text = "idiom=" + nameOf(plan);
  if (!plan.instruction)
    text += formatv(" lanes={0}x{1}", plan.lanesM, plan.lanesN).str();
  return text + formatv(" block={0}x{1} fragment={2} ahead={3}", plan.blockRows,
                        plan.blockColumns, plan.fragment, int(plan.ahead))
                    .str();
}

std::string whyWavePlanUnfit(const WavePlan &plan, const TileKey &key) {
  if (std::string why = whyIdiomUnfit(plan, key); !why.empty())
    return why;
  int unit = unitOf(plan);
  if (plan.fragment < unit || !isPowerOf2_32(plan.fragment) ||
      plan.fragment * groupsOf(plan) > kMaxK0Amdgpu ||
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
