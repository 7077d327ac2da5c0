// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of tiles of scalable sizes are packed by the first call, and kept; arguments by each. Tiles of few rows have a fixed number of
// them, also beside one whose rows are scalable, as SME's are.

// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sve},func.func(tw-set-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),tw-fold-constant-packs,func.func(tw-form-matmuls),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,SVE
// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sme},func.func(tw-set-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),tw-fold-constant-packs,func.func(tw-form-matmuls),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,SME

// CHECK-LABEL: func.func @weights(
// CHECK-SAME:      %[[X:.*]]: tensor<?x64xf32>
// CHECK:         %[[W:.*]] = arith.constant dense<2.000000e+00> : tensor<64x96xf32>
// SVE:           tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_kept few_rows = [1, 4] {{.*}} ins(%[[X]], %[[W]]
// SME:           tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme"> rhs_kept few_rows = [1, 4] {{.*}} ins(%[[X]], %[[W]]
func.func @weights(%x: tensor<?x64xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// CHECK-LABEL: func.func @argument(
// SVE:           tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> indexing_maps
// SME:           tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme"> indexing_maps
func.func @argument(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// SME multiplies no f64: a tile of few of them would be NEON's.
// CHECK-LABEL: func.func @no_outer_product(
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f64f64f64_2vlx2vlx1_arm_64_sme"> overwrite rhs_kept indexing_maps
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @no_outer_product(%x: tensor<?x64xf64>, %c: tensor<?x96xf64>, %pm: index, %pn: index) -> tensor<?x96xf64> {
  %w = arith.constant dense<2.0> : tensor<64x96xf64>
  %zero = arith.constant 0.0 : f64
  %four = arith.constant 4 : index
  %scale = tw.vscale streaming : index
  %size = arith.muli %scale, %four : index
  %le = tensor.empty(%pm, %size) : tensor<?x64x?x1xf64>
  %l = linalg.pack %x padding_value(%zero : f64) inner_dims_pos = [0, 1] inner_tiles = [%size, 1] into %le
      : tensor<?x64xf64> -> tensor<?x64x?x1xf64>
  %re = tensor.empty(%pn, %size) : tensor<?x64x?x1xf64>
  %r = linalg.pack %w padding_value(%zero : f64) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%size, 1] into %re
      : tensor<64x96xf64> -> tensor<?x64x?x1xf64>
  %oe = tensor.empty(%pm, %pn, %size, %size) : tensor<?x?x?x?xf64>
  %o = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f64f64f64_2vlx2vlx1_arm_64_sme"> overwrite indexing_maps = [#lhs, #rhs, #out]
      ins(%l, %r : tensor<?x64x?x1xf64>, tensor<?x64x?x1xf64>) outs(%oe : tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %u = linalg.unpack %o inner_dims_pos = [0, 1] inner_tiles = [%size, %size] into %c : tensor<?x?x?x?xf64> -> tensor<?x96xf64>
  return %u : tensor<?x96xf64>
}
