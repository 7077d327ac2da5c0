// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @decode(%x: tensor<1x256xf32>) -> tensor<1x512xf32> {
  %w = arith.constant dense<3.0> : tensor<256x512xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x512xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x512xf32>) -> tensor<1x512xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x256xf32>, tensor<256x512xf32>) outs(%i : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %p : tensor<1x512xf32>
}

func.func @prefill(%x: tensor<128x256xf32>) -> tensor<128x512xf32> {
  %w = arith.constant dense<3.0> : tensor<256x512xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %p = linalg.matmul ins(%x, %w : tensor<128x256xf32>, tensor<256x512xf32>) outs(%i : tensor<128x512xf32>) -> tensor<128x512xf32>
  return %p : tensor<128x512xf32>
}
