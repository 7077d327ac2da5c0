// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-load-parameters | FileCheck %s

// Two names of one content, which is one parameter; and equal elements, which
// are none. The pointer is passed on by all that call a function that reads it.
module attributes {tw.external_constants = {
    a = dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>,
    b = dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>,
    c = dense<"0x01020304"> : tensor<4xi8>,
    same = dense<1.0> : tensor<4xf32>}} {
  memref.global constant @a : memref<4xf32>
  memref.global constant @b : memref<2x2xf32>
  memref.global constant @c : memref<4xi8>
  memref.global constant @same : memref<4xf32>
  func.func private @use(%x: memref<4xf32>)
  func.func private @body(%x: i64) {
    %a = memref.get_global @a : memref<4xf32>
    %b = memref.get_global @b : memref<2x2xf32>
    %c = memref.get_global @c : memref<4xi8>
    %same = memref.get_global @same : memref<4xf32>
    call @use(%a) : (memref<4xf32>) -> ()
    call @use(%same) : (memref<4xf32>) -> ()
    %0 = memref.collapse_shape %b [[0, 1]] : memref<2x2xf32> into memref<4xf32>
    call @use(%0) : (memref<4xf32>) -> ()
    return
  }
  func.func @entry(%x: i64) {
    call @body(%x) : (i64) -> ()
    return
  }
  func.func @other(%x: i64) {
    return
  }
}

// CHECK:       module attributes {tw.external_constants = {same = {{.*}}}, tw.parameters = {{\[\[}}"tw.constant.{{[0-9a-f]+}}", dense<{{.*}}> : tensor<4xf32>, 256], ["tw.constant.{{[0-9a-f]+}}", dense<[1, 2, 3, 4]> : tensor<4xi8>, 320{{\]\]}}}
// CHECK-NOT:   memref.global constant @a
// CHECK:       memref.global constant @same
// CHECK-LABEL: func.func private @body(
// CHECK-SAME:    %{{.*}}: i64, %[[FILE:.*]]: memref<1xi8>)
// CHECK:         memref.reinterpret_cast %[[FILE]] to offset: [0], sizes: [272], strides: [1]
// CHECK:         memref.view %{{.*}}[%c256{{.*}}][] : memref<272xi8> to memref<4xf32>
// CHECK:         memref.view %{{.*}}[%c256{{.*}}][] : memref<272xi8> to memref<2x2xf32>
// CHECK:         memref.view %{{.*}}[%c320{{.*}}][] : memref<324xi8> to memref<4xi8>
// CHECK:         memref.get_global @same
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[X:.*]]: i64, %[[FILE:.*]]: memref<1xi8>)
// CHECK:         call @body(%[[X]], %[[FILE]]) : (i64, memref<1xi8>) -> ()
// CHECK-LABEL: func.func @other(%{{.*}}: i64) {
