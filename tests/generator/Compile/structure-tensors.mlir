// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-structure-tensors --canonicalize --split-input-file | FileCheck %s

// A slice that is known to lie inside reads without a condition.
func.func @inside(%x: tensor<8x6xf32>) -> tensor<3x2xf32> {
  %r = tensor.extract_slice %x[1, 0] [3, 2] [2, 1] {tw.in_bounds} : tensor<8x6xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: @inside
// CHECK:       linalg.generic
// CHECK-SAME:  tw.dispatch = "extract_slice"
// CHECK-NOT:   scf.if
// CHECK:       tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<8x6xf32>
// CHECK-NOT:   tw.in_bounds

// -----

// Elsewhere it reads zeros outside.
func.func @anywhere(%x: tensor<8xf32>, %i: index) -> tensor<3xf32> {
  %r = tensor.extract_slice %x[%i] [3] [1] : tensor<8xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: @anywhere
// CHECK:       %[[ZERO:.*]] = arith.constant 0.0
// CHECK:       %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c8
// CHECK:       scf.if %[[INSIDE]] -> (f32)
// CHECK-NEXT:    tensor.extract
// CHECK:       else
// CHECK-NEXT:    scf.yield %[[ZERO]]

// -----

// So do indices that are data.
func.func @gather(%x: tensor<8x4xf32>, %which: tensor<5x1xi32>) -> tensor<5x4xf32> {
  %r = tensor.gather %x[%which] gather_dims([0]) : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// CHECK-LABEL: @gather
// CHECK:       %[[I:.*]] = tensor.extract %{{.*}} : tensor<5x1xi32>
// CHECK:       %[[INDEX:.*]] = arith.index_cast %[[I]]
// CHECK:       arith.cmpi ult, %[[INDEX]], %c8
// CHECK:       tensor.extract %{{.*}}[%[[INDEX]], %{{.*}}] : tensor<8x4xf32>

// -----

// It stays on the side that it was put on.
func.func @host(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.softmax {tw.device = "host"} dimension(0) ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @host
// CHECK-COUNT-2: linalg.fill {{.*}}tw.device = "host"
// CHECK-NOT:   linalg.softmax
