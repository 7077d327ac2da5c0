// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-plain-products --canonicalize --cse | FileCheck %s
// RUN: tw-opt %s --tw-plain-products=convolutions=false | FileCheck %s --check-prefix=LOOPS

// Where convolutions are loops, their zero points stay in these.
// LOOPS-LABEL: func.func @both(
// LOOPS-NOT:     linalg.quantized_matmul
// LOOPS-LABEL: func.func @windows(
// LOOPS-NOT:     linalg.fill
// LOOPS:         linalg.conv_2d_nhwc_hwcf_q
// LOOPS-LABEL: func.func @depthwise(

// Both zero points come with the call: rows of x and columns of y are summed up.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:      %[[X:.*]]: tensor<?x8xi8>, %[[Y:.*]]: tensor<8x4xi8>, %[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: tensor<?x4xi32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:    ^bb0(%[[XE:.*]]: i8, %[[YE:.*]]: i8, %[[O:.*]]: i32):
// CHECK-NEXT:      %[[XW:.*]] = arith.extsi %[[XE]]
// CHECK-NEXT:      %[[YW:.*]] = arith.extsi %[[YE]]
// CHECK-NEXT:      %[[XY:.*]] = arith.muli %[[XW]], %[[YW]]
// CHECK-NEXT:      arith.addi %[[O]], %[[XY]]
// CHECK:         %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[X]] :
// CHECK:         %[[COLUMNS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[Y]] :
// CHECK:         %[[AB:.*]] = arith.muli %[[B]], %[[A]]
// CHECK:         %[[KAB:.*]] = arith.muli %[[AB]], %c8
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[ROWS]], %[[COLUMNS]] :
// CHECK-NEXT:    ^bb0(%[[PE:.*]]: i32, %[[RE:.*]]: i32, %[[CE:.*]]: i32,
// CHECK-NEXT:      %[[BR:.*]] = arith.muli %[[RE]], %[[B]]
// CHECK-NEXT:      %[[S:.*]] = arith.subi %[[PE]], %[[BR]]
// CHECK-NEXT:      %[[AC:.*]] = arith.muli %[[CE]], %[[A]]
// CHECK-NEXT:      %[[T:.*]] = arith.subi %[[S]], %[[AC]]
// CHECK-NEXT:      arith.addi %[[T]], %[[KAB]]
// CHECK:         return %[[R]]
func.func @both(%x: tensor<?x8xi8>, %y: tensor<8x4xi8>, %a: i32, %b: i32, %c: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %r = linalg.quantized_matmul ins(%x, %y, %a, %b : tensor<?x8xi8>, tensor<8x4xi8>, i32, i32)
      outs(%c : tensor<?x4xi32>) -> tensor<?x4xi32>
  return %r : tensor<?x4xi32>
}

// Zeros take nothing off; columns of a constant are known: 1 - 2, 3 + 4.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT:     linalg.quantized_matmul
// CHECK:         %[[COLUMNS:.*]] = arith.constant dense<[-1, 7]> : tensor<2xi32>
// CHECK:         %[[P:.*]] = linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[COLUMNS]] :
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @constant(%x: tensor<?x2xi8>, %a: i32, %c: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %y = arith.constant dense<[[1, 3], [-2, 4]]> : tensor<2x2xi8>
  %zero = arith.constant 0 : i32
  %r = linalg.quantized_matmul ins(%x, %y, %a, %zero : tensor<?x2xi8>, tensor<2x2xi8>, i32, i32)
      outs(%c : tensor<?x2xi32>) -> tensor<?x2xi32>
  return %r : tensor<?x2xi32>
}

// Sums over the windows of a convolution.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x8x8x16xi8>
// CHECK:         %[[W:.*]] = tensor.empty() : tensor<3x3x16xi32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<1x6x6xi32>)
func.func @windows(%x: tensor<1x8x8x16xi8>, %w: tensor<3x3x16x8xi8>, %b: i32, %c: tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32> {
  %zero = arith.constant 0 : i32
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %zero, %b : tensor<1x8x8x16xi8>, tensor<3x3x16x8xi8>, i32, i32)
      outs(%c : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  return %r : tensor<1x6x6x8xi32>
}

// No tile computes it: it stays.
// CHECK-LABEL: func.func @depthwise(
// CHECK-NEXT:    linalg.depthwise_conv_2d_nhwc_hwc_q
// CHECK-NEXT:    return
func.func @depthwise(%x: tensor<1x8x8x16xi8>, %w: tensor<3x3x16xi8>, %a: i32, %b: i32, %c: tensor<1x6x6x16xi32>) -> tensor<1x6x6x16xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %a, %b : tensor<1x8x8x16xi8>, tensor<3x3x16xi8>, i32, i32)
      outs(%c : tensor<1x6x6x16xi32>) -> tensor<1x6x6x16xi32>
  return %r : tensor<1x6x6x16xi32>
}

// Elements of i4 are extended before, constants here.
// CHECK-LABEL: func.func @nibbles(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<3x2xi4>
// CHECK-DAG:     %[[W:.*]] = arith.constant dense<{{\[\[}}-1, 7], [-8, 0]]> : tensor<2x2xi8>
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<3x2xi4>) outs(%{{.*}} : tensor<3x2xi8>)
// CHECK:           arith.extsi %{{.*}} : i4 to i8
// CHECK:         linalg.generic {{.*}} ins(%[[WIDE]], %[[W]] : tensor<3x2xi8>, tensor<2x2xi8>)
// CHECK:           arith.extsi %{{.*}} : i8 to i32
func.func @nibbles(%x: tensor<3x2xi4>, %c: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[-1, 7], [-8, 0]]> : tensor<2x2xi4>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xi4>, tensor<2x2xi4>) outs(%c : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %r : tensor<3x2xi32>
}

// Unsigned ones have no sign to extend.
// CHECK-LABEL: func.func @unsigned(
// CHECK-DAG:     arith.constant dense<{{\[\[}}15, 7], [8, 0]]> : tensor<2x2xi8>
// CHECK:           arith.extui %{{.*}} : i4 to i8
func.func @unsigned(%x: tensor<3x2xi4>, %c: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[-1, 7], [-8, 0]]> : tensor<2x2xi4>
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<3x2xi4>, tensor<2x2xi4>)
      outs(%c : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %r : tensor<3x2xi32>
}
