// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two layers, whose weights are arguments.
func.func @prefill(%x: tensor<?x64xf32>, %w1: tensor<64x96xf32>, %w2: tensor<96x40xf32>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e1 = tensor.empty(%m) : tensor<?x96xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y1 = linalg.matmul ins(%x, %w1 : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z1 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e2 = tensor.empty(%m) : tensor<?x40xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %y2 = linalg.matmul ins(%y1, %w2 : tensor<?x96xf32>, tensor<96x40xf32>) outs(%z2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %y2 : tensor<?x40xf32>
}
func.func @decode(%x: tensor<1x64xf32>, %w1: tensor<64x96xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  %y = linalg.matmul ins(%x, %w1 : tensor<1x64xf32>, tensor<64x96xf32>) outs(%z : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %y : tensor<1x96xf32>
}
