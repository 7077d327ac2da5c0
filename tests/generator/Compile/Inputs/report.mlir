// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @f(%n: index, %x: tensor<?x64xf32>, %w: tensor<64x32xf32>) -> (tensor<?x32xf32>, tensor<32x64xf32>, tensor<10xf32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %rows = tensor.dim %x, %first : tensor<?x64xf32>
  %xe = tensor.empty(%rows) : tensor<?x64xf32>
  %xx = linalg.exp ins(%x : tensor<?x64xf32>) outs(%xe : tensor<?x64xf32>) -> tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %m = linalg.matmul ins(%xx, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  %m1 = linalg.matmul ins(%xx, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%m : tensor<?x32xf32>) -> tensor<?x32xf32>
  %a = linalg.exp ins(%m1 : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>

  // Other sizes.
  %we = tensor.empty() : tensor<64x32xf32>
  %wx = linalg.exp ins(%w : tensor<64x32xf32>) outs(%we : tensor<64x32xf32>) -> tensor<64x32xf32>
  %te = tensor.empty() : tensor<32x64xf32>
  %t = linalg.transpose ins(%wx : tensor<64x32xf32>) outs(%te : tensor<32x64xf32>) permutation = [1, 0]

  // Of a slice, what is taken.
  %s = tensor.extract_slice %w[3, 7] [1, 10] [1, 1] : tensor<64x32xf32> to tensor<10xf32>
  return %a, %t, %s : tensor<?x32xf32>, tensor<32x64xf32>, tensor<10xf32>
}
