// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-hoist-scratch --allow-unregistered-dialect --canonicalize --cse | FileCheck %s

// What one parallel loop has for itself, each task has, on cache lines of its own: 16 f32, for 4 tasks. That the loop's bound asks for a
// size of it is no use.
module attributes {tw.threads = 4 : i64} {
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:      %{{.*}}: memref<?xf32>, %[[N:.*]]: i64)
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         %[[S:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:         %[[LINES:.*]] = arith.ceildivsi %[[S]], %[[C16]] : index
// CHECK:         %[[ALL:.*]] = arith.muli %[[LINES]], %[[C64]] : index
// CHECK:         memref.alloc(%[[ALL]]) {{.*}} : memref<?xf32>
func.func @caller(%r: memref<?xf32>, %n: i64) {
  tw.dispatch @rows ins(%n : i64) outs(%r : memref<?xf32>) accumulates [false]
  return
}

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:      %{{.*}}: memref<1xf32> {llvm.noalias, tw.scratch}, %{{.*}}: i64)
func.func private @rows(%n: i64, %b: memref<1xf32>, %b0: i64)
    attributes {tw.dispatch = "rows", tw.dispatch_type = (i64, tensor<?xf32>) -> tensor<?xf32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.index_cast %n : i64 to index
  %row = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
  %end = memref.dim %row, %c0 : memref<?xf32>
  scf.for %i = %c0 to %end step %c1 {
    "test.use"(%row) : (memref<?xf32>) -> ()
  } {tw.parallel}
  return
}
}
