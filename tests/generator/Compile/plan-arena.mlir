// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-plan-arena --split-input-file | FileCheck %s

// Three buffers of which two are in use at a time; @dispatch uses its operands.
func.func private @dispatch(%x: memref<16xf32>, %y: memref<16xf32>)
func.func private @static.body(%a: memref<1xf32>, %r: memref<1xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %in = memref.reinterpret_cast %a to offset: [0], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32>
  %out = memref.reinterpret_cast %r to offset: [0], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32>
  %x = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
  %z = memref.alloc() {alignment = 64 : i64} : memref<17xi8>
  func.call @dispatch(%in, %x) : (memref<16xf32>, memref<16xf32>) -> ()
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  func.call @dispatch(%x, %flat) : (memref<16xf32>, memref<16xf32>) -> ()
  %c1 = arith.constant 1 : i8
  linalg.fill ins(%c1 : i8) outs(%z : memref<17xi8>)
  func.call @dispatch(%flat, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  return %ok : i32
}
func.func private @static.check() -> i32 {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @static(%a: memref<1xf32>, %r: memref<1xf32>) -> i32
    attributes {tw.c_arguments = ["const float *a", "float *result"], tw.c_results = []} {
  %s = call @static.check() : () -> i32
  %b = call @static.body(%a, %r) : (memref<1xf32>, memref<1xf32>) -> i32
  return %b : i32
}

// %z is where %x was.
// CHECK-LABEL: func.func private @static.body(
// CHECK-SAME:    %[[ARENA:[a-z0-9]+]]: memref<1xi8>) -> i32
// CHECK-DAG:     %[[ALL:.*]] = memref.reinterpret_cast %[[ARENA]] to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<1xi8> to memref<?xi8>
// CHECK:         memref.view %[[ALL]][%[[X:c0.*]]][] : memref<?xi8> to memref<16xf32>
// CHECK:         memref.view %[[ALL]][%c64{{.*}}][] : memref<?xi8> to memref<4x4xf32>
// CHECK:         memref.view %[[ALL]][%c0{{.*}}][] : memref<?xi8> to memref<17xi8>
// CHECK-NOT:     memref.alloc

// CHECK-LABEL: func.func @static(
// CHECK-SAME:    tw.arena = {buffers = 3 : i64, others = [], parameters = [], slots = [], static_bytes = 128 : i64}
// CHECK:         %[[NEEDED:.*]] = call @static_workspace_bytes() : () -> i64
// CHECK:         scf.if
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[NEEDED]]
// CHECK:         %[[MEMORY:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[MEMORY]]
// CHECK:         scf.if
// CHECK:         func.call @static.body(

// CHECK-LABEL: func.func @static_workspace_bytes() -> i64
// CHECK:         call @static.check() : () -> i32
// CHECK-LABEL: func.func @static_with_workspace(
// CHECK-SAME:    %[[MEMORY:[a-z0-9]+]]: memref<1xi8>, %[[BYTES:.*]]: i64) -> i32
// CHECK:         memref.extract_aligned_pointer_as_index %[[MEMORY]]
// CHECK:         arith.cmpi slt, %[[BYTES]], %{{.*}} : i64
// CHECK:         scf.if
// CHECK:         func.call @static.body(%{{.*}}, %{{.*}}, %[[MEMORY]])

// -----

// Dynamic ones share slots, as %x and %y, whose use begins later; what iteration arguments and results of scf are, the
// buffer is too; and what an iteration leaves to the next stays an allocation,
// as what has a size from data.
func.func private @use(%x: memref<?xf32>)
func.func private @dynamic.body(%a: memref<1xf32>, %n: i64 {tw.size}, %d: memref<1xindex>) -> i32 {
  %ok = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %i = arith.index_cast %n : i64 to index
  %i2 = arith.muli %i, %c9 : index
  %x = memref.alloc(%i) : memref<?xf32>
  %y = memref.alloc(%i2) : memref<?xf32>
  func.call @use(%x) : (memref<?xf32>) -> ()
  %last = scf.for %k = %c0 to %c9 step %c1 iter_args(%acc = %y) -> memref<?xf32> {
    %inner = memref.alloc(%i) : memref<?xf32>
    func.call @use(%inner) : (memref<?xf32>) -> ()
    scf.yield %acc : memref<?xf32>
  }
  %z = memref.alloc(%i) : memref<?xf32>
  func.call @use(%z) : (memref<?xf32>) -> ()
  func.call @use(%last) : (memref<?xf32>) -> ()
  %w = scf.for %k = %c0 to %c9 step %c1 iter_args(%acc = %y) -> memref<?xf32> {
    %next = memref.alloc(%i2) : memref<?xf32>
    func.call @use(%next) : (memref<?xf32>) -> ()
    scf.yield %next : memref<?xf32>
  }
  func.call @use(%w) : (memref<?xf32>) -> ()
  %size = memref.load %d[%c0] : memref<1xindex>
  %data = memref.alloc(%size) : memref<?xf32>
  func.call @use(%data) : (memref<?xf32>) -> ()
  return %ok : i32
}
func.func private @dynamic.check(%n: i64) -> i32 {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @dynamic(%a: memref<1xf32>, %n: i64, %d: memref<1xindex>) -> i32
    attributes {tw.c_arguments = ["const float *a", "int64_t a_d0", "const int64_t *d"], tw.c_results = []} {
  %s = call @dynamic.check(%n) : (i64) -> i32
  %b = call @dynamic.body(%a, %n, %d) : (memref<1xf32>, i64, memref<1xindex>) -> i32
  return %b : i32
}

// CHECK-LABEL: func.func private @dynamic.body(
// CHECK:         %[[X:.*]] = memref.view %[[ALL:.*]][%[[SLOT:.*]]][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK:         %[[Y:.*]] = memref.view %[[ALL]][%[[SLOT]]][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK:         scf.for
// CHECK:         memref.view %[[ALL]][%[[OTHER:.*]]][%{{.*}}]
// CHECK:         memref.view %[[ALL]][%[[OTHER]]]
// CHECK:         scf.for
// CHECK:         memref.alloc(
// CHECK:         memref.alloc(
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    buffers = 4 : i64
// CHECK-SAME:    others = ["memref<?xf32>: an iteration of a loop leaves it to the next", "memref<?xf32>: its size does not follow from sizes that the caller passes"]
// CHECK-SAME:    parameters = ["int64_t a_d0"]
// CHECK-SAME:    slots = ["a_d0 * 36", "a_d0 * 4"]
// CHECK-LABEL: func.func @dynamic_workspace_bytes(
// CHECK:         arith.mulsi_extended

// -----

// A branch that only chooses became a select: what is chosen is in use as long as the choice, and %z has no place of theirs.
func.func private @dispatch(%x: memref<16xf32>, %y: memref<16xf32>)
func.func private @chosen.body(%n: i64, %a: memref<1xf32>, %r: memref<1xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %in = memref.reinterpret_cast %a to offset: [0], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32>
  %out = memref.reinterpret_cast %r to offset: [0], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32>
  %x = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %z = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  func.call @dispatch(%in, %x) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @dispatch(%in, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  %c = arith.trunci %n : i64 to i1
  %s = arith.select %c, %x, %y : memref<16xf32>
  func.call @dispatch(%in, %z) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @dispatch(%s, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @dispatch(%z, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  return %ok : i32
}
func.func private @chosen.check(%n: i64) -> i32 {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @chosen(%n: i64, %a: memref<1xf32>, %r: memref<1xf32>) -> i32
    attributes {tw.c_arguments = ["int64_t n", "const float *a", "float *result"], tw.c_results = []} {
  %s = call @chosen.check(%n) : (i64) -> i32
  %b = call @chosen.body(%n, %a, %r) : (i64, memref<1xf32>, memref<1xf32>) -> i32
  return %b : i32
}
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:    tw.arena = {buffers = 3 : i64, others = [], parameters = ["int64_t n"], slots = [], static_bytes = 192 : i64}
