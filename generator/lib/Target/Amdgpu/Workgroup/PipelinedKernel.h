// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_PIPELINEDKERNEL_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_PIPELINEDKERNEL_H

#include "StagedOperand.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// A `gpu.module` with one `gpu.func`, `name`, whose K loop is written down
/// plainly, its stages marked for tw-pipeline-stages.
mlir::OwningOpRef<mlir::ModuleOp>
buildPipelinedKernel(mlir::MLIRContext *context, const TileKey &key,
                     const KernelPlan &plan, llvm::StringRef name);

/// Writes a wave's results to out: converts, adds to what is there under
/// ACCUMULATE, leaves out what is beyond M and N.
struct ResultPlace {
  mlir::Value params;
  mlir::Value lane;
  mlir::Value firstTileM, firstTileN; ///< of the workgroup; i64
  mlir::Value waveM, waveN;           ///< of the wave; uniform
};
void storeResults(KernelBuilder &k, const TileKey &key, const KernelPlan &plan,
                  const PipelineShape &shape, const ResultPlace &place,
                  mlir::ValueRange accumulators);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_PIPELINEDKERNEL_H
