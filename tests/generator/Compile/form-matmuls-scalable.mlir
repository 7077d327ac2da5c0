// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of tiles of scalable sizes are packed by the first call, and kept; arguments by each.

// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sve},func.func(tw-set-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),tw-fold-constant-packs,func.func(tw-form-matmuls),canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: func.func @weights(
// CHECK-SAME:      %[[X:.*]]: tensor<?x64xf32>
// CHECK:         %[[W:.*]] = arith.constant dense<2.000000e+00> : tensor<64x96xf32>
// CHECK:         tw.matmul "tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve" rhs_kept few_rows = [1, 4] {{.*}} ins(%[[X]], %[[W]]
func.func @weights(%x: tensor<?x64xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// CHECK-LABEL: func.func @argument(
// CHECK:         tw.matmul "tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve" indexing_maps
func.func @argument(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
