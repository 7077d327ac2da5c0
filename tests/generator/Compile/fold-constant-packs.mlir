// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fold-constant-packs --canonicalize --split-input-file | FileCheck %s

// [K][N] to panels of [N0][K0], padded with the padding value.
// CHECK-LABEL: func.func @rhs(
// CHECK-SAME:    tw.packed = ["tensor<3x2xi8> -> tensor<1x2x2x2xi8>, 8 bytes"]
// CHECK:         %[[C:[a-z0-9_]*]] = arith.constant dense<{{\[\[\[\[}}1, 3], [2, 4]], {{\[\[}}5, 9], [6, 9]]]]> : tensor<1x2x2x2xi8>
// CHECK-NOT:     linalg.pack
// CHECK:         return %[[C]]
func.func @rhs() -> tensor<1x2x2x2xi8> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %nine = arith.constant 9 : i8
  %e = tensor.empty() : tensor<1x2x2x2xi8>
  %p = linalg.pack %w padding_value(%nine : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2]
      into %e : tensor<3x2xi8> -> tensor<1x2x2x2xi8>
  return %p : tensor<1x2x2x2xi8>
}

// -----

// A splat, and elements of two bytes.
// CHECK-LABEL: func.func @splat(
// CHECK:         dense<{{\[\[\[\[}}1.500000e+00, 1.500000e+00], [0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x2x2xbf16>
func.func @splat() -> tensor<1x1x2x2xbf16> {
  %w = arith.constant dense<1.5> : tensor<1x2xbf16>
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1x1x2x2xbf16>
  %p = linalg.pack %w padding_value(%zero : bf16) inner_dims_pos = [0, 1] inner_tiles = [2, 2]
      into %e : tensor<1x2xbf16> -> tensor<1x1x2x2xbf16>
  return %p : tensor<1x1x2x2xbf16>
}

// -----

// Bytes of a resource.
// CHECK-LABEL: func.func @resource(
// CHECK:         dense<{{\[\[\[\[}}1], [2]]]]> : tensor<1x1x2x1xi8>
func.func @resource() -> tensor<1x1x2x1xi8> {
  %w = arith.constant dense_resource<weights> : tensor<1x2xi8>
  %e = tensor.empty() : tensor<1x1x2x1xi8>
  %p = linalg.pack %w outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 1]
      into %e : tensor<1x2xi8> -> tensor<1x1x2x1xi8>
  return %p : tensor<1x1x2x1xi8>
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x010000000102"
    }
  }
#-}

// -----

// Inner dimensions in another order than the outer ones: [2][2] tiles, of which each is transposed.
// CHECK-LABEL: func.func @inner_alone(
// CHECK:         dense<{{\[\[\[\[}}1, 5], [2, 6]], {{\[\[}}3, 7], [4, 8]]], {{\[\[\[}}9, 13], [10, 14]], {{\[\[}}11, 15], [12, 16]]]]> : tensor<2x2x2x2xi8>
// CHECK-NOT:     linalg.pack
func.func @inner_alone() -> tensor<2x2x2x2xi8> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8>
  %e = tensor.empty() : tensor<2x2x2x2xi8>
  %p = linalg.pack %w inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %e : tensor<4x4xi8> -> tensor<2x2x2x2xi8>
  return %p : tensor<2x2x2x2xi8>
}

// -----

// The same tiles, not transposed, in another order.
// CHECK-LABEL: func.func @outer_alone(
// CHECK:         dense<{{\[\[\[\[}}1, 2], [5, 6]], {{\[\[}}9, 10], [13, 14]]], {{\[\[\[}}3, 4], [7, 8]], {{\[\[}}11, 12], [15, 16]]]]> : tensor<2x2x2x2xi8>
// CHECK-NOT:     linalg.pack
func.func @outer_alone() -> tensor<2x2x2x2xi8> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8>
  %e = tensor.empty() : tensor<2x2x2x2xi8>
  %p = linalg.pack %w outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2]
      into %e : tensor<4x4xi8> -> tensor<2x2x2x2xi8>
  return %p : tensor<2x2x2x2xi8>
}

// -----

// Three dimensions, of which the last becomes the first, with tiles of 1 x 3; padding that is no zero, of two bytes.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    tw.packed = ["tensor<2x2x2xi16> -> tensor<2x2x1x1x3xi16>, 24 bytes"]
// CHECK:         dense<{{\[\[\[\[\[}}1, 3, -300]]], {{\[\[\[}}5, 7, -300]]]], {{\[\[\[\[}}2, 4, -300]]], {{\[\[\[}}6, 8, -300]]]]]> : tensor<2x2x1x1x3xi16>
// CHECK-NOT:     linalg.pack
func.func @batch() -> tensor<2x2x1x1x3xi16> {
  %w = arith.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi16>
  %pad = arith.constant -300 : i16
  %e = tensor.empty() : tensor<2x2x1x1x3xi16>
  %p = linalg.pack %w padding_value(%pad : i16) outer_dims_perm = [2, 0, 1] inner_dims_pos = [0, 1] inner_tiles = [1, 3]
      into %e : tensor<2x2x2xi16> -> tensor<2x2x1x1x3xi16>
  return %p : tensor<2x2x1x1x3xi16>
}

// -----

// CHECK-LABEL: func.func @float_padding(
// CHECK:         dense<{{\[\[}}1.000000e+00, 2.500000e+00], [3.000000e+00, -7.500000e-01]]> : tensor<2x2xf32>
// CHECK-NOT:     linalg.pack
func.func @float_padding() -> tensor<2x2xf32> {
  %w = arith.constant dense<[1.0, 2.5, 3.0]> : tensor<3xf32>
  %pad = arith.constant -0.75 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pack %w padding_value(%pad : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  return %p : tensor<2x2xf32>
}

// -----

// What is no constant stays, and so does padding that is none.
// CHECK-LABEL: func.func @padding_stays(
// CHECK-COUNT-1: linalg.pack
func.func @padding_stays(%pad: i8) -> tensor<2x2xi8> {
  %w = arith.constant dense<[1, 2, 3]> : tensor<3xi8>
  %e = tensor.empty() : tensor<2x2xi8>
  %p = linalg.pack %w padding_value(%pad : i8) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xi8> -> tensor<2x2xi8>
  return %p : tensor<2x2xi8>
}

// -----

// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-1: linalg.pack
func.func @stays(%w: tensor<4x4xf32>, %e: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> {
  %p = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<4x4xf32> -> tensor<2x2x2x2xf32>
  return %p : tensor<2x2x2x2xf32>
}
