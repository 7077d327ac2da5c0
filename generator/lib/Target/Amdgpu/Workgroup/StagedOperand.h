// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand's way: panels in global memory, LDS, fragments in registers.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_STAGEDOPERAND_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_STAGEDOPERAND_H

#include "KernelBuilder.h"
#include "tilewright/Target/Amdgpu/KernelPlan.h"

namespace tilewright {

/// Where a wave is, and what all operands share.
struct WorkgroupPlace {
  mlir::Value thread; ///< in the workgroup
  mlir::Value lane;   ///< in the wave
  mlir::Value wave;   ///< in the workgroup; uniform
  mlir::Value kSteps; ///< K, i64
  /// K steps that the first iteration lacks, so that all others are whole.
  mlir::Value skipped; ///< i32
};

class StagedOperand {
public:
  /// `params` is the kernel's argument; `field` the operand's buffer in it,
  /// `countField` the number of its tiles; `firstTile` the workgroup's first,
  /// i64; `waveRow` the wave's place among the `wavesAlong` along these rows,
  /// uniform.
  StagedOperand(KernelBuilder &k, const PipelineShape::Operand &shape,
                const KernelPlan &plan, const WorkgroupPlace &place,
                mlir::Value params, int field, int countField,
                mlir::Value firstTile, mlir::Value waveRow, int wavesAlong);

  /// Where the operand's first buffer begins in LDS, and how far apart buffers
  /// are.
  void setLds(mlir::Value lds, int64_t begin, int64_t bufferBytes);

  // In the loop's body, of iteration `iv` (index) with its data in buffer
  // `slot` (i32).
  void read(mlir::Value iv, mlir::Value slot);
  void write(mlir::Value iv, mlir::Value slot);
  /// Prepares the addresses of COMPUTE.
  void beginCompute(mlir::Value slot);
  /// Loads granule step `step` of the wave's row block `block`.
  mlir::Value loadGranule(int block, int step);
  /// The operand of matrix instruction `multiply` (along k) from the granules
  /// of a row block, by granule step.
  mlir::Value fragment(llvm::ArrayRef<mlir::Value> granules, int multiply);
  /// Granule steps [first, last) that matrix instruction `multiply` needs.
  std::pair<int, int> granuleSteps(int multiply) const;

private:
  struct Load {
    mlir::Value offset;      ///< of all iterations
    mlir::Value firstOffset; ///< of the first, which may lack K steps
    mlir::Value exists;      ///< the row is one of the operand's
    mlir::Value inFirst;     ///< the first iteration has the K step
  };
  Load planLoad(int number, mlir::Value stride, mlir::Value tilesLeft);
  mlir::Value slotBase(mlir::Value slot);
  mlir::Value padded(const Load &load, mlir::Value isFirst, mlir::Value value);

  KernelBuilder &k;
  const PipelineShape::Operand &shape;
  const KernelPlan &plan;
  const WorkgroupPlace &place;
  int threads, lanes;
  mlir::Value waveRow;
  int wavesAlong;
  mlir::Value source; ///< buffer
  llvm::SmallVector<Load> loads;
  mlir::Value lds;
  int64_t begin = 0, bufferBytes = 0;
  llvm::SmallVector<mlir::Value> held; ///< what READ read
  mlir::Value fragments;               ///< address of the wave's first granule
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_STAGEDOPERAND_H
