// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-plain-products --canonicalize --cse | FileCheck %s

// Weights that are broadcast over the batch are those of one product; a result that is only transposed is written so.
// CHECK-DAG: #[[BMK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[MBN:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @moved(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<2x?x8xf32>, %[[W:[^:]*]]: tensor<8x6xf32>
// CHECK-NOT:     linalg.broadcast
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[BMK]], #[[KN]], #[[MBN]]]{{.*}} ins(%[[X]], %[[W]] :
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[R]]
func.func @moved(%x: tensor<2x?x8xf32>, %w: tensor<8x6xf32>) -> tensor<?x2x6xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %we = tensor.empty() : tensor<2x8x6xf32>
  %wb = linalg.broadcast ins(%w : tensor<8x6xf32>) outs(%we : tensor<2x8x6xf32>) dimensions = [0]
  %e = tensor.empty(%m) : tensor<2x?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x6xf32>) -> tensor<2x?x6xf32>
  %r = linalg.batch_matmul ins(%x, %wb : tensor<2x?x8xf32>, tensor<2x8x6xf32>) outs(%f : tensor<2x?x6xf32>) -> tensor<2x?x6xf32>
  %te = tensor.empty(%m) : tensor<?x2x6xf32>
  %t = linalg.transpose ins(%r : tensor<2x?x6xf32>) outs(%te : tensor<?x2x6xf32>) permutation = [1, 0, 2]
  return %t : tensor<?x2x6xf32>
}

// What has its batch innermost stays transposed, and a result whose rows would be columns.
// CHECK-LABEL: func.func @rows(
// CHECK:         linalg.transpose
// CHECK:         linalg.batch_matmul
// CHECK:         linalg.transpose
func.func @rows(%x: tensor<4x8x2xf32>, %w: tensor<2x8x6xf32>, %e: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<2x4x8xf32>
  %xt = linalg.transpose ins(%x : tensor<4x8x2xf32>) outs(%xe : tensor<2x4x8xf32>) permutation = [2, 0, 1]
  %re = tensor.empty() : tensor<2x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %r = linalg.batch_matmul ins(%xt, %w : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.transpose ins(%r : tensor<2x4x6xf32>) outs(%e : tensor<2x6x4xf32>) permutation = [0, 2, 1]
  return %t : tensor<2x6x4xf32>
}

// Two products that begin with the same zeros are both written so.
// CHECK-LABEL: func.func @same_zeros(
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @same_zeros(%x: tensor<2x4x8xf32>, %y: tensor<2x8x6xf32>, %z: tensor<2x8x6xf32>)
    -> (tensor<4x2x6xf32>, tensor<4x2x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %r = linalg.batch_matmul ins(%x, %y : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%x, %z : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %te = tensor.empty() : tensor<4x2x6xf32>
  %t = linalg.transpose ins(%r : tensor<2x4x6xf32>) outs(%te : tensor<4x2x6xf32>) permutation = [1, 0, 2]
  %u = linalg.transpose ins(%s : tensor<2x4x6xf32>) outs(%te : tensor<4x2x6xf32>) permutation = [1, 0, 2]
  return %t, %u : tensor<4x2x6xf32>, tensor<4x2x6xf32>
}
