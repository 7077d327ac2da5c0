// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @copy(%x: tensor<1000x500xf32>) -> tensor<1000x500xf32> {
  %e = tensor.empty() : tensor<1000x500xf32>
  %r = linalg.copy ins(%x : tensor<1000x500xf32>) outs(%e : tensor<1000x500xf32>) -> tensor<1000x500xf32>
  return %r : tensor<1000x500xf32>
}

func.func @exp(%x: tensor<1000x500xf32>) -> tensor<1000x500xf32> {
  %e = tensor.empty() : tensor<1000x500xf32>
  %r = linalg.exp ins(%x : tensor<1000x500xf32>) outs(%e : tensor<1000x500xf32>) -> tensor<1000x500xf32>
  return %r : tensor<1000x500xf32>
}

func.func @seventh(%x: tensor<1000x500xi32>) -> tensor<1000x500xi32> {
  %c = arith.constant dense<7> : tensor<1000x500xi32>
  %r = arith.divsi %x, %c : tensor<1000x500xi32>
  return %r : tensor<1000x500xi32>
}

func.func @sums(%x: tensor<1000x500xf32>) -> tensor<500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<500xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<500xf32>) -> tensor<500xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x500xf32>) outs(%z : tensor<500xf32>) dimensions = [0]
  return %r : tensor<500xf32>
}

func.func @small(%x: tensor<64x63xf32>) -> tensor<63x64xf32> {
  %e = tensor.empty() : tensor<63x64xf32>
  %r = linalg.transpose ins(%x : tensor<64x63xf32>) outs(%e : tensor<63x64xf32>) permutation = [1, 0]
  return %r : tensor<63x64xf32>
}

func.func @rows(%x: tensor<100x90x500xf32>) -> tensor<90x100x500xf32> {
  %e = tensor.empty() : tensor<90x100x500xf32>
  %r = linalg.transpose ins(%x : tensor<100x90x500xf32>) outs(%e : tensor<90x100x500xf32>) permutation = [1, 0, 2]
  return %r : tensor<90x100x500xf32>
}

func.func @transpose(%x: tensor<1000x500xf32>) -> tensor<500x1000xf32> {
  %e = tensor.empty() : tensor<500x1000xf32>
  %r = linalg.transpose ins(%x : tensor<1000x500xf32>) outs(%e : tensor<500x1000xf32>) permutation = [1, 0]
  return %r : tensor<500x1000xf32>
}
