// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights that are multiplied by a value, not the other way round, and are
// shared: by many columns, one, and a vector; with what follows, and onto a
// result.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @many(%x: tensor<64x128xf32>) -> tensor<96x128xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64xf32>
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<96x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<96x128xf32>) -> tensor<96x128xf32>
  %y = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x128xf32>) outs(%z : tensor<96x128xf32>) -> tensor<96x128xf32>
  return %y : tensor<96x128xf32>
}
func.func @one(%x: tensor<64x1xf32>) -> tensor<96x1xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64xf32>
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<96x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<96x1xf32>) -> tensor<96x1xf32>
  %y = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x1xf32>) outs(%z : tensor<96x1xf32>) -> tensor<96x1xf32>
  return %y : tensor<96x1xf32>
}
func.func @vector(%x: tensor<64xf32>) -> tensor<96xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64xf32>
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<96xf32>) -> tensor<96xf32>
  %y = linalg.matvec ins(%w, %x : tensor<96x64xf32>, tensor<64xf32>) outs(%z : tensor<96xf32>) -> tensor<96xf32>
  return %y : tensor<96xf32>
}
func.func @relu(%x: tensor<64x128xf32>, %b: tensor<96xf32>) -> tensor<96x128xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64xf32>
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<96x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<96x128xf32>) -> tensor<96x128xf32>
  %y = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x128xf32>) outs(%z : tensor<96x128xf32>) -> tensor<96x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<96x128xf32>, tensor<96xf32>) outs(%d : tensor<96x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
func.func @onto(%x: tensor<64x?xf32>, %c: tensor<96x?xf32>) -> tensor<96x?xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64xf32>
  %y = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x?xf32>) outs(%c : tensor<96x?xf32>) -> tensor<96x?xf32>
  return %y : tensor<96x?xf32>
}
