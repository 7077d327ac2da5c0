// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_KERNELS_PASSES
#define TILEWRIGHT_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def LowerStageBoundariesToAmdgpu
    : Pass<"tw-lower-stage-boundaries-to-amdgpu"> {
  let summary = "Lower stage boundaries to AMDGPU's scheduling barriers";
  let description = [{
    `tw.stage_boundary` becomes `amdgpu.sched_barrier`: nothing moves across,
    or the classes in `allow` do. Its other attributes become, before it,
    `rocdl.sched.group.barrier` (`interleave`, one for each group) and, after
    it, `rocdl.s.setprio` (`priority`). With
    `skew` half of the waves wait at one workgroup barrier more than the others
    on entering (the upper half) and on leaving (the lower half), and all of them
    at each step in between; that needs `known_block_size` on the `gpu.func`.

    `tw.await_reads` and steps become `rocdl.s.barrier` behind an
    `amdgpu.memory_counter_wait`, for reads from workgroup memory too, and
    between fences of one wave's scope. A `gpu.barrier` for workgroup memory only
    becomes `amdgpu.lds_barrier`, which does not wait for global memory.
  }];
  let dependentDialects = [
    "mlir::amdgpu::AMDGPUDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect",
    "mlir::ROCDL::ROCDLDialect", "mlir::scf::SCFDialect",
  ];
}

#endif // TILEWRIGHT_KERNELS_PASSES
