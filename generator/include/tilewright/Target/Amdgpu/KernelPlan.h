// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a workgroup kernel of an AMD GPU computes mmt4d: data, printable and
// overridable; no IR.

#ifndef TILEWRIGHT_TARGET_AMDGPU_KERNELPLAN_H
#define TILEWRIGHT_TARGET_AMDGPU_KERNELPLAN_H

#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include "tilewright/key.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tilewright {

enum class KernelForm : uint8_t {
  Simple,   ///< each wave calls the tile function for tiles of its own
  Pipelined ///< staged through LDS, all waves on one large tile
};

/// Where the pipelined loop keeps the scheduler from mixing stages.
struct StageBoundaries {
  bool afterRead = true, afterCompute = true;
  /// Vector and scalar arithmetic may cross them all the same.
  bool relaxed = false;

  bool operator==(const StageBoundaries &o) const {
    return afterRead == o.afterRead && afterCompute == o.afterCompute &&
           relaxed == o.relaxed;
  }
};

/// Printed as one line:
///   form=simple waves=1x4
///   form=pipelined instruction=mfma.f32.32x32x8f16 waves=2x2 tiles=16x16
///   ksteps=2 stages=2 buffers=2 reads=registers boundaries=read+compute
///   interleave=0 priority=none skew=off padding=offsets
struct KernelPlan {
  KernelForm form = KernelForm::Simple;
  /// Of Pipelined. Its rows are columns of out, so that a lane's results lie
  /// side by side in a row of out.
  const MatrixInstruction *instruction = nullptr;
  /// Waves of a workgroup, along M and N.
  int wavesM = 1, wavesN = 4;
  /// Tiles M0 x N0 of a workgroup, along M and N.
  int tilesM = 1, tilesN = 4;
  /// K steps of one iteration, READ to COMPUTE.
  int kSteps = 1;
  /// Iterations in flight: READ is `stages - 1` ahead of COMPUTE.
  int stages = 2;
  /// Buffers of LDS.
  int buffers = 1;
  /// READ loads straight into LDS.
  bool direct = false;
  StageBoundaries boundaries;
  /// Matrix instructions after each LDS read that the scheduler is to
  /// interleave so; 0 leaves the order within COMPUTE to it.
  int interleave = 0;
  /// Of the wave during COMPUTE, 1 to 3.
  std::optional<int> priority;
  /// Half of the waves runs a stage behind.
  bool skew = false;
  /// WRITE itself puts zeros where rows or K steps are missing, by arithmetic
  /// on what was loaded, instead of leaving it to the buffers' bounds: the
  /// slower way, that of memory without bounds, to compare with.
  bool padsByArithmetic = false;

  int waves() const { return wavesM * wavesN; }
};

/// The plan of a valid amdgpu key, with the parts that `overrides` names (any
/// subset of what printKernelPlan prints) fixed. Without overrides it always
/// succeeds; the simple form does for what the pipelined one cannot.
llvm::Expected<KernelPlan> planKernel(const TileKey &key,
                                      llvm::StringRef overrides = "");

std::string printKernelPlan(const KernelPlan &plan);

/// The parts of a plan as rows of a table in Markdown: name, values, meaning.
std::string describeKernelPlan();

/// What follows from a key and a pipelined plan, shared by cost and lowering.
struct PipelineShape {
  PipelineShape(const TileKey &key, const KernelPlan &plan);

  /// One operand's way through LDS. There it lies in the order in which waves
  /// read it, [row block][j][lane] granules: a wave's read is of consecutive
  /// granules, and so is a wave's write, which no bank has twice.
  struct Operand {
    tw_element_type_t type;
    int tileRows;        ///< M0 or N0
    int rowBytes;        ///< of one K step of one row, K0 elements
    int blockRows;       ///< rows of the workgroup
    int instructionRows; ///< rows of one matrix instruction
    int granule;         ///< bytes that a lane reads from LDS at once
    int groups;          ///< lane groups with different k
    int granuleSteps;    ///< j: granules of one lane and row block
    int fragment;        ///< bytes of one lane for one matrix instruction
    int unit;            ///< bytes that a lane loads at once
    int64_t stepBytes;   ///< of a tile's panel per K step
    int rowBlocks() const { return blockRows / instructionRows; }
    int64_t bytes() const {
      return int64_t(rowBlocks()) * granuleSteps * groups * instructionRows *
             granule;
    }
    /// Loads of one lane per iteration.
    int64_t loads(int threads) const {
      return (bytes() + int64_t(unit) * threads - 1) /
             (int64_t(unit) * threads);
    }
    /// With what the last load of the last lanes writes and nobody reads.
    int64_t paddedBytes(int threads) const {
      return loads(threads) * unit * threads;
    }
  };
  Operand lhs, rhs;
  int lanes, threads;
  /// Blocks of the matrix instruction that a wave has, along M and N.
  int blocksM, blocksN;
  /// Matrix instructions of an iteration along k, for each block.
  int multiplies;
  int accumulatorRegisters; ///< 32 bits each
  int64_t ldsBytes;

  // What the cost model counts, of one wave and iteration.
  int matrixInstructions, ldsReads, globalLoads, ldsWrites;
  int registers; ///< accumulators and all else that is alive at once
};

/// Why `plan` cannot carry out `key`; empty if it can.
std::string whyKernelPlanUnfit(const KernelPlan &plan, const TileKey &key);

/// Cycles of one iteration of a pipelined plan on one compute unit, modelled.
struct KernelCost {
  double matrix; ///< the matrix pipe of the busiest SIMD
  double issue;  ///< a wave's instructions, one after the other
  double lds;    ///< reads and writes of LDS at its bandwidth
  double global; ///< reads through L2 at its bandwidth
  double cycles; ///< what all of that takes, and latency allows
  double macs;   ///< multiply-adds of the iteration
  double useful; ///< of these, what products of the key's rows make use of
  /// Share of a wave's issue cycles that are matrix instructions.
  double matrixShare() const;
  double perMac() const { return cycles / useful; }
};
KernelCost estimateKernelCost(const KernelPlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_KERNELPLAN_H
