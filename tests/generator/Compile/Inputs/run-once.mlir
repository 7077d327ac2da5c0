// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model with state, so that it has instances.
ml_program.global private mutable @calls(0 : i64) : i64

#row = affine_map<(i, j) -> (i, j)>

func.func private @sines() -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x96xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %l = arith.index_cast %k : index to i32
    %f = arith.sitofp %l : i32 to f32
    %s = math.sin %f : f32
    linalg.yield %s : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
func.func @f(%x: tensor<?x64xf32>, %m: index) -> tensor<?x96xf32> {
  %old = ml_program.global_load @calls : i64
  %one = arith.constant 1 : i64
  %new = arith.addi %old, %one : i64
  ml_program.global_store @calls = %new : i64
  %w = call @sines() : () -> tensor<64x96xf32>
  %d = tensor.empty(%m) : tensor<?x96xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
func.func @g(%x: tensor<1x64xf32>) -> (tensor<1x96xf32>, tensor<64x64xi32>) {
  %w = call @sines() : () -> tensor<64x96xf32>
  %d = tensor.empty() : tensor<1x96xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%z : tensor<1x96xf32>) -> tensor<1x96xf32>
  %e = tensor.empty() : tensor<64x64xi32>
  %sums = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x64xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i32
    linalg.yield %l : i32
  } -> tensor<64x64xi32>
  return %y, %sums : tensor<1x96xf32>, tensor<64x64xi32>
}
