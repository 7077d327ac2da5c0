// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,a=amdgpu:gfx942,b=amdgpu:gfx942 --tw-canonicalize-placed | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A transpose of what is filled is a fill, on the device of what it is made of.
// CHECK-LABEL: func.func @fill(
// CHECK:         linalg.fill {tw.device = "b"}
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.fill ins
// CHECK-NOT:     linalg.transpose
func.func @fill(%d: index) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%d) : tensor<4x?xf32>
  %f = linalg.fill {tw.device = "b"} ins(%one : f32) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  %e1 = tensor.empty(%d) : tensor<?x4xf32>
  %t = linalg.transpose ins(%f : tensor<4x?xf32>) outs(%e1 : tensor<?x4xf32>) permutation = [1, 0] {tw.device = "b"}
  %e2 = tensor.empty(%d) : tensor<8x?xf32>
  %g = linalg.fill ins(%one : f32) outs(%e2 : tensor<8x?xf32>) -> tensor<8x?xf32>
  %e3 = tensor.empty(%d) : tensor<?x8xf32>
  %u = linalg.transpose ins(%g : tensor<8x?xf32>) outs(%e3 : tensor<?x8xf32>) permutation = [1, 0]
  return %t, %u : tensor<?x4xf32>, tensor<?x8xf32>
}
