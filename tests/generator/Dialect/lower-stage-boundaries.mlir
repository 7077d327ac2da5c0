// RUN: tw-opt %s --tw-lower-stage-boundaries-to-amdgpu | FileCheck %s --check-prefix=AMDGPU
// RUN: tw-opt %s --tw-pipeline-stages --tw-lower-stage-boundaries-to-amdgpu | FileCheck %s --check-prefix=LOOP
// RUN: tw-opt %s --tw-pipeline-stages --tw-erase-stage-boundaries | FileCheck %s --check-prefix=OTHER

// Nowhere else does anything of `tw` remain.
// OTHER-NOT: tw.

gpu.module @kernels {
  // AMDGPU-LABEL: gpu.func @boundaries
  // OTHER-LABEL: gpu.func @boundaries
  // OTHER-NEXT:    memref.store
  // OTHER-NEXT:    memref.store
  // OTHER-NEXT:    memref.store
  // OTHER-NEXT:    gpu.barrier{{$}}
  // OTHER-NEXT:    gpu.barrier{{$}}
  // OTHER-NEXT:    gpu.return
  gpu.func @boundaries(%a: memref<f32>, %x: f32) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>} {
    // AMDGPU-NEXT: amdgpu.sched_barrier allow = <none>
    // AMDGPU-NEXT: memref.store
    tw.stage_boundary after read
    memref.store %x, %a[] : memref<f32>
    // AMDGPU-NEXT: amdgpu.sched_barrier allow = <valu|salu|transcendental>
    // AMDGPU-NEXT: memref.store
    tw.stage_boundary after compute allow [#tw.instructions<vector_alu>,
      #tw.instructions<scalar_alu>, #tw.instructions<transcendental>]
    memref.store %x, %a[] : memref<f32>
    // AMDGPU-NEXT: rocdl.sched.group.barrier 256, 1, 0
    // AMDGPU-NEXT: rocdl.sched.group.barrier 8, 2, 0
    // AMDGPU-NEXT: amdgpu.sched_barrier allow = <none>
    // AMDGPU-NEXT: rocdl.s.setprio 1
    // AMDGPU-NEXT: memref.store
    tw.stage_boundary after compute
      interleave [#tw.group<workgroup_read, 1>, #tw.group<matrix, 2>] priority 1
    memref.store %x, %a[] : memref<f32>
    // A barrier for workgroup memory waits for nothing else; any other stays.
    // AMDGPU-NEXT: amdgpu.lds_barrier
    // AMDGPU-NEXT: gpu.barrier{{$}}
    gpu.barrier {tw.workgroup_memory}
    gpu.barrier
    gpu.return
  }

  // The upper half waits once more at the beginning, the lower half at the end.
  // AMDGPU-LABEL: gpu.func @skew
  // OTHER-LABEL: gpu.func @skew
  // OTHER-NEXT:    gpu.return
  gpu.func @skew() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    // AMDGPU:      %[[T:.*]] = gpu.thread_id x
    // AMDGPU:      %[[I:.*]] = arith.index_cast %[[T]] : index to i32
    // AMDGPU:      %[[FIRST:.*]] = rocdl.readfirstlane %[[I]]
    // AMDGPU:      %[[HALF:.*]] = arith.constant 256 : i32
    // AMDGPU:      %[[UPPER:.*]] = arith.cmpi sge, %[[FIRST]], %[[HALF]]
    // AMDGPU:      scf.if %[[UPPER]] {
    // AMDGPU-NEXT:   rocdl.s.barrier
    // AMDGPU-NEXT: }
    tw.stage_boundary after write skew <enter>
    // AMDGPU:      amdgpu.sched_barrier allow = <none>
    // AMDGPU:      llvm.fence syncscope("wavefront") release
    // AMDGPU-NEXT: amdgpu.memory_counter_wait ds(0)
    // AMDGPU-NEXT: rocdl.s.barrier
    // AMDGPU-NEXT: llvm.fence syncscope("wavefront") acquire
    // AMDGPU-NEXT: amdgpu.sched_barrier allow = <none>
    tw.stage_boundary after read skew <step>
    // AMDGPU:      arith.cmpi slt
    // AMDGPU:      scf.if
    // AMDGPU-NEXT:   rocdl.s.barrier
    tw.stage_boundary after compute skew <leave>
    gpu.return
  }

  // LOOP-LABEL: gpu.func @loop
  // LOOP:      scf.for
  // LOOP:        memref.load
  // LOOP-NEXT:   amdgpu.sched_barrier allow = <none>
  // LOOP-NEXT:   memref.load
  // LOOP-NEXT:   arith.addf
  // LOOP-NEXT:   amdgpu.sched_barrier allow = <none>
  // LOOP-NEXT:   amdgpu.lds_barrier
  // OTHER-LABEL: gpu.func @loop
  // OTHER:      scf.for
  // OTHER:        memref.load
  // OTHER-NEXT:   memref.load
  // OTHER-NEXT:   arith.addf
  // OTHER-NEXT:   gpu.barrier{{$}}
  gpu.func @loop(%g: memref<?xf32, #gpu.address_space<global>>,
                 %s: memref<f32, #gpu.address_space<workgroup>>,
                 %n: index, %init: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
      %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : memref<?xf32, #gpu.address_space<global>>
      memref.store %x, %s[] {tw.stage = #tw.stage<write>} : memref<f32, #gpu.address_space<workgroup>>
      %z = memref.load %s[] {tw.stage = #tw.stage<compute>} : memref<f32, #gpu.address_space<workgroup>>
      %sum = arith.addf %acc, %z : f32
      scf.yield %sum : f32
    } {tw.stages = 2 : i32}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }
}
