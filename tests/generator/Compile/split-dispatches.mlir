// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-split-dispatches --canonicalize | FileCheck %s

module attributes {tw.threads = 4 : i64, tw.least_task = 32768 : i64} {

// Rows and columns are divided, each task has a piece of the scratch; tasks are called where there is work for two.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %[[X:.*]]: memref<1xf32> {{.*}}, %[[N:[a-z0-9]+]]: i64, %{{.*}}: memref<1xf32> {llvm.noalias, tw.scratch}, %{{.*}}: i64, %{{.*}}: f32,
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr {tw.parallel_for})
// CHECK-NOT:     scf.for
// CHECK:         %[[TASK:.*]] = llvm.mlir.addressof @rows.part.task
// CHECK:         %[[ALONE:.*]] = llvm.icmp "eq" %[[P]], %{{.*}} : !llvm.ptr
// CHECK:         arith.divui %{{.*}}, %c32768
// CHECK:         arith.minui %{{.*}}, %c4
// CHECK:         arith.select %[[ALONE]], %c1, %{{.*}} : index
// CHECK:         scf.if
// CHECK:           func.call @rows.part(%[[X]], {{.*}}, %[[P]], %c0_i64,
// CHECK:         } else {
// CHECK:           llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[TASK]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-LABEL: func.func private @rows.part(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:     tw.work
// CHECK-LABEL: llvm.func internal @rows.part.task(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[I:.*]]: i64)
// The size that all calls pass, and the piece of the scratch.
// CHECK-DAG:     %[[C10:.*]] = arith.constant 10 : i64
// CHECK-DAG:     llvm.mul %{{.*}}, %[[I]] : i64
// CHECK:         func.call @rows.part(%{{.*}}, %[[C10]], {{.*}}, %[[I]],
func.func private @rows(%x: memref<1xf32> {llvm.noalias}, %n: i64, %s: memref<1xf32> {llvm.noalias, tw.scratch}, %s0: i64, %f: f32,
                        %p: !llvm.ptr {tw.parallel_for}) attributes {tw.dispatch = "rows", tw.dispatch_type = () -> ()} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %rows = arith.index_cast %n : i64 to index
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 64], strides: [64, 1] : memref<1xf32> to memref<?x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %work = arith.muli %rows, %c64 : index
      tw.work %work
      memref.store %f, %s[%c0] : memref<1xf32>
      memref.store %f, %view[%i, %j] : memref<?x64xf32>
    } {tw.parallel}
  } {tw.parallel}
  return
}

// What a loop leaves for the next one, a loop that nobody says to be parallel, and other work in memory stay together.
// CHECK-LABEL: func.func private @shares_stack(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:   @shares_stack.part
func.func private @shares_stack(%x: memref<1xf32>, %n: i64, %p: !llvm.ptr {tw.parallel_for})
    attributes {tw.dispatch = "shares", tw.dispatch_type = () -> ()} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i64 to index
  %stack = memref.alloca() : memref<8xf32>
  scf.for %i = %c0 to %rows step %c1 {
    memref.store %zero, %stack[%i] : memref<8xf32>
  } {tw.parallel}
  scf.for %i = %c0 to %rows step %c1 {
    %v = memref.load %stack[%i] : memref<8xf32>
    memref.store %v, %x[%c0] : memref<1xf32>
  } {tw.parallel}
  return
}

// CHECK-LABEL: func.func private @sums(
// CHECK:         scf.for
// CHECK-NOT:   @sums.part
func.func private @sums(%x: memref<1xf32>, %n: i64, %p: !llvm.ptr {tw.parallel_for})
    attributes {tw.dispatch = "sums", tw.dispatch_type = () -> ()} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.index_cast %n : i64 to index
  scf.for %i = %c0 to %rows step %c1 {
    %v = memref.load %x[%c0] : memref<1xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%c0] : memref<1xf32>
  }
  return
}

// Two loops one after the other are two functions.
// CHECK-LABEL: func.func private @two(
// CHECK:         call @two.part(
// CHECK:         call @two.part1(
func.func private @two(%x: memref<1xf32>, %y: memref<1xf32>, %n: i64, %p: !llvm.ptr {tw.parallel_for})
    attributes {tw.dispatch = "two", tw.dispatch_type = () -> ()} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i64 to index
  scf.for %i = %c0 to %rows step %c1 {
    tw.work %rows
    memref.store %zero, %x[%i] : memref<1xf32>
  } {tw.parallel}
  scf.for %i = %c0 to %rows step %c1 {
    tw.work %rows
    memref.store %zero, %y[%i] : memref<1xf32>
  } {tw.parallel}
  return
}

func.func @caller(%x: memref<1xf32>, %s: memref<1xf32>, %f: f32, %p: !llvm.ptr {tw.parallel_for}) {
  %n = arith.constant 10 : i64
  %s0 = arith.constant 64 : i64
  call @rows(%x, %n, %s, %s0, %f, %p) : (memref<1xf32>, i64, memref<1xf32>, i64, f32, !llvm.ptr) -> ()
  call @rows(%s, %n, %x, %s0, %f, %p) : (memref<1xf32>, i64, memref<1xf32>, i64, f32, !llvm.ptr) -> ()
  return
}

}
