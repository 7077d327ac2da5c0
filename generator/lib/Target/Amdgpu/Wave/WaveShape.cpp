// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveTypes.h"
#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

bool isSmallFloat(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT && info(type).bits <= 8;
}

bool isNarrowInteger(tw_element_type_t type) {
  return info(type).kind != TW_ELEMENT_KIND_FLOAT && info(type).bits <= 8;
}

} // namespace

std::optional<tw_element_type_t>
computeTypeOf(const WavePlan &plan, tw_isa_t isa, bool isLhs,
              tw_element_type_t type, tw_element_type_t other, bool &biased) {
  biased = false;
  bool isInteger = info(type).kind != TW_ELEMENT_KIND_FLOAT;
  switch (plan.idiom) {
  case WaveIdiom::Fma:
    if (isInteger || (type == TW_ELEMENT_F64) != (other == TW_ELEMENT_F64))
      return std::nullopt;
    return type == TW_ELEMENT_F64 ? TW_ELEMENT_F64 : TW_ELEMENT_F32;
  case WaveIdiom::Mad:
    if (!isInteger)
      return std::nullopt;
    return TW_ELEMENT_S32;
  case WaveIdiom::Dot2:
    if (!isInteger || info(type).bits > 16)
      return std::nullopt;
    return TW_ELEMENT_S16;
  case WaveIdiom::Dot4: {
    if (!isNarrowInteger(type))
      return std::nullopt;
    // u4 fits both kinds of byte.
    bool asUnsigned = type == TW_ELEMENT_U8 ||
                      (type == TW_ELEMENT_U4 && (other == TW_ELEMENT_U8));
    return asUnsigned ? TW_ELEMENT_U8 : TW_ELEMENT_S8;
  }
  case WaveIdiom::Matrix:
    break;
  }
  ArrayRef<tw_element_type_t> accepted =
      isLhs ? plan.instruction->lhsTypes : plan.instruction->rhsTypes;
  if (is_contained(accepted, type))
    return type;
  auto has = [&](tw_element_type_t t) { return is_contained(accepted, t); };
  if (isNarrowInteger(type) && has(TW_ELEMENT_S8)) {
    if (type == TW_ELEMENT_U4 && has(TW_ELEMENT_U8))
      return TW_ELEMENT_U8;
    biased = type == TW_ELEMENT_U8;
    return TW_ELEMENT_S8;
  }
  if (accepted.size() > 1)
    return std::nullopt;
  // Every narrow float is a normal number of bf16; in f16 some are denormals.
  if (isSmallFloat(type) &&
      (has(TW_ELEMENT_BF16) ||
       (has(TW_ELEMENT_F16) && !amdgpuTarget(isa).flushesHalfDenormals)))
    return accepted[0];
  if (!isInteger && info(type).bits < 32 && has(TW_ELEMENT_F32))
    return TW_ELEMENT_F32;
  return std::nullopt;
}

WaveShape::WaveShape(const TileKey &key, const WavePlan &plan) {
  const TypeTripleInfo &types = info(key.types);
  const MatrixInstruction *matrix = plan.instruction;
  accumulator = types.accumulator;
  out = types.out;
  lanes = waveSize(key.isa);
  roundsPerStep = key.rounding == Rounding::kPerStep;
  scaledMatrix = key.blockScaled && matrix && matrix->isScaled();
  scaledSums = key.blockScaled && !scaledMatrix;
  if (matrix) {
    subRows = matrix->m;
    subColumns = matrix->n;
    kGroups = matrix->kGroups();
    elements = matrix->lhsElements();
    results = matrix->results();
  } else {
    subRows = plan.lanesM;
    subColumns = plan.lanesN;
    kGroups = 1;
    elements = plan.idiom == WaveIdiom::Dot4   ? 4
               : plan.idiom == WaveIdiom::Dot2 ? 2
                                               : 1;
    results = 1;
  }
  span = plan.fragment * kGroups;
  bool stepsApart = roundsPerStep || scaledSums;
  paddedStep = key.k0 >= span || stepsApart
                   ? static_cast<int>(alignTo(key.k0, span))
                   : static_cast<int>(PowerOf2Ceil(key.k0));
  stepsPerSpan = std::max(1, span / paddedStep);
  spansPerStep = std::max(1, paddedStep / span);

  auto fill = [&](Operand &operand, bool isLhs, int rows) {
    operand.type = isLhs ? types.lhs : types.rhs;
    operand.compute =
        *computeTypeOf(plan, key.isa, isLhs, operand.type,
                       isLhs ? types.rhs : types.lhs, operand.biased);
    operand.bits = info(operand.type).bits;
    operand.computeBits = info(operand.compute).bits;
    operand.rows = rows;
    operand.stepBytes = isLhs ? key.lhsStepBytes() : key.rhsStepBytes();
    operand.bitwise = key.k0 * operand.bits % 8 != 0;
    // Where a lane's k do not follow one another, and both operands' must agree
    // because their widths or their scales differ.
    operand.run = plan.fragment;
    if (matrix && matrix->lhsTypes.size() > 2)
      for (int e = 1; e < plan.fragment; ++e)
        if (lhsPlace(*matrix, operand.bits, 0, e).column != e) {
          operand.run = e;
          break;
        }
    operand.chunk = std::min(paddedStep, operand.run);
  };
  fill(lhs, true, key.m0);
  fill(rhs, false, key.n0);

  rowBlocks = divideCeil(key.m0, subRows * plan.blockRows);
  columnBlocks = divideCeil(key.n0, subColumns * plan.blockColumns);
  int words = info(accumulator).bits / 32;
  accumulatorRegisters = plan.blockRows * plan.blockColumns * results * words;
  if (lhs.biased)
    accumulatorRegisters += plan.blockColumns * results;
  if (rhs.biased)
    accumulatorRegisters += plan.blockRows * results;
  auto wholeRegisters = [](const Operand &operand) {
    return !operand.bitwise && operand.chunk * operand.bits % 32 == 0;
  };
  canLoadAhead = paddedStep == key.k0 && isPowerOf2_32(spansPerStep) &&
                 (spansPerStep == 1 || !roundsPerStep) && wholeRegisters(lhs) &&
                 wholeRegisters(rhs);
  // RDNA's 256 registers do not forgive what an estimate leaves out; of CDNA's
  // 512 the block takes less than half.
  const bool tight = isRdna(key.isa);
  auto operandRegisters = [&](const Operand &operand) {
    // Elements picked bit by bit come in two bytes each, and pieces of less
    // than a register in one each.
    int words = divideCeil(plan.fragment * operand.bits, 32);
    int pieces = plan.fragment / std::min(operand.chunk, plan.fragment);
    int raw = operand.bitwise ? 2 * plan.fragment
              : tight         ? std::max(words, pieces)
                              : words;
    int ahead = plan.ahead ? raw : 0;
    if (operand.type == operand.compute)
      return ahead + raw;
    int converted = divideCeil(plan.fragment * operand.computeBits, 32);
    // Elements that are being converted, of pairs that are not packed yet.
    int between = tight ? plan.fragment / 2 : 0;
    return ahead + raw + converted + between;
  };
  registers = accumulatorRegisters + plan.blockRows * operandRegisters(lhs) +
              plan.blockColumns * operandRegisters(rhs);
  // Results over an edge that are rounded have an address each.
  if (tight && info(types.out).bits < info(accumulator).bits &&
      (key.m0 % subRows != 0 || key.n0 % subColumns != 0))
    registers += 2 * accumulatorRegisters;
  if (scaledSums) {
    registers += plan.blockRows * results + plan.blockColumns + results;
    if (tight) // products that are not scaled yet
      registers += accumulatorRegisters;
  }
}

} // namespace tilewright
