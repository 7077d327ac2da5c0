// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers and a residual: the model of the picture in data-tiling.md.

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

func.func @layers(%x: tensor<128x256xf32>, %bias: tensor<512xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %w1 = arith.constant dense<0.5> : tensor<256x512xf32>
  %w2 = arith.constant dense<0.25> : tensor<512x256xf32>
  %wide = tensor.empty() : tensor<128x512xf32>
  %narrow = tensor.empty() : tensor<128x256xf32>
  %zero1 = linalg.fill ins(%zero : f32) outs(%wide : tensor<128x512xf32>) -> tensor<128x512xf32>
  %product1 = linalg.matmul ins(%x, %w1 : tensor<128x256xf32>, tensor<256x512xf32>)
      outs(%zero1 : tensor<128x512xf32>) -> tensor<128x512xf32>
  %relu = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%product1, %bias : tensor<128x512xf32>, tensor<512xf32>) outs(%wide : tensor<128x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sum = arith.addf %a, %b : f32
    %r = arith.maximumf %sum, %zero : f32
    linalg.yield %r : f32
  } -> tensor<128x512xf32>
  %zero2 = linalg.fill ins(%zero : f32) outs(%narrow : tensor<128x256xf32>) -> tensor<128x256xf32>
  %product2 = linalg.matmul ins(%relu, %w2 : tensor<128x512xf32>, tensor<512x256xf32>)
      outs(%zero2 : tensor<128x256xf32>) -> tensor<128x256xf32>
  %result = linalg.add ins(%product2, %x : tensor<128x256xf32>, tensor<128x256xf32>)
      outs(%narrow : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %result : tensor<128x256xf32>
}
