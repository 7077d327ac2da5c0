// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a wave's plan, per K step of the whole tile:
//
//   multiplies   instructions x the cycles of the table; without a matrix
//                instruction, what a wave's vector instruction takes
//   loads        vector memory instructions x the cycles that their bytes take
//                at 64 bytes per cycle, at least 4 (an address per lane and
//                cycle quad)
//   conversions  vector instructions that make registers of what was loaded
//   waits        the part of a load's latency that nothing hides
//
// Sub-tiles beyond the tile and k beyond K0 count like any other, and matrix
// instructions run beside loads, but conversions do not: they share the issue
// with both.

#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of a load from the second-level cache, with other waves on the SIMD.
constexpr double kExposedLatency = 100;

/// Vector instructions per element that converting takes.
double conversionsPerElement(const WaveShape::Operand &operand) {
  if (operand.bitwise)
    return 12;
  if (operand.type == operand.compute)
    return 0;
  if (operand.biased)
    return 0.25;
  if (info(operand.type).kind != TW_ELEMENT_KIND_FLOAT)
    return operand.computeBits == 8 ? 1.5 : 2;
  if (operand.bits <= 8)
    return 6;
  return 1;
}

} // namespace

WaveCost estimateWaveCost(const WavePlan &plan, const TileKey &key) {
  WaveShape shape(key, plan);
  bool wave32 = shape.lanes == 32;
  // Cycles of one vector instruction of the wave.
  double issue = wave32 ? 1 : 4;
  double subTiles = double(shape.rowBlocks) * plan.blockRows *
                    shape.columnBlocks * plan.blockColumns;
  double multiplications =
      subTiles * shape.paddedStep / (shape.kGroups * shape.elements);
  double each = plan.instruction ? plan.instruction->cycles : issue;
  if (plan.idiom == WaveIdiom::Mad) // 32-bit products: quarter rate
    each = info(info(key.types).lhs).bits <= 16 ? issue : 4 * issue + issue;
  if (plan.idiom == WaveIdiom::Fma && shape.accumulator == TW_ELEMENT_F64 &&
      wave32)
    each = 32;
  WaveCost cost{multiplications * each, 0, 0, 0};

  double blocks = double(shape.rowBlocks) * shape.columnBlocks;
  auto add = [&](const WaveShape::Operand &operand, int fragments) {
    double spans = blocks * fragments * shape.paddedStep / shape.span;
    double pieces = divideCeil(plan.fragment, operand.chunk);
    double bytes = operand.chunk * operand.bits / 8.0;
    if (operand.bitwise)
      pieces *= operand.chunk;
    double cycles =
        std::max(4.0, bytes * shape.lanes / 64) * std::max(1.0, bytes / 16);
    cost.loads += spans * pieces * cycles;
    // Small pieces have to be put together.
    cost.conversions += spans * pieces * issue * (bytes < 4 ? 2 : 1);
    cost.conversions +=
        spans * plan.fragment * conversionsPerElement(operand) * issue;
  };
  double spansOfAll = blocks * shape.paddedStep / shape.span;
  // What is loaded ahead arrives while the others are multiplied.
  double exposed = kExposedLatency;
  if (plan.ahead)
    exposed = std::max(0.0, exposed - cost.multiplies / spansOfAll);
  cost.waits = spansOfAll * exposed;
  add(shape.lhs, plan.blockRows);
  add(shape.rhs, plan.blockColumns);
  if (shape.lhs.biased)
    cost.multiplies += cost.multiplies / plan.blockRows;
  if (shape.rhs.biased)
    cost.multiplies += cost.multiplies / plan.blockColumns;
  if (shape.scaledSums) // ldexp, test, add
    cost.conversions +=
        subTiles * shape.results * 5 * issue * shape.paddedStep / kScaleBlock;
  return cost;
}

} // namespace tilewright
