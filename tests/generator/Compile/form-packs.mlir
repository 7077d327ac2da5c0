// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-assign-devices=devices=x86_64:znver4 --tw-form-packs --verify-diagnostics | FileCheck %s
// RUN: tw-opt %s --tw-assign-devices=devices=arm_64:neoverse-v2 --tw-form-packs=prefix=uk --verify-diagnostics | FileCheck %s --check-prefix=ARM

// Of instruction sets with vectors as long, the one that asks for least; on Arm, none with scalable ones.
// CHECK-LABEL: func.func @padded(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xbf16>, %[[P:[^:]*]]: tensor
// CHECK:         %[[Z:.*]] = arith.constant 1.0
// CHECK:         tw.pack "tw_pack_tile_16_rows_12x2_x86_64_avx512_base" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
// CHECK-SAME:      ins(%[[A]] : tensor<?x?xbf16>) padding(%[[Z]] : bf16) outs(%[[P]] : tensor<?x?x12x2xbf16>) -> tensor<?x?x12x2xbf16>
// ARM-LABEL: func.func @padded(
// ARM:         tw.pack "uk_pack_tile_16_rows_12x2_arm_64_base"
func.func @padded(%a: tensor<?x?xbf16>, %p: tensor<?x?x12x2xbf16>) -> tensor<?x?x12x2xbf16> {
  %z = arith.constant 1.0 : bf16
  %r = linalg.pack %a padding_value(%z : bf16) inner_dims_pos = [0, 1] inner_tiles = [12, 2]
      into %p : tensor<?x?xbf16> -> tensor<?x?x12x2xbf16>
  return %r : tensor<?x?x12x2xbf16>
}

// The rhs of a multiplication.
// CHECK-LABEL: func.func @columns(
// CHECK:         tw.unpack "tw_unpack_tile_8_cols_32x4_x86_64_avx512_base" outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
// CHECK-SAME:      ins(%{{.*}} : tensor<?x?x32x4xi8>) outs(%{{.*}} : tensor<?x?xi8>) -> tensor<?x?xi8>
func.func @columns(%p: tensor<?x?x32x4xi8>, %a: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %r = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4]
      into %a : tensor<?x?x32x4xi8> -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}

// Blocks of channels: rows and columns of one call are all places of an image.
// CHECK-LABEL: func.func @channels(
// CHECK:         tw.pack "tw_pack_tile_32_rows_16x1_x86_64_avx512_base" outer_dims_perm = [0, 1, 2, 3] inner_dims_pos = [1]
func.func @channels(%a: tensor<?x64x7x9xf32>, %p: tensor<?x4x7x9x16xf32>) -> tensor<?x4x7x9x16xf32> {
  %r = linalg.pack %a inner_dims_pos = [1] inner_tiles = [16]
      into %p : tensor<?x64x7x9xf32> -> tensor<?x4x7x9x16xf32>
  return %r : tensor<?x4x7x9x16xf32>
}

// What no function does is named.
// CHECK-LABEL: func.func @innermost(
// CHECK:         linalg.pack
func.func @innermost(%a: tensor<?x?x5xf32>, %p: tensor<?x?x5x12x2xf32>) -> tensor<?x?x5x12x2xf32> {
  // expected-remark @below {{lowered to plain loops: no pack function does this, for dimension 2 of the matrix, the innermost, is not tiled}}
  %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [12, 2]
      into %p : tensor<?x?x5xf32> -> tensor<?x?x5x12x2xf32>
  return %r : tensor<?x?x5x12x2xf32>
}

// CHECK-LABEL: func.func @three(
// CHECK:         linalg.unpack
func.func @three(%p: tensor<?x?x?x2x3x4xf32>, %a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // expected-remark @below {{for it has 3 inner tiles, where one or two can be}}
  %r = linalg.unpack %p inner_dims_pos = [0, 1, 2] inner_tiles = [2, 3, 4]
      into %a : tensor<?x?x?x2x3x4xf32> -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @outside(
// CHECK:         linalg.pack
func.func @outside(%a: tensor<?x?x?xf32>, %p: tensor<?x?x?x4x3xf32>) -> tensor<?x?x?x4x3xf32> {
  // expected-remark @below {{for the packed form's last outer dimension is 0 of the matrix, which is neither tiled nor the innermost}}
  %r = linalg.pack %a outer_dims_perm = [1, 2, 0] inner_dims_pos = [1, 2] inner_tiles = [4, 3]
      into %p : tensor<?x?x?xf32> -> tensor<?x?x?x4x3xf32>
  return %r : tensor<?x?x?x4x3xf32>
}

// CHECK-LABEL: func.func @dynamic_and_large(
// CHECK:         linalg.pack
// CHECK:         linalg.pack
func.func @dynamic_and_large(%a: tensor<?x?xf32>, %t: index, %p: tensor<?x?x?x1xf32>, %q: tensor<?x?x2000x1xf32>)
    -> (tensor<?x?x?x1xf32>, tensor<?x?x2000x1xf32>) {
  %z = arith.constant 0.0 : f32
  // expected-remark @below {{for an inner tile has a dynamic size, where 1 to 1024 can be}}
  %r = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [%t, 1]
      into %p : tensor<?x?xf32> -> tensor<?x?x?x1xf32>
  // expected-remark @below {{for an inner tile has 2000 elements, where 1 to 1024 can be}}
  %s = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [2000, 1]
      into %q : tensor<?x?xf32> -> tensor<?x?x2000x1xf32>
  return %r, %s : tensor<?x?x?x1xf32>, tensor<?x?x2000x1xf32>
}
