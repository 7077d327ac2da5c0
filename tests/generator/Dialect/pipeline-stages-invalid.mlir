// RUN: tw-opt %s --tw-pipeline-stages --split-input-file --verify-diagnostics

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @depth(%g: !global, %s: !shared, %n: index, %one: index) {
  // expected-error @below {{tw.stages = 4: loops are pipelined over 2 or 3 iterations}}
  scf.for %k = %n to %n step %one {
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 4 : i32}
  return
}

// -----

func.func @buffer_count(%n: index, %one: index) {
  // expected-error @below {{tw.buffers = 0: expected 1 to 16 buffers}}
  scf.for %k = %n to %n step %one {
  } {tw.stages = 2 : i32, tw.buffers = 0 : i32}
  return
}

// -----

func.func @negative_step(%n: index) {
  %down = arith.constant -1 : index
  // expected-error @below {{cannot pipeline a loop whose step is not positive}}
  scf.for %k = %n to %n step %down {
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @unsigned(%n: index, %one: index) {
  // expected-error @below {{cannot pipeline a loop that compares unsigned}}
  scf.for unsigned %k = %n to %n step %one {
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>

func.func @unmarked(%g: !global, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{has memory effects but no stage; mark it with tw.stage}}
    %x = memref.load %g[%k] : !global
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @barrier(%n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{in a loop to be pipelined: the pass places those}}
    gpu.barrier
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func private @somewhere()

func.func @unknown_effects(%n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{cannot pipeline an operation of unknown memory effects}}
    func.call @somewhere() {tw.stage = #tw.stage<compute>} : () -> ()
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @allocation(%n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{cannot pipeline an operation that allocates or frees memory}}
    %m = memref.alloc() {tw.stage = #tw.stage<compute>} : memref<f32>
  } {tw.stages = 2 : i32}
  return
}

// -----

!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @read_of_workgroup_memory(%s: !shared, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{READ reads workgroup memory, which runs ahead of what WRITE puts there}}
    %x = memref.load %s[] {tw.stage = #tw.stage<read>} : !shared
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @read_of_workgroup_pointer(%p: !llvm.ptr<3>, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{READ reads workgroup memory}}
    %x = llvm.load %p {tw.stage = #tw.stage<read>} : !llvm.ptr<3> -> f32
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @read_writes(%m: memref<f32>, %x: f32, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{READ writes other than workgroup memory, ahead of its iteration}}
    memref.store %x, %m[] {tw.stage = #tw.stage<read>} : memref<f32>
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @write_elsewhere(%m: memref<f32>, %x: f32, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{WRITE may only write workgroup memory; this writes other memory}}
    memref.store %x, %m[] {tw.stage = #tw.stage<write>} : memref<f32>
  } {tw.stages = 2 : i32}
  return
}

// -----

!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @write_reads(%s: !shared, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{WRITE may only write workgroup memory; this reads}}
    %x = memref.load %s[] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 2 : i32}
  return
}

// -----

func.func @compute_writes(%m: memref<f32>, %x: f32, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    // expected-error @below {{COMPUTE may not write memory, which READ would no longer see in time}}
    memref.store %x, %m[] {tw.stage = #tw.stage<compute>} : memref<f32>
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>

func.func @compute_of_registers(%g: !global, %n: index, %one: index, %init: f32) -> f32 {
  %r = scf.for %k = %n to %n step %one iter_args(%acc = %init) -> f32 {
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
    // expected-error @below {{COMPUTE uses what READ holds in registers; data passes from READ to COMPUTE through workgroup memory}}
    %sum = arith.addf %acc, %x : f32
    scf.yield %sum : f32
  } {tw.stages = 2 : i32}
  return %r : f32
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @read_of_computed(%g: !global, %s: !shared, %n: index, %one: index) {
  scf.for %k = %n to %n step %one {
    %z = memref.load %s[] {tw.stage = #tw.stage<compute>} : !shared
    // expected-error @below {{READ uses a value of COMPUTE, which comes later in the pipeline}}
    %i = arith.fptosi %z : f32 to i32
    %j = arith.index_cast %i : i32 to index
    %x = memref.load %g[%j] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>

func.func @read_of_carried(%g: !global, %n: index, %one: index) -> index {
  %r = scf.for %k = %n to %n step %one iter_args(%i = %n) -> index {
    // expected-error @below {{READ needs a value that the loop carries, and runs ahead of it}}
    %x = memref.load %g[%i] {tw.stage = #tw.stage<read>} : !global
    %j = arith.addi %i, %one : index
    scf.yield %j : index
  } {tw.stages = 2 : i32}
  return %r : index
}

// -----

!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @nothing_to_read(%s: !shared, %x: f32, %n: index, %one: index) {
  // expected-error @below {{no operation is marked READ: nothing to pipeline}}
  scf.for %k = %n to %n step %one {
    memref.store %x, %s[] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>

func.func @nothing_to_write(%g: !global, %n: index, %one: index) {
  // expected-error @below {{no operation is marked WRITE, and READ does not write workgroup memory itself}}
  scf.for %k = %n to %n step %one {
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<4xf32, #gpu.address_space<workgroup>>

func.func @both_ways(%g: !global, %s: !shared, %n: index, %one: index) {
  // expected-error @below {{READ writes workgroup memory, and there is a WRITE: data goes one way or the other}}
  scf.for %k = %n to %n step %one {
    amdgpu.gather_to_lds %g[%k], %s[%one] {tw.stage = #tw.stage<read>} : f32, !global, !shared
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%k] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<2x64xf32, #gpu.address_space<workgroup>>

func.func @too_few_buffers(%g: !global, %s: !shared, %n: index, %one: index) {
  // expected-error @below {{reads straight into workgroup memory, 3 stages: expected at least 3 buffers, not 2, because READ would overwrite what COMPUTE uses}}
  scf.for %k = %n to %n step %one {
    %slot = tw.buffer_slot
    amdgpu.gather_to_lds %g[%k], %s[%slot, %one] {tw.stage = #tw.stage<read>} : f32, !global, !shared
  } {tw.stages = 3 : i32, tw.buffers = 2 : i32}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<f32, #gpu.address_space<workgroup>>

func.func @skew_of_one_buffer(%g: !global, %s: !shared, %n: index, %one: index) {
  // expected-error @below {{waves half of which run behind need 2 buffers: one half writes while the other computes}}
  scf.for %k = %n to %n step %one {
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[] {tw.stage = #tw.stage<write>} : !shared
  } {tw.stages = 2 : i32, tw.skew}
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!shared = memref<2xf32, #gpu.address_space<workgroup>>

func.func @slot_not_used(%g: !global, %s: !shared, %n: index, %one: index) {
  // expected-error @below {{2 buffers, but COMPUTE does not use tw.buffer_slot to choose one}}
  scf.for %k = %n to %n step %one {
    %slot = tw.buffer_slot
    %x = memref.load %g[%k] {tw.stage = #tw.stage<read>} : !global
    memref.store %x, %s[%slot] {tw.stage = #tw.stage<write>} : !shared
    %z = memref.load %s[%one] {tw.stage = #tw.stage<compute>} : !shared
  } {tw.stages = 2 : i32, tw.buffers = 2 : i32}
  return
}
