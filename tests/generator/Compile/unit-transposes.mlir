// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fuse-elementwise | FileCheck %s
// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-fuse-elementwise | FileCheck %s

// The heads of one token are rows of it.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x?x64xf32>
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<1x?x64xf32> into tensor<?x64xf32>
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[ROWS]] {{\[\[}}0, 1], [2]] {{.*}} : tensor<?x64xf32> into tensor<?x1x64xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[R]]
func.func @heads(%x: tensor<1x?x64xf32>, %e: tensor<?x1x64xf32>) -> tensor<?x1x64xf32> {
  %t = linalg.transpose ins(%x : tensor<1x?x64xf32>) outs(%e : tensor<?x1x64xf32>) permutation = [1, 0, 2]
  return %t : tensor<?x1x64xf32>
}

// One element.
// CHECK-LABEL: func.func @element(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x1xf32>
// CHECK-NEXT:    return %[[X]]
func.func @element(%x: tensor<1x1xf32>, %e: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %t = linalg.transpose ins(%x : tensor<1x1xf32>) outs(%e : tensor<1x1xf32>) permutation = [1, 0]
  return %t : tensor<1x1xf32>
}

// Other dimensions change places, too, or may.
// CHECK-LABEL: func.func @moved(
// CHECK-COUNT-2: linalg.transpose
func.func @moved(%x: tensor<1x4x8xf32>, %y: tensor<?x4xf32>, %e: tensor<8x1x4xf32>, %f: tensor<4x?xf32>)
    -> (tensor<8x1x4xf32>, tensor<4x?xf32>) {
  %t = linalg.transpose ins(%x : tensor<1x4x8xf32>) outs(%e : tensor<8x1x4xf32>) permutation = [2, 0, 1]
  %u = linalg.transpose ins(%y : tensor<?x4xf32>) outs(%f : tensor<4x?xf32>) permutation = [1, 0]
  return %t, %u : tensor<8x1x4xf32>, tensor<4x?xf32>
}
