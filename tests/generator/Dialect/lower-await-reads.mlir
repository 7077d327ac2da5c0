// RUN: tw-opt %s --tw-lower-stage-boundaries-to-amdgpu | FileCheck %s
// RUN: not tw-opt %s --tw-erase-stage-boundaries 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @await
func.func @await() {
  // The wait is below the fence that keeps reads from LDS above it.
  // CHECK-NEXT: llvm.fence syncscope("wavefront") release
  // CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
  // OTHER: error: this target has no reads from global into workgroup memory to wait for
  tw.await_reads 4
  return
}
