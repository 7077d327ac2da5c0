// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s -verify-diagnostics --pass-pipeline='builtin.module(func.func(tw-form-matmuls))'

// Another argument may lie where this one did.
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#o = affine_map<(m, n, k) -> (m, n)>
func.func @kept_argument(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %o: tensor<?x96xf32>, %s: tensor<4194304xi8>) -> tensor<?x96xf32> {
  // expected-error @below {{keeps panels of a rhs that is no constant; expected one that is where it is as long as the program runs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  return %r#0 : tensor<?x96xf32>
}

func.func @kept_weights(%x: tensor<?x64xf32>, %o: tensor<?x96xf32>, %s: tensor<4194304xi8>) -> tensor<?x96xf32> {
  %c = arith.constant dense<1.0> : tensor<8x8x96xf32>
  %w = tensor.collapse_shape %c [[0, 1], [2]] : tensor<8x8x96xf32> into tensor<64x96xf32>
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  return %r#0 : tensor<?x96xf32>
}
