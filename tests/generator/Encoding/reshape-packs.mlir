// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-reshape-packs --canonicalize | FileCheck %s

// One row, in tiles of one row.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[A:.*]]: tensor<1x64xf32>
// CHECK-NOT: linalg.pack
// CHECK: %[[R:.*]] = tensor.expand_shape %[[A]] {{.*}} : tensor<1x64xf32> into tensor<1x64x1x1xf32>
// CHECK: return %[[R]]
func.func @row(%a: tensor<1x64xf32>) -> tensor<1x64x1x1xf32> {
  %d = tensor.empty() : tensor<1x64x1x1xf32>
  %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [1, 1] into %d : tensor<1x64xf32> -> tensor<1x64x1x1xf32>
  return %r : tensor<1x64x1x1xf32>
}

// -----

// Panels of all columns, by rows: as the matrix lies, however many rows.
// CHECK-LABEL: func.func @panel(
// CHECK-NOT: linalg.pack
// CHECK: tensor.expand_shape %{{.*}} : tensor<?x32xf32> into tensor<1x?x32x1xf32>
func.func @panel(%a: tensor<?x32xf32>, %d: tensor<1x?x32x1xf32>) -> tensor<1x?x32x1xf32> {
  %r = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %d : tensor<?x32xf32> -> tensor<1x?x32x1xf32>
  return %r : tensor<1x?x32x1xf32>
}

// -----

// A row of tiles back to a row.
// CHECK-LABEL: func.func @unpack(
// CHECK-NOT: linalg.unpack
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x96xf32>
func.func @unpack(%a: tensor<1x3x1x32xf32>) -> tensor<1x96xf32> {
  %d = tensor.empty() : tensor<1x96xf32>
  %r = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [1, 32] into %d : tensor<1x3x1x32xf32> -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}

// -----

// What moves elements stays: two rows beside each other, a panel that is filled
// up, or may be.
// CHECK-LABEL: func.func @moves(
// CHECK: linalg.pack
// CHECK: linalg.pack
// CHECK: linalg.pack
// CHECK: linalg.unpack
func.func @moves(%a: tensor<4x64xf32>, %b: tensor<8x30xf32>, %c: tensor<8x?xf32>, %d: tensor<2x64x2x1xf32>, %e: tensor<1x8x32x1xf32>, %f: tensor<?x8x32x1xf32>, %g: tensor<4x64xf32>)
    -> (tensor<2x64x2x1xf32>, tensor<1x8x32x1xf32>, tensor<?x8x32x1xf32>, tensor<4x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %d : tensor<4x64xf32> -> tensor<2x64x2x1xf32>
  %q = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %e : tensor<8x30xf32> -> tensor<1x8x32x1xf32>
  %r = linalg.pack %c padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %f : tensor<8x?xf32> -> tensor<?x8x32x1xf32>
  %s = linalg.unpack %d inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %g : tensor<2x64x2x1xf32> -> tensor<4x64xf32>
  return %p, %q, %r, %s : tensor<2x64x2x1xf32>, tensor<1x8x32x1xf32>, tensor<?x8x32x1xf32>, tensor<4x64xf32>
}
