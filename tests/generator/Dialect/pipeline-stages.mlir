// RUN: tw-opt %s -split-input-file --tw-pipeline-stages | FileCheck %s

// Two stages, one buffer: READ runs one iteration ahead, and a barrier on both
// sides of WRITE keeps it from COMPUTE's buffer.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @two_stages
// CHECK-SAME:  %[[G:.*]]: memref<?x256{{.*}}, %[[S:.*]]: memref<256xf32{{.*}}, %[[N:.*]]: index, %[[T:.*]]: index, %[[INIT:.*]]: f32
func.func @two_stages(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      %[[ANY:.*]] = arith.cmpi slt, %[[C0:.*]], %[[N]] : index
  // CHECK-NEXT: %[[R:.*]] = scf.if %[[ANY]] -> (f32) {
  // CHECK-NEXT:   %[[X0:.*]] = memref.load %[[G]][%[[C0]], %[[T]]]
  // CHECK-NEXT:   %[[Y0:.*]] = arith.negf %[[X0]]
  // CHECK-NEXT:   memref.store %[[Y0]], %[[S]]
  // CHECK-NEXT:   gpu.barrier {tw.workgroup_memory}
  // CHECK-NEXT:   %[[END:.*]] = arith.subi %[[N]], %[[C1:.*]] : index
  // CHECK-NEXT:   %[[LOOP:.*]] = scf.for %[[K:.*]] = %[[C0]] to %[[END]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[INIT]])
  // CHECK-NEXT:     %[[NEXT:.*]] = arith.addi %[[K]], %[[C1]] overflow<nsw>
  // CHECK-NEXT:     %[[X:.*]] = memref.load %[[G]][%[[NEXT]], %[[T]]]
  // CHECK-NEXT:     tw.stage_boundary after read{{$}}
  // CHECK-NEXT:     %[[Z:.*]] = memref.load %[[S]]
  // CHECK-NEXT:     %[[SUM:.*]] = arith.addf %[[ACC]], %[[Z]]
  // CHECK-NEXT:     tw.stage_boundary after compute{{$}}
  // CHECK-NEXT:     gpu.barrier {tw.workgroup_memory}
  // CHECK:          %[[Y:.*]] = arith.negf %[[X]]
  // CHECK-NEXT:     memref.store %[[Y]], %[[S]]
  // CHECK-NEXT:     gpu.barrier {tw.workgroup_memory}
  // CHECK-NEXT:     scf.yield %[[SUM]]
  // CHECK-NEXT:   }
  // CHECK:        %[[ZL:.*]] = memref.load %[[S]]
  // CHECK-NEXT:   %[[LAST:.*]] = arith.addf %[[LOOP]], %[[ZL]]
  // CHECK-NEXT:   scf.yield %[[LAST]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   scf.yield %[[INIT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    %y = arith.negf %x : f32
    memref.store %y, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32}
  return %r : f32
}

// -----

// Two buffers: one barrier, and the slots alternate.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<2x256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @two_stages_two_buffers
func.func @two_stages_two_buffers(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      memref.store %{{.*}}, %[[S:.*]][%[[FIRST:.*]], %{{.*}}]
  // CHECK-NEXT: gpu.barrier
  // CHECK:      scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %[[FIRST]]) -> (f32, index)
  // CHECK:        %[[PLUS:.*]] = arith.addi %[[SLOT]], %{{.*}}
  // CHECK:        %[[WRAPS:.*]] = arith.cmpi uge, %[[PLUS]], %[[TWO:.*]] : index
  // CHECK:        %[[MINUS:.*]] = arith.subi %[[PLUS]], %[[TWO]]
  // CHECK:        %[[OTHER:.*]] = arith.select %[[WRAPS]], %[[MINUS]], %[[PLUS]]
  // CHECK:        tw.stage_boundary after read
  // CHECK-NEXT:   memref.load %[[S]][%[[SLOT]],
  // CHECK-NOT:    gpu.barrier
  // CHECK:        tw.stage_boundary after compute
  // CHECK-NOT:    gpu.barrier
  // CHECK:        memref.store %{{.*}}, %[[S]][%[[OTHER]],
  // CHECK-NEXT:   gpu.barrier
  // CHECK-NEXT:   scf.yield %{{.*}}, %[[OTHER]]
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %slot = tw.buffer_slot
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%slot, %t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%slot, %t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32, tw.buffers = 2 : i32}
  return %r : f32
}

// -----

// Three stages: what READ reads is written to workgroup memory an iteration
// later, and the iteration before the last needs no READ.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @three_stages
func.func @three_stages(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      scf.if %{{.*}} -> (f32) {
  // CHECK:        %[[X0:.*]] = memref.load %[[G:.*]][%[[C0:.*]], %{{.*}}] :
  // CHECK:        %[[NONE:.*]] = ub.poison : f32
  // CHECK:        %[[X1:.*]] = scf.if %[[SECOND:.*]] -> (f32) {
  // CHECK:          memref.load %[[G]]
  // CHECK:        } else {
  // CHECK-NEXT:     scf.yield %[[NONE]]
  // CHECK:        memref.store %[[X0]], %[[S:.*]][
  // CHECK-NEXT:   gpu.barrier
  // CHECK:        %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[HELD:.*]] = %[[X1]])
  // CHECK:          %[[X:.*]] = memref.load %[[G]]
  // CHECK-NEXT:     tw.stage_boundary after read
  // CHECK:          arith.addf %[[ACC]]
  // CHECK-NEXT:     tw.stage_boundary after compute
  // CHECK-NEXT:     gpu.barrier
  // CHECK:          memref.store %[[HELD]], %[[S]]
  // CHECK-NEXT:     gpu.barrier
  // CHECK-NEXT:     scf.yield %{{.*}}, %[[X]]
  // CHECK:        %[[BEFORE:.*]] = scf.if %[[SECOND]] -> (f32) {
  // CHECK-NOT:      memref.load %[[G]]
  // CHECK:          arith.addf %[[LOOP]]#0
  // CHECK-NEXT:     tw.stage_boundary after compute
  // CHECK-NEXT:     gpu.barrier
  // CHECK:          memref.store %[[LOOP]]#1, %[[S]]
  // CHECK-NEXT:     gpu.barrier
  // CHECK:        } else {
  // CHECK-NEXT:     scf.yield %[[LOOP]]#0
  // CHECK:        arith.addf %[[BEFORE]]
  // CHECK-NOT:    gpu.barrier
  // CHECK:      return
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 3 : i32}
  return %r : f32
}

// -----

// READ straight into workgroup memory, three stages: the wait leaves one
// iteration's reads, two operations, in flight.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<3x256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @direct
func.func @direct(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      scf.if
  // CHECK-COUNT-2: amdgpu.gather_to_lds
  // CHECK:        scf.if %[[SECOND:.*]] {
  // CHECK-COUNT-2:  amdgpu.gather_to_lds
  // CHECK-NEXT:   }
  // CHECK-NOT:    gpu.barrier
  // CHECK:        scf.for
  // CHECK:          tw.await_reads 2
  // CHECK-NOT:      gpu.barrier
  // CHECK:          amdgpu.gather_to_lds
  // CHECK-NEXT:     amdgpu.gather_to_lds
  // CHECK-NEXT:     tw.stage_boundary after read
  // CHECK:          tw.stage_boundary after compute
  // CHECK-NEXT:     scf.yield
  // CHECK:        scf.if %[[SECOND]]
  // CHECK-NEXT:     tw.await_reads 2
  // CHECK:        } else {
  // CHECK:        tw.await_reads 0
  // CHECK:        arith.addf
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %slot = tw.buffer_slot
    amdgpu.gather_to_lds %g[%k, %t], %s[%slot, %c0] {tw.stage = #tw.stage<read>} : f32, !global, !shared
    amdgpu.gather_to_lds %g[%k, %t], %s[%slot, %c1] {tw.stage = #tw.stage<read>} : f32, !global, !shared
    %z = memref.load %s[%slot, %t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 3 : i32, tw.buffers = 3 : i32}
  return %r : f32
}

// -----

// Numbers of iterations that are known need no branches: 0, 1, and 2 of three
// stages.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @known
// CHECK-SAME:  %[[INIT:[a-z0-9]*]]: f32)
func.func @known(%g: !global, %s: !shared, %t: index, %init: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-NOT: scf.if
  // CHECK:     return %[[INIT]], %{{.*}}, %{{.*}} : f32, f32, f32
  %none = scf.for %k = %c0 to %c0 step %c1 iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32}
  %one = scf.for %k = %c0 to %c1 step %c1 iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 3 : i32}
  %two = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 3 : i32}
  return %none, %one, %two : f32, f32, f32
}

// -----

// In a nest, the prologue waits until all are through with the buffer.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @nest
func.func @nest(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      scf.for
  // CHECK:        scf.if
  // CHECK-NEXT:     gpu.barrier {tw.workgroup_memory}
  // CHECK-NEXT:     memref.load
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> f32 {
    %inner = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %outer) -> f32 {
      %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
      memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
      %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
      %sum = arith.addf %acc, %z : f32
      scf.yield %sum : f32
    } {tw.stages = 2 : i32}
    scf.yield %inner : f32
  }
  return %r : f32
}

// -----

// The loop says which boundaries there are and what they carry; of skewed waves
// half enters late, and the prologue's end, each boundary and the epilogue say so.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<2x256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @controls
func.func @controls(%g: !global, %s: !shared, %n: index, %t: index, %init: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      gpu.barrier
  // CHECK-NEXT: tw.stage_boundary after write skew <enter>
  // CHECK:      scf.for
  // CHECK:        tw.stage_boundary after read priority 1 skew <step>
  // CHECK:        tw.stage_boundary after compute interleave [#tw.group<workgroup_read, 1>, #tw.group<matrix, 2>] priority 0 skew <step>
  // CHECK:      tw.stage_boundary after read priority 1 skew <step>
  // CHECK:      arith.addf
  // CHECK-NEXT: tw.stage_boundary after compute {{.*}} skew <leave>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %slot = tw.buffer_slot
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%slot, %t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%slot, %t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32, tw.buffers = 2 : i32, tw.skew,
     tw.boundaries = {
       read = {priority = 1 : i32},
       compute = {interleave = [#tw.group<workgroup_read, 1>, #tw.group<matrix, 2>], priority = 0 : i32}}}
  // CHECK:      scf.for
  // CHECK-NOT:    after read
  // CHECK:        tw.stage_boundary after compute allow [#tw.instructions<vector_alu>]
  // CHECK:        scf.yield
  // CHECK:      } {unroll = 1 : i32}
  %q = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 {
    %slot = tw.buffer_slot
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%slot, %t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%slot, %t] {tw.stage = #tw.stage<compute>} : !shared
    %sum = arith.addf %acc, %z : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32, unroll = 1 : i32,
     tw.boundaries = {compute = {allow = [#tw.instructions<vector_alu>]}}}
  return %r, %q : f32, f32
}

// -----

// The last COMPUTE, behind the loop, is of the last iteration.

!global = memref<?x256xf32, #gpu.address_space<global>>
!shared = memref<256xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @compute_counts
// CHECK-SAME:  %[[BEGIN:[^:]*]]: index, %[[N:[^:]*]]: index, %[[STEP:[^:]*]]: index, %{{.*}}: index, %{{.*}}: index)
func.func @compute_counts(%g: !global, %s: !shared, %begin: index, %n: index, %step: index, %t: index, %init: index) -> index {
  // CHECK:      scf.for
  // CHECK:      %[[SPAN:.*]] = arith.subi %[[N]], %[[BEGIN]]
  // CHECK-NEXT: %[[COUNT:.*]] = arith.ceildivsi %[[SPAN]], %[[STEP]]
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[COUNT]], %[[ONE]]
  // CHECK-NEXT: %[[DISTANCE:.*]] = arith.muli %[[BEFORE]], %[[STEP]]
  // CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[BEGIN]], %[[DISTANCE]]
  // CHECK:      arith.muli %{{.*}}, %[[LAST]]
  %r = scf.for %k = %begin to %n step %step iter_args(%acc = %init) -> index {
    %x = memref.load %g[%k, %t] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%t] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%t] {tw.stage = #tw.stage<compute>} : !shared
    %i = arith.fptoui %z : f32 to i32
    %j = arith.index_cast %i : i32 to index
    %product = arith.muli %j, %k : index
    %sum = arith.addi %acc, %product : index
    scf.yield %sum : index
  } {tw.stages = 2 : i32}
  return %r : index
}
