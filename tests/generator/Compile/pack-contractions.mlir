// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-pack-contractions=target=x86_64_avx512_vnni --canonicalize --split-input-file | FileCheck %s
// RUN: not tw-opt %s --tw-pack-contractions=target=z80 --split-input-file 2>&1 | FileCheck %s --check-prefix=ISA

// ISA: unknown target 'z80'

// Zeros are not packed, and not even written.
func.func @f32(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// CHECK-LABEL: func.func @f32(
// CHECK:         %[[A:.*]] = linalg.pack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [12, 1]
// CHECK:         %[[B:.*]] = linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1]
// CHECK-NOT:     linalg.fill
// CHECK:         %[[OUT:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[OUT]] :
// CHECK-SAME:      attrs = {tw.overwrite, tw.tile = "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"}
// CHECK:         linalg.unpack

// -----

// A matrix narrower than the tiles of the table gets a tile of its own width.
func.func @narrow(%a: tensor<3x16xi8>, %b: tensor<16x10xi8>, %c: tensor<3x10xi32>) -> tensor<3x10xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x16xi8>, tensor<16x10xi8>) outs(%c : tensor<3x10xi32>) -> tensor<3x10xi32>
  return %r : tensor<3x10xi32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-3: linalg.pack
// CHECK:         linalg.generic
// CHECK-NOT:     tw.overwrite
// CHECK-SAME:      tw.tile = "tw_mmt4d_tile_s8s8s32_3x10x4_x86_64_avx512_vnni"

// -----

// Signedness is in the extensions: u8 x s8.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @mixed(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: func.func @mixed(
// CHECK:         tw.tile = "tw_mmt4d_tile_u8s8s32_{{[0-9]+x[0-9]+x4}}_x86_64_avx512_vnni"

// -----

// No tile function multiplies so, and a K of 0 multiplies nothing.
func.func @loops(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>, %c: tensor<?x?xi64>,
                 %d: tensor<4x0xf32>, %e: tensor<0x5xf32>, %f: tensor<4x5xf32>) -> (tensor<?x?xi64>, tensor<4x5xf32>) {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) outs(%c : tensor<?x?xi64>) -> tensor<?x?xi64>
  %s = linalg.matmul ins(%d, %e : tensor<4x0xf32>, tensor<0x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r, %s : tensor<?x?xi64>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @loops(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.matmul
// CHECK-NOT:     linalg.pack
