// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A prefill and a decode by one weight, of a model with a state, so that it has instances.
ml_program.global private mutable @calls(0 : i64) : i64

func.func @prefill(%x: tensor<?x64xf32>, %o: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %one = arith.constant 1 : i64
  %n = ml_program.global_load @calls : i64
  %next = arith.addi %n, %one : i64
  ml_program.global_store @calls = %next : i64
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
func.func @decode(%x: tensor<1x64xf32>, %o: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%o : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}
