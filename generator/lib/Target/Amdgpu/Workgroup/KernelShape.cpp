// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from a plan, and which plans fit.

#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using llvm::formatv;

namespace tilewright {
namespace {

/// The largest power of two that divides `value`, at most 16.
int granuleOf(int value) { return std::min(16, value & -value); }

PipelineShape::Operand operandShape(tw_element_type_t type, int tileRows,
                                    int k0, int tiles, int elements,
                                    int instructionRows, int groups,
                                    const KernelPlan &plan,
                                    const AmdgpuTarget &limits) {
  PipelineShape::Operand o;
  int bits = info(type).bits;
  o.type = type;
  o.tileRows = tileRows;
  o.rowBytes = k0 * bits / 8;
  o.blockRows = tiles * tileRows;
  o.instructionRows = instructionRows;
  o.fragment = elements * bits / 8;
  o.granule = granuleOf(o.rowBytes);
  if (o.fragment > 16)
    o.granule = std::min(o.granule, granuleOf(o.fragment));
  o.groups = groups;
  o.granuleSteps = plan.kSteps * o.rowBytes / (o.granule * groups);
  o.stepBytes = int64_t(tileRows) * o.rowBytes;
  o.unit = o.granule;
  if (plan.direct)
    o.unit = o.granule == 16 && limits.directBytes == 16 ? 16 : 4;
  return o;
}

/// What a lane keeps besides.
constexpr int kOtherRegisters = 10;

/// 32-bit registers that `bytes` of one lane take.
int registersOf(int64_t bytes) { return (bytes + 3) / 4; }

/// Bytes of a lane's one read from LDS: LLVM reads granules of less than 16
/// bytes in pairs.
int readBytes(const PipelineShape::Operand &o) {
  return o.granule == 16 ? 16 : 2 * o.granule;
}

/// Registers for the fragments of one wave: a round of reads is in use, and of
/// the next one half is on its way, two thirds where a read serves several
/// instructions, or all of it where elements are pairs of registers. These
/// shares are what LLVM 22 takes of plans with 218 to 268 registers in all,
/// within 8 of them.
int fragmentRegisters(const PipelineShape::Operand &o, int blocks) {
  const int bytes = readBytes(o);
  const int round = blocks * registersOf(std::max(o.fragment, bytes));
  if (info(o.type).bits == 64)
    return round * 2;
  return bytes > o.fragment ? round * 5 / 3 : round * 3 / 2;
}

/// Registers for the addresses at which one wave reads its rows in LDS. The
/// offset of one read has 16 bits and reaches all of LDS; the two of a pair
/// have 8 and count granules.
int addressRegisters(const PipelineShape::Operand &o, int waves) {
  constexpr int kPairReach = 256;
  if (o.granule == 16)
    return 1;
  return llvm::divideCeil(o.bytes() / waves, kPairReach * o.granule);
}

/// Registers for the places in out of one wave's blocks of rows. Where tiles
/// and an instruction's rows do not divide each other, each block's rows have
/// their own tiles and places there, which LLVM computes before the loop.
int placeRegisters(const PipelineShape::Operand &o, int blocks) {
  return o.tileRows % o.instructionRows && o.instructionRows % o.tileRows
             ? 3 * blocks
             : 0;
}

} // namespace

PipelineShape::PipelineShape(const TileKey &key, const KernelPlan &plan) {
  const MatrixInstruction &i = *plan.instruction;
  const TypeTripleInfo &types = info(key.types);
  const AmdgpuTarget &limits = amdgpuTarget(key.isa);
  lanes = i.lanes();
  threads = plan.waves() * lanes;
  // The instruction's rows are columns of out: its lhs is our rhs.
  lhs = operandShape(types.lhs, key.m0, key.k0, plan.tilesM, i.rhsElements(),
                     i.n, i.kGroups(), plan, limits);
  rhs = operandShape(types.rhs, key.n0, key.k0, plan.tilesN, i.lhsElements(),
                     i.m, i.kGroups(), plan, limits);
  blocksM = lhs.rowBlocks() / plan.wavesM;
  blocksN = rhs.rowBlocks() / plan.wavesN;
  multiplies = plan.kSteps * key.k0 / i.k;
  int accumulatorBits = info(i.accumulator).bits;
  accumulatorRegisters = blocksM * blocksN * i.results() * accumulatorBits / 32;
  ldsBytes =
      plan.buffers * (lhs.paddedBytes(threads) + rhs.paddedBytes(threads));

  matrixInstructions = blocksM * blocksN * multiplies;
  ldsReads = blocksM * lhs.granuleSteps + blocksN * rhs.granuleSteps;
  globalLoads = lhs.loads(threads) + rhs.loads(threads);
  ldsWrites = plan.direct ? 0 : globalLoads;
  int inFlight = plan.direct ? 0
                             : (plan.stages - 1) *
                                   (lhs.loads(threads) * registersOf(lhs.unit) +
                                    rhs.loads(threads) * registersOf(rhs.unit));
  registers =
      accumulatorRegisters + inFlight + fragmentRegisters(lhs, blocksM) +
      fragmentRegisters(rhs, blocksN) + globalLoads +
      addressRegisters(lhs, plan.wavesM) + addressRegisters(rhs, plan.wavesN) +
      placeRegisters(lhs, blocksM) + placeRegisters(rhs, blocksN) +
      kOtherRegisters;
}

std::string whyKernelPlanUnfit(const KernelPlan &plan, const TileKey &key) {
  if (plan.wavesM < 1 || plan.wavesN < 1 || plan.waves() > 16)
    return formatv("waves={0}x{1}: a workgroup has 1 to 16 waves", plan.wavesM,
                   plan.wavesN);
  if (plan.form == KernelForm::Simple)
    return "";
  const TypeTripleInfo &types = info(key.types);
  const MatrixInstruction *i = plan.instruction;
  if (key.blockScaled)
    return "the pipelined form has no block scales";
  if (key.rounding == Rounding::kPerStep)
    return "the pipelined form rounds once, not after each K step";
  if (!i || !i->accepts(types.rhs, types.lhs) ||
      i->accumulator != types.accumulator || i->blocks != 1)
    return "the pipelined form needs a matrix instruction for the types";
  if (i->isScaled() && i->cycles <= 0)
    return "the matrix instruction has no rate";
  if (info(types.lhs).bits != info(types.rhs).bits)
    return "the pipelined form needs operands of one width";
  if (key.k0 * info(types.lhs).bits % 8)
    return formatv("rows of {0} bits per K step do not start on bytes",
                   key.k0 * info(types.lhs).bits);
  if (plan.tilesM < 1 || plan.tilesN < 1 || plan.kSteps < 1)
    return "tiles and ksteps are at least 1";
  if (plan.stages != 2 && plan.stages != 3)
    return formatv("stages={0}: loops are pipelined over 2 or 3 iterations",
                   plan.stages);
  const AmdgpuTarget &limits = amdgpuTarget(key.isa);
  if (plan.direct && limits.directBytes == 0)
    return "reads=direct: the target cannot load straight into LDS";
  if (plan.buffers < 1 || plan.buffers > 4)
    return formatv("buffers={0}: expected 1 to 4", plan.buffers);
  if (plan.direct && plan.buffers < plan.stages)
    return formatv("reads=direct with {0} stages needs {0} buffers",
                   plan.stages);
  if (plan.direct && plan.padsByArithmetic)
    return "reads=direct leaves nothing in registers for padding=select";
  if (plan.skew && (plan.buffers < 2 || plan.waves() % 2))
    return "skew=on needs 2 buffers and an even number of waves";
  if (plan.boundaries.relaxed && plan.interleave)
    return "interleave orders what boundaries=relaxed lets go";
  if (plan.interleave && !plan.boundaries.afterCompute)
    return "interleave belongs to the boundary after compute";
  if (plan.priority &&
      !(plan.boundaries.afterRead && plan.boundaries.afterCompute))
    return "priority changes at the boundaries after read and compute";
  if (plan.priority && (*plan.priority < 1 || *plan.priority > 3))
    return formatv("priority={0}: expected 1 to 3", *plan.priority);

  PipelineShape shape(key, plan);
  for (const auto *o : {&shape.lhs, &shape.rhs}) {
    const char *side = o == &shape.lhs ? "lhs" : "rhs";
    int waves = o == &shape.lhs ? plan.wavesM : plan.wavesN;
    if (o->blockRows % (waves * o->instructionRows))
      return formatv("the {0}'s {1} rows do not divide among {2} waves of "
                     "instructions of {3} rows",
                     side, o->blockRows, waves, o->instructionRows);
    if (o->granule < 4)
      return formatv("rows of {0} bytes per K step are too short to be loaded "
                     "as they lie",
                     o->rowBytes);
    if (std::max(o->granule, o->fragment) % std::min(o->granule, o->fragment))
      return "granules and fragments do not divide each other";
    int64_t perGroup = std::max(o->granule, o->fragment) * o->groups;
    if (int64_t(plan.kSteps) * o->rowBytes % perGroup)
      return formatv("{0} K steps of {1} bytes do not fill matrix instructions",
                     plan.kSteps, o->rowBytes);
  }
  if (shape.ldsBytes > limits.ldsBytes)
    return formatv("{0} bytes of LDS, of {1}", shape.ldsBytes, limits.ldsBytes);
  int perSimd = llvm::divideCeil(plan.waves(), limits.simds);
  if (shape.accumulatorRegisters > limits.accumulators)
    return formatv("{0} accumulator registers, of {1}",
                   shape.accumulatorRegisters, limits.accumulators);
  int registers =
      std::min(limits.registersPerWave, limits.registersPerSimd / perSimd);
  if (shape.registers > registers)
    return formatv("about {0} registers, of {1}", shape.registers, registers);
  return "";
}

} // namespace tilewright
