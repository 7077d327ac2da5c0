// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DIALECT_PASSES
#define TILEWRIGHT_DIALECT_PASSES

include "mlir/Pass/PassBase.td"

def PipelineStages : Pass<"tw-pipeline-stages"> {
  let summary = "Rotate loops whose stages are marked into a software pipeline";
  let description = [{
    Takes each `scf.for` with the attribute `tw.stages`, whose operations with
    memory effects are marked READ, WRITE or COMPUTE (`tw.stage`). Written down
    plainly, one iteration is READ, WRITE, barrier, COMPUTE, barrier, without the
    barriers, which this pass places. Unmarked operations have no effects and go
    to every stage that needs them.

    With S stages READ runs S-1 iterations ahead of COMPUTE, so that one (2) or
    two (3) iterations of arithmetic hide the latency of global memory:

    ```
    prologue      READ(0) [READ(1)] WRITE(0) barrier
    steady state  READ(i+S-1) boundary COMPUTE(i) boundary
                  [barrier] WRITE(i+1) barrier
    epilogue      [COMPUTE(n-2) WRITE(n-1)] COMPUTE(n-1)
    ```

    With 3 stages what READ reads travels one iteration in registers. The first
    barrier of the steady state is there if workgroup memory has one buffer; with
    more (`tw.buffers`) iterations take them in turn, as `tw.buffer_slot` says.

    A loop without WRITE, whose READ operations write workgroup memory
    themselves, needs at least S buffers:

    ```
    steady state  await READ(i+S-1) boundary COMPUTE(i) boundary
    ```

    Any number of iterations is right, 0 included; it must be the same for all
    work items. In a loop nest a barrier before the prologue keeps it from
    overwriting what the nest's last iteration still computes from.

    What cannot be pipelined so is an error: effects without a stage or against
    it, values that flow backwards (READ or WRITE of something COMPUTE makes),
    COMPUTE of what READ holds in registers, barriers in the loop. Workgroup
    memory is a memref of `#gpu.address_space<workgroup>`, or what an LLVM pointer
    of address space 3 points to.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::scf::SCFDialect", "mlir::ub::UBDialect",
    "tilewright::tw::TwDialect",
  ];
}

def EraseStageBoundaries : Pass<"tw-erase-stage-boundaries"> {
  let summary = "Erase stage boundaries: for targets that have no use for them";
  let description = [{
    Erases each `tw.stage_boundary` and the attributes of `tw`.
    `tw.await_reads`, which a program needs, is an error.
  }];
}

#endif // TILEWRIGHT_DIALECT_PASSES
