// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-hoist-scratch --allow-unregistered-dialect --canonicalize --cse | FileCheck %s

// Each caller has memory of its own, of the size for its call.
// CHECK-LABEL: func.func @caller(
// CHECK:         %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<24xf32>
// CHECK:         tw.dispatch @rows ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}}, %{{.*}} : memref<4xf32>, memref<?xf32>) accumulates [false, false]
// CHECK:         %[[B:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK:         tw.dispatch @rows ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}}, %[[B]] : memref<4xf32>, memref<?xf32>) accumulates [false, false]
func.func @caller(%x: memref<4x8xf32>, %y: memref<4x?xf32>, %r: memref<4xf32>) {
  tw.dispatch @rows ins(%x : memref<4x8xf32>) outs(%r : memref<4xf32>) accumulates [false]
  tw.dispatch @rows ins(%y : memref<4x?xf32>) outs(%r : memref<4xf32>) accumulates [false]
  return
}

// Small buffers are on the stack.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %{{.*}}: memref<1xf32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: memref<1xf32>, %{{.*}}: i64, %[[S:.*]]: memref<1xf32> {llvm.noalias}, %{{.*}}: i64)
// CHECK-SAME:    tw.dispatch_type = (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NOT:     memref.alloc(
// CHECK:         memref.alloca() : memref<f32>
// CHECK-NOT:     memref.alloc(
// CHECK:         %[[ROW:.*]] = memref.reinterpret_cast %[[S]] to offset: [0], sizes: [3, %{{.*}}], strides: [%{{.*}}, 1] : memref<1xf32> to memref<3x?xf32>
// CHECK:         "test.use"(%[[ROW]],
func.func private @rows(%a: memref<1xf32>, %a0: i64, %a1: i64, %b: memref<1xf32>, %b0: i64)
    attributes {tw.dispatch = "rows", tw.dispatch_type = (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>} {
  %n = arith.index_cast %a1 : i64 to index
  %row = memref.alloc(%n) {alignment = 64 : i64} : memref<3x?xf32>
  %sum = memref.alloc() : memref<f32>
  "test.use"(%row, %sum) : (memref<3x?xf32>, memref<f32>) -> ()
  return
}
