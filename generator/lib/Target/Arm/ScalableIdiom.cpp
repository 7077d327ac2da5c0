// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/ScalablePlan.h"
#include "ukernels/core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

namespace tilewright {
namespace {

/// Containers per row that one load takes apart (ld1 to ld4).
constexpr int kMostChunks = 4;

constexpr ScalableIdiomInfo kIdioms[] = {
    // clang-format off
    {ScalableIdiom::SmeOuter, "sme-mopa", {TW_INSTRUCTION_FMOPA_SME, TW_INSTRUCTION_FMOPA_F16_SME, TW_INSTRUCTION_BFMOPA_SME, TW_INSTRUCTION_SMOPA_SME, TW_INSTRUCTION_SMOPA_S16_SME}},
    {ScalableIdiom::SveMatrix, "sve-mmla", {TW_INSTRUCTION_SMMLA_SVE, TW_INSTRUCTION_BFMMLA_SVE}},
    {ScalableIdiom::SveDot, "sve-dot", {TW_INSTRUCTION_SDOT_SVE, TW_INSTRUCTION_BFDOT_SVE, TW_INSTRUCTION_SDOT_S16_SVE}},
    {ScalableIdiom::SveWiden, "sve-mlal", {TW_INSTRUCTION_FMLAL_SVE, TW_INSTRUCTION_BFMLAL_SVE, TW_INSTRUCTION_SMLAL_SVE}},
    {ScalableIdiom::SveFmaHalf, "sve-fmlah", {TW_INSTRUCTION_FMLA_F16_SVE}},
    {ScalableIdiom::SveFma, "sve-fmla", {TW_INSTRUCTION_FMLA_SVE, TW_INSTRUCTION_FMLA_F64_SVE}},
    {ScalableIdiom::SveMla, "sve-mla", {TW_INSTRUCTION_MLA_SVE}},
    // clang-format on
};

/// The row of what `idiom` multiplies `types` by; null if it does not.
const tw_instruction_row_t *instructionOf(ScalableIdiom idiom,
                                          const TypeTripleInfo &types) {
  unsigned operands = operandsOf(types);
  if (idiom == ScalableIdiom::SveFmaHalf && types.out == TW_ELEMENT_F16)
    operands = TW_OPERANDS_F16_STEPS;
  for (tw_instruction_t instruction : info(idiom).instructions)
    if (kInstructions[instruction].operands & operands)
      return &kInstructions[instruction];
  return nullptr;
}

bool has(const IsaInfo &isa, const tw_instruction_row_t &instruction) {
  return isa.implies(info(instruction.isa));
}

bool isFloat(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT;
}
bool isSigned(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_SIGNED;
}
bool isByte(tw_element_type_t type) {
  return !isFloat(type) && info(type).bits == 8;
}
bool both(const TypeTripleInfo &types, tw_element_type_t type) {
  return types.lhs == type && types.rhs == type;
}

/// An integer of 8 or 16 bits whose values fit s16, one of them s16.
bool areWords(const TypeTripleInfo &types) {
  auto fits = [](tw_element_type_t type) {
    return isByte(type) || type == TW_ELEMENT_S16;
  };
  return fits(types.lhs) && fits(types.rhs) &&
         (types.lhs == TW_ELEMENT_S16 || types.rhs == TW_ELEMENT_S16);
}

/// Rows of K0 elements are whole containers, as few as one load takes apart.
bool fills(int k0, int bits, int containerBits) {
  return k0 * bits % containerBits == 0 &&
         k0 * bits / containerBits <= kMostChunks;
}

/// Rows of 8 bytes by rows of 8 nibbles, which are 4 bytes.
bool areBytesByNibbles(const TypeTripleInfo &types, int k0) {
  return isByte(types.lhs) && info(types.rhs).bits == 4 &&
         !isFloat(types.rhs) && k0 == 8;
}

/// Whether rows of K0 elements are whole containers of the instruction's
/// groups, or so short that they are one, padded.
bool fillsGroups(const tw_instruction_row_t &instruction,
                 const TypeTripleInfo &types, int k0) {
  int bits = info(types.lhs).bits;
  return k0 <= instruction.k / 2 || fills(k0, bits, instruction.k * bits);
}

bool fitsSme(const tw_instruction_row_t &instruction,
             const TypeTripleInfo &types, int k0) {
  bool bytes = isByte(types.lhs) && isByte(types.rhs);
  bool whole = info(types.lhs).bits * instruction.k == 32;
  return whole && (bytes || types.lhs == types.rhs) &&
         fillsGroups(instruction, types, k0);
}

bool fitsSve(ScalableIdiom idiom, const tw_instruction_row_t &instruction,
             const TypeTripleInfo &types, const IsaInfo &isa, int k0) {
  bool bytes = isByte(types.lhs) && isByte(types.rhs);
  bool floats = isFloat(types.lhs) && isFloat(types.rhs);
  bool takesSigns = isSigned(types.lhs) == isSigned(types.rhs) ||
                    has(isa, kInstructions[TW_INSTRUCTION_USDOT_SVE]);
  switch (idiom) {
  case ScalableIdiom::SveMatrix:
    return (bytes || floats) && k0 == instruction.k;
  case ScalableIdiom::SveDot:
    if (floats)
      return fills(k0, 16, 16 * instruction.k);
    // The values of u4 are the same read as signed bytes.
    if (areBytesByNibbles(types, k0))
      return takesSigns || types.rhs == TW_ELEMENT_U4;
    if (areWords(types))
      return both(types, TW_ELEMENT_S16)
                 ? fillsGroups(instruction, types, k0) && k0 > 1
                 : k0 == instruction.k;
    return bytes && takesSigns && fillsGroups(instruction, types, k0);
  case ScalableIdiom::SveWiden: {
    bool same = types.lhs == types.rhs;
    return same ? k0 == 1 || fills(k0, 16, 32) : areWords(types) && k0 <= 2;
  }
  case ScalableIdiom::SveFma:
  case ScalableIdiom::SveMla:
    // Elements of the accumulator's type, or widened one by one.
    if (both(types, types.accumulator))
      return fills(k0, info(types.lhs).bits, info(types.lhs).bits);
    return k0 == 1 && std::min(info(types.lhs).bits, info(types.rhs).bits) >=
                          (floats ? 16 : 8);
  case ScalableIdiom::SveFmaHalf:
    return k0 == 1;
  default:
    llvm_unreachable("not an SVE idiom");
  }
}

} // namespace

llvm::ArrayRef<ScalableIdiomInfo> scalableIdioms() { return kIdioms; }

const ScalableIdiomInfo &info(ScalableIdiom idiom) {
  return *llvm::find_if(
      kIdioms, [&](const ScalableIdiomInfo &i) { return i.idiom == idiom; });
}

const ScalableIdiomInfo *findScalableIdiom(llvm::StringRef name) {
  const auto *it = llvm::find_if(
      kIdioms, [&](const ScalableIdiomInfo &i) { return i.name == name; });
  return it == std::end(kIdioms) ? nullptr : it;
}

std::string whyIdiomUnfit(ScalableIdiom idiom, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  const IsaInfo &isa = info(key.isa);
  const char *name = info(idiom).name.data();
  bool sme = idiom == ScalableIdiom::SmeOuter;
  if (isa.scaling != (sme ? TW_SCALING_SME : TW_SCALING_SVE))
    return llvm::formatv("idiom '{0}' needs an ISA with {1}", name,
                         sme ? "SME" : "SVE");
  int lanes = isa.vectorBits / info(types.accumulator).bits;
  if (!key.n0Scalable || (sme && !key.m0Scalable && key.m0 > lanes))
    return llvm::formatv("idiom '{0}' needs a scalable N0{1}", name,
                         sme ? ", and an M0 that is scalable or at most 4"
                             : "");
  bool perStep = key.rounding == Rounding::kPerStep;
  bool half = idiom == ScalableIdiom::SveFmaHalf;
  if (perStep ? sme : half)
    return llvm::formatv("idiom '{0}' {1} each K step", name,
                         half ? "rounds" : "does not round");
  if (half && key.n0 % 2 != 0)
    return llvm::formatv("idiom '{0}' needs an N0 of whole vectors of f16, an "
                         "even number of vl",
                         name);
  if (sme && areBytesByNibbles(types, key.k0) && key.m0Scalable)
    return {};
  const tw_instruction_row_t *by = instructionOf(idiom, types);
  bool fits = by && has(isa, *by) &&
              (sme ? fitsSme(*by, types, key.k0)
                   : fitsSve(idiom, *by, types, isa, key.k0));
  if (!fits)
    return llvm::formatv("idiom '{0}' on {1} does not take {2} with K0 = {3}",
                         name, isa.name, types.name, key.k0);
  return {};
}

bool flushesDenormals(ScalableIdiom idiom, const TileKey &key) {
  const tw_instruction_row_t *by = instructionOf(idiom, info(key.types));
  return by && by->denormals == TW_DENORMALS_FLUSHED;
}

bool isSlowInOrder(ScalableIdiom idiom, const TileKey &key) {
  const tw_instruction_row_t *by = instructionOf(idiom, info(key.types));
  std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
  tw_set_core("cortex-a510", cpuData.data());
  return by && by->rate != TW_INSTRUCTION_NONE &&
         tw_core_rate(cpuData.data(), by->rate) <
             tw_core_rate(cpuData.data(), TW_INSTRUCTION_FMLA);
}

/// Of a multiply on A64FX, the core for which there are tiles of SVE without
/// what came after it. Tiles of few sums make up for it by sets, which cost no
/// other core anything; others would have smaller blocks instead.
constexpr int kA64fxLatency = 9, kFewSums = 8;

ScalableShape::ScalableShape(ScalableIdiom idiom, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  TileKey least = key.atVectorBits(info(key.isa).vectorBits);
  sme = idiom == ScalableIdiom::SmeOuter;
  bool matrix = idiom == ScalableIdiom::SveMatrix;
  bool widens = idiom == ScalableIdiom::SveWiden;
  bool multiplies =
      idiom == ScalableIdiom::SveFma || idiom == ScalableIdiom::SveMla;
  bool fmaHalf = idiom == ScalableIdiom::SveFmaHalf;
  bool wordDot = idiom == ScalableIdiom::SveDot && areWords(types);
  const tw_instruction_row_t *by = instructionOf(idiom, types);
  latency = by ? by->latency : 0;
  // Neoverse N2 takes as long as for NEON's, V2 and V3 a cycle more.
  if (by == &kInstructions[TW_INSTRUCTION_BFMMLA_SVE])
    latency =
        std::max(latency, int{kInstructions[TW_INSTRUCTION_BFMMLA].latency});
  accumulatorBits = info(types.accumulator).bits;
  lanes = info(key.isa).vectorBits / accumulatorBits;
  halvesAreRows = widens && key.k0 == 1 && key.n0 % 2 == 0;
  halves = widens && (key.k0 > 1 || halvesAreRows) ? 2 : 1;
  containerBits = matrix || wordDot          ? 64
                  : halvesAreRows || fmaHalf ? 16
                                             : accumulatorBits;
  sumBits = wordDot ? 64 : fmaHalf ? 16 : accumulatorBits;
  rowsTogether = matrix ? 2 : 1;
  bool rounds = key.rounding == Rounding::kPerStep && sumBits == 32;
  bool inBits = types.out == TW_ELEMENT_BF16 && !info(key.isa).has("bf16");
  convertsSums = rounds && !inBits;
  roundingRegisters = rounds && inBits ? 5 : 0;
  // By value where an element becomes one that the multiply takes.
  auto operand = [&](tw_element_type_t type, int size, bool scalable) {
    Operand o;
    o.type = type;
    o.rows = scalable;
    o.size = size;
    int rowBits = key.k0 * info(type).bits;
    o.rowBytes = rowBits / 8;
    bool whole = rowBits % containerBits == 0;
    o.byValue =
        !whole && (multiplies || ((widens || wordDot) && info(type).bits < 16));
    o.unitBits = whole ? containerBits : o.byValue ? info(type).bits : rowBits;
    o.extendedBits = whole       ? containerBits
                     : o.byValue ? containerBits / key.k0
                                 : containerBits;
    return o;
  };
  nibbles = (sme || idiom == ScalableIdiom::SveDot) &&
            areBytesByNibbles(types, key.k0);
  scaleBits = !sme && nibbles && types.rhs == TW_ELEMENT_S4 ? kScaleBits : 0;
  lhs = operand(types.lhs, least.m0, key.m0Scalable);
  rhs = operand(types.rhs, least.n0, key.n0Scalable);
  auto chunksOf = [&](const Operand &o) {
    return std::max(1, o.rowBytes * 8 / containerBits);
  };
  chunks = std::max(chunksOf(lhs), chunksOf(rhs));
  byLane = !sme && idiom != ScalableIdiom::SveMla &&
           !(idiom == ScalableIdiom::SveDot && lhs.extends() && !lhs.byValue);
  const IsaInfo &isa = info(key.isa);
  int sums = static_cast<int>(llvm::divideCeil(lhs.size, rowsTogether)) *
             sumVectors(rhs.size / lanes);
  if (!sme && !isa.has("sve2") && !isa.has("i8mm") && !isa.has("bf16") &&
      sums <= kFewSums) {
    // Pipes that convert operands, too, gain by twice the sets, where half of
    // the registers are left for what is read ahead.
    bool converts = idiom == ScalableIdiom::SveFma && rhs.extends() &&
                    (sums == 1 || sums == 2 || sums == 4);
    latency = std::max(latency, (converts ? 2 : 1) * kA64fxLatency);
  }
}

} // namespace tilewright
