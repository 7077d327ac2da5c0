// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @exp(%x: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.exp ins(%x : tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

func.func @transpose(%x: tensor<1000x500xi8>) -> tensor<500x1000xi8> {
  %e = tensor.empty() : tensor<500x1000xi8>
  %r = linalg.transpose ins(%x : tensor<1000x500xi8>) outs(%e : tensor<500x1000xi8>) permutation = [1, 0]
  return %r : tensor<500x1000xi8>
}

func.func @div(%x: tensor<100000xi32>, %y: tensor<100000xi32>) -> tensor<100000xi32> {
  %e = tensor.empty() : tensor<100000xi32>
  %r = linalg.div ins(%x, %y : tensor<100000xi32>, tensor<100000xi32>) outs(%e : tensor<100000xi32>) -> tensor<100000xi32>
  return %r : tensor<100000xi32>
}

func.func @powf(%x: tensor<100000xf32>, %y: tensor<100000xf32>) -> tensor<100000xf32> {
  %e = tensor.empty() : tensor<100000xf32>
  %r = linalg.powf ins(%x, %y : tensor<100000xf32>, tensor<100000xf32>) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
  return %r : tensor<100000xf32>
}

func.func @in_order(%x: tensor<1000x500xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = linalg.reduce ins(%x : tensor<1000x500xf32>) outs(%y : tensor<1000xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.subf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r : tensor<1000xf32>
}
