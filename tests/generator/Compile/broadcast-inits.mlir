// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fuse-elementwise | FileCheck %s

#row = affine_map<(m, n) -> (n)>
#mn = affine_map<(m, n) -> (m, n)>

// A bias is added behind the product, by the operation that was there.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:      %[[X:.*]]: tensor<?x5xf32>, %[[Y:.*]]: tensor<5x6xf32>, %[[B:.*]]: tensor<6xf32>, %[[E:.*]]: tensor<?x6xf32>)
// CHECK:         %[[Z:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E]] :
// CHECK:         %[[P:.*]] = linalg.matmul ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[Z]] :
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[B]] : {{.*}}) outs(
// CHECK:           arith.addf
// CHECK-NEXT:      math.absf
// CHECK:         return %[[R]]
func.func @bias(%x: tensor<?x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>, %e: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6xf32>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<?x5xf32>, tensor<5x6xf32>) outs(%i : tensor<?x6xf32>) -> tensor<?x6xf32>
  %r = linalg.abs ins(%p : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// Of a convolution, from a generic operation; of integers.
// CHECK-LABEL: func.func @filters(
// CHECK-SAME:      %{{.*}}, %{{.*}}, %[[B:.*]]: tensor<16xi32>)
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         %[[P:.*]] = linalg.conv_2d_nchw_fchw {{.*}} outs(%[[Z]] :
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[B]] :
// CHECK:           arith.addi
func.func @filters(%x: tensor<1x8x8x8xi8>, %w: tensor<16x8x3x3xi8>, %b: tensor<16xi32>) -> tensor<1x16x6x6xi32> {
  %e = tensor.empty() : tensor<1x16x6x6xi32>
  %i = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (f)>, affine_map<(n, f, h, w) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<16xi32>) outs(%e : tensor<1x16x6x6xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<1x16x6x6xi32>
  %p = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x8x8xi8>, tensor<16x8x3x3xi8>) outs(%i : tensor<1x16x6x6xi32>) -> tensor<1x16x6x6xi32>
  return %p : tensor<1x16x6x6xi32>
}

// Sums of narrow floats would be rounded before the bias is added.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[I:.*]] = linalg.broadcast
// CHECK:         linalg.matmul {{.*}} outs(%[[I]] :
// CHECK-NOT:     linalg.generic
func.func @narrow(%x: tensor<4x5xbf16>, %y: tensor<5x6xbf16>, %b: tensor<6xbf16>, %e: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %i = linalg.broadcast ins(%b : tensor<6xbf16>) outs(%e : tensor<4x6xbf16>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<4x5xbf16>, tensor<5x6xbf16>) outs(%i : tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %p : tensor<4x6xbf16>
}

// What is used otherwise is there in any case.
// CHECK-LABEL: func.func @shared(
// CHECK:         %[[I:.*]] = linalg.broadcast
// CHECK:         linalg.matmul {{.*}} outs(%[[I]] :
func.func @shared(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>, %e: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<4x6xf32>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%i : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %p, %i : tensor<4x6xf32>, tensor<4x6xf32>
}
