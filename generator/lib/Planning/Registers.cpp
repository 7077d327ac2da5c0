// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The vector registers that the K loop of a plan keeps busy.

#include "Decoding.h"
#include "ShapedPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace tilewright {

int registersOfBlock(const TilePlan &plan, const TileShape &shape,
                     const IsaInfo &isa) {
  const Machine &machine = machineOf(isa);
  int rows = shape.broadcastBlocks.size;
  int v = shape.vectors;
  // Decoding in several steps needs constants and temporaries.
  auto stepsToDecode = [&](const OperandShape &operand, int offset) {
    return operand.staged ? 0
           : shape.splits
               ? splitOps(operand, shape)
               : decodeOps(operand.type, shape.compute, offset, machine);
  };
  int vectorOps = stepsToDecode(shape.vector, shape.roles.offset);
  bool decodesBroadcasts =
      !shape.decodesScalars() && stepsToDecode(shape.broadcast, 0) > 1;
  bool decodes = shape.parts > 1 || decodesBroadcasts || vectorOps > 1;
  int registers = shape.accumulators(plan);
  if (shape.roundsPerStep && plan.kLanes > 1)
    registers +=
        rows *
        static_cast<int>(llvm::divideCeil(shape.vectorBlocks.size, plan.lanes));
  if (shape.roles.offset)
    registers += 1 + (plan.sums == SumsIn::Steps ? shape.correctionVectors : 0);
  // Operands: the vectors stay for all rows; the broadcast is one at a time.
  // With one row the vectors are read from memory one at a time instead, unless
  // they are told apart: that takes them all before the first multiply.
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  if (idiom.halves != Halves::None)
    v = (v + 1) / 2;
  // Of the operands of 2x2 blocks the smaller one stays.
  if (idiom.rows > 1)
    v = std::min(v, shape.rowGroups);
  int chunks = shape.separates ? shape.chunks : 1;
  if (shape.partByPart(plan))
    chunks /= 2;
  // Of each part those that were loaded stay beside those that are decoded.
  int kept = shape.parts > 1 && !shape.loadsEachPart ? 2 : 1;
  registers += kept * (rows == 1 && chunks == 1 ? 1 : v * chunks);
  if (shape.splits)
    registers += 3;
  // A scalar register has it beside vectors that are decoded in two steps, the
  // second of them in place: one takes constants.
  bool inTwoSteps = vectorOps == 2 && !decodesBroadcasts && plan.kLanes == 1;
  if (!machine.takesScalars || (decodes && !inTwoSteps) ||
      idiom.kind == IdiomKind::Generic)
    registers += 1;
  if (isInPairs(plan.by))
    registers += v; // those of second rows
  if (idiom.ops > 1)
    registers += 1; // the product
  if (decodes)
    registers += 1;
  return registers;
}

/// `registers`: that many with the vector of offsets. Elements of 4 bits have
/// more constants than this one, of which those of nibbles are read from memory
/// where they are wanted (s8s4 6x16x8 of 256 bits 0.8 of the time of two
/// blocks; Granite Rapids).
static bool leavesOffsetOut(const TileShape &shape, int registers,
                            const IsaInfo &isa) {
  return shape.roles.offset != 0 && (shape.vector.bits == 8 || shape.nibbles) &&
         isa.vectorRegisters < 32 && registers == isa.vectorRegisters + 1;
}

bool makesOffsetAnew(const TilePlan &plan, const TileKey &key) {
  if (plan.scalable != ScalableIdiom::None)
    return false;
  const IsaInfo &isa = info(key.isa);
  TileShape shape(key, plan);
  return leavesOffsetOut(shape, registersOfBlock(plan, shape, isa), isa);
}

int registersNeeded(const TilePlan &plan, const TileKey &key,
                    const TileShape &shape) {
  const IsaInfo &isa = info(key.isa);
  int registers = registersOfBlock(plan, shape, isa);
  return registers - leavesOffsetOut(shape, registers, isa);
}

int registersNeeded(const TilePlan &plan, const TileKey &key) {
  if (plan.scalable != ScalableIdiom::None)
    return scalableRegistersNeeded(plan, key);
  return registersNeeded(plan, key, TileShape(key, plan));
}

} // namespace tilewright
