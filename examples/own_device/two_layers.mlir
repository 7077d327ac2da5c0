// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two products; what the first one computes the second one takes.

func.func @two_layers(%x: tensor<60x100xf32>, %w1: tensor<100x50xf32>, %w2: tensor<50x20xf32>) -> tensor<60x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<60x50xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<60x50xf32>) -> tensor<60x50xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<60x100xf32>, tensor<100x50xf32>) outs(%z1 : tensor<60x50xf32>) -> tensor<60x50xf32>
  %e2 = tensor.empty() : tensor<60x20xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<60x20xf32>) -> tensor<60x20xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<60x50xf32>, tensor<50x20xf32>) outs(%z2 : tensor<60x20xf32>) -> tensor<60x20xf32>
  return %y : tensor<60x20xf32>
}
