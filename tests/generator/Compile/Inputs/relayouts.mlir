// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @"<script>"(%x: tensor<?x64xf32>, %y: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<2.0> : tensor<64x64xf32>
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
  %t = math.exp %p : tensor<?x64xf32>
  %q = linalg.matmul ins(%t, %y : tensor<?x64xf32>, tensor<64x64xf32>) outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %q : tensor<?x64xf32>
}

// The model packs a matrix itself.
func.func @own(%x: tensor<64x64xf32>) -> tensor<8x64x8x1xf32> {
  %e = tensor.empty() : tensor<8x64x8x1xf32>
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [8, 1] into %e : tensor<64x64xf32> -> tensor<8x64x8x1xf32>
  return %p : tensor<8x64x8x1xf32>
}

// Two multiplications in a row.
func.func @two(%x: tensor<128x64xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %p = linalg.matmul ins(%x, %y : tensor<128x64xf32>, tensor<64x64xf32>) outs(%i : tensor<128x64xf32>) -> tensor<128x64xf32>
  %q = linalg.matmul ins(%p, %y : tensor<128x64xf32>, tensor<64x64xf32>) outs(%i : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %q : tensor<128x64xf32>
}

// A rhs that is gone through several times, for two loops of rows that lie in
// another order in the result, and that another multiplication makes.
func.func @reused(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %x: tensor<4x32x64xf32>) -> tensor<32x4x64xf32> {
  %z = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<64x64xf32>
  %wi = linalg.fill ins(%z : f32) outs(%we : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%wi : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<32x4x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x4x64xf32>) -> tensor<32x4x64xf32>
  %p = linalg.generic {
      indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> (k, n)>, affine_map<(g, m, n, k) -> (m, g, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x32x64xf32>, tensor<64x64xf32>) outs(%i : tensor<32x4x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x4x64xf32>
  return %p : tensor<32x4x64xf32>
}

// Elementwise operations before, a sum behind.
func.func @sums(%x: tensor<?x64xf32>, %y: tensor<64x64xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %t = math.exp %x : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = linalg.matmul ins(%t, %y : tensor<?x64xf32>, tensor<64x64xf32>) outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
  %se = tensor.empty(%n) : tensor<?xf32>
  %si = linalg.fill ins(%z : f32) outs(%se : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<?x64xf32>) outs(%si : tensor<?xf32>) dimensions = [1]
  return %s : tensor<?xf32>
}

// What reads at a place of its own reads the product as it lies.
func.func @places(%x: tensor<?x64xf32>, %y: tensor<64x64xf32>, %scales: tensor<64xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = linalg.matmul ins(%x, %y : tensor<?x64xf32>, tensor<64x64xf32>) outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
  %se = tensor.empty(%n) : tensor<?xf32>
  %si = linalg.fill ins(%z : f32) outs(%se : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x64xf32>) outs(%si : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %j = linalg.index 1 : index
    %w = tensor.extract %scales[%j] : tensor<64xf32>
    %t = arith.mulf %v, %w : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
