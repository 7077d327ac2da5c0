// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One argument on two devices.
func.func private @g(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %c: tensor<8x96xf32>) -> tensor<8x96xf32> attributes {tw.device = "b"} {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x96xf32> {tw.packed}, %c: tensor<8x96xf32>) -> (tensor<8x96xf32>, tensor<8x96xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  %z = func.call @g(%x, %w, %c) : (tensor<8x64xf32>, tensor<64x96xf32>, tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y, %z : tensor<8x96xf32>, tensor<8x96xf32>
}
