// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a pipelined plan, derived:
//
// One iteration of a workgroup keeps four things busy at once, and takes as
// long as the one that takes longest: the matrix pipe of each SIMD
// (instructions by their published rate, waves of one SIMD one after the
// other), a wave's own stream of instructions (what is no matrix instruction
// keeps it `issueCycles` from the next), LDS, and the way from L2. With few
// waves nothing hides latency but the pipeline: an iteration cannot be shorter
// than a load's latency divided by the iterations that READ runs ahead. Nothing
// overlaps perfectly, so a part of all that is hidden counts as well, and each
// barrier costs a little.
//
// A key of fewer rows than a matrix instruction has is chosen for products of
// no more: a block's other rows are padding. What takes long there is reading
// the rhs once, which wants all compute units; columns of a block beyond those
// that keep its waves busy leave others idle, and count for nothing.

#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace tilewright {
namespace {

/// The loop's own instructions, and those that each read straight into LDS
/// needs to say where to. Waits and barriers are not issued to any unit.
constexpr int kLoopInstructions = 8;
constexpr int kPerDirectRead = 1;
/// Of a load that comes from HBM, cycles: the order of what is published for
/// CDNA; only plans too small to hide it are judged by it.
constexpr double kGlobalLatency = 600;
/// Bytes per cycle and compute unit.
constexpr double kL2BytesPerCycle = 64;
/// Of what is hidden behind something longer, the part that counts all the
/// same.
constexpr double kUnhidden = 0.1;
constexpr double kBarrierCycles = 32;
/// The least matrix instruction's, of all targets.
constexpr int kInstructionRows = 16;
/// Of a block of few rows, 16 for each of four waves.
constexpr int kColumnsOfFewRows = 64;

} // namespace

double KernelCost::matrixShare() const { return matrix / issue; }

KernelCost estimateKernelCost(const KernelPlan &plan, const TileKey &key) {
  PipelineShape shape(key, plan);
  const AmdgpuTarget &limits = amdgpuTarget(key.isa);
  KernelCost cost;
  double ofOneWave = shape.matrixInstructions * plan.instruction->cycles;
  int others =
      shape.ldsReads + shape.ldsWrites + shape.globalLoads + kLoopInstructions;
  if (plan.direct)
    others += kPerDirectRead * shape.globalLoads;
  cost.issue = ofOneWave + others * limits.issueCycles;
  // matrixShare is a wave's, so `matrix` is, until the waves are counted.
  cost.matrix = ofOneWave;
  int perSimd = llvm::divideCeil(plan.waves(), limits.simds);
  double staged = shape.lhs.bytes() + shape.rhs.bytes();
  double read =
      double(plan.waves()) * (double(shape.lhs.bytes()) / plan.wavesM +
                              double(shape.rhs.bytes()) / plan.wavesN);
  cost.lds = (read + staged) / limits.ldsBytesPerCycle;
  cost.global = staged / kL2BytesPerCycle;
  double idleSimds =
      double(limits.simds) / std::min(limits.simds, plan.waves());
  double longest = std::max({ofOneWave * perSimd, cost.issue, cost.lds,
                             cost.global, kGlobalLatency / (plan.stages - 1)});
  double hidden = others * limits.issueCycles + cost.lds + cost.global;
  int barriers = plan.direct || plan.buffers > 1 ? 1 : 2;
  cost.cycles =
      (longest + kUnhidden * hidden + barriers * kBarrierCycles) * idleSimds;
  cost.macs =
      double(shape.lhs.blockRows) * shape.rhs.blockRows * plan.kSteps * key.k0;
  cost.useful = cost.macs;
  if (key.m0 < kInstructionRows)
    cost.useful =
        double(key.m0) *
        std::min(shape.rhs.blockRows, std::max(kColumnsOfFewRows, key.n0)) *
        plan.kSteps * key.k0;
  return cost;
}

} // namespace tilewright
