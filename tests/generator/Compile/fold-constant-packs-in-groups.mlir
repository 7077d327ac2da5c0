// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fold-constant-packs --canonicalize --split-input-file | FileCheck %s

// Panels in groups along K, K0 / G x N0 x G: pack, reshape and transpose are one constant. Padding is where it was. These groups,
// of 2 bytes, are none that the library packs.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    tw.packed = ["tensor<3x2xi8> -> tensor<1x1x2x2x2xi8>, 8 bytes"]
// CHECK:         %[[C:[a-z0-9_]*]] = arith.constant dense<{{\[\[\[\[\[}}1, 3], [2, 4]], {{\[\[}}5, 9], [6, 9]]]]]> : tensor<1x1x2x2x2xi8>
// CHECK-NEXT:    return %[[C]]
func.func @groups() -> tensor<1x1x2x2x2xi8> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %nine = arith.constant 9 : i8
  %e = tensor.empty() : tensor<1x1x2x4xi8>
  %p = linalg.pack %w padding_value(%nine : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 4]
      into %e : tensor<3x2xi8> -> tensor<1x1x2x4xi8>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 2, 2] : tensor<1x1x2x4xi8> into tensor<1x1x2x2x2xi8>
  %d = tensor.empty() : tensor<1x1x2x2x2xi8>
  %t = linalg.transpose ins(%x : tensor<1x1x2x2x2xi8>) outs(%d : tensor<1x1x2x2x2xi8>) permutation = [0, 1, 3, 2, 4]
  return %t : tensor<1x1x2x2x2xi8>
}

// Of 4 bytes, by the library: of a matrix that lies by columns, and by rows.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    tw.packed = ["tensor<3x2xi8> -> tensor<1x1x1x2x4xi8>, 8 bytes"]
// CHECK:         dense<{{\[\[\[\[\[}}1, 3, 5, 0], [2, 4, 6, 0]]]]]> : tensor<1x1x1x2x4xi8>
func.func @columns() -> tensor<1x1x1x2x4xi8> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<1x1x2x4xi8>
  %p = linalg.pack %w padding_value(%zero : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 4]
      into %e : tensor<3x2xi8> -> tensor<1x1x2x4xi8>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 1, 4] : tensor<1x1x2x4xi8> into tensor<1x1x2x1x4xi8>
  %d = tensor.empty() : tensor<1x1x1x2x4xi8>
  %t = linalg.transpose ins(%x : tensor<1x1x2x1x4xi8>) outs(%d : tensor<1x1x1x2x4xi8>) permutation = [0, 1, 3, 2, 4]
  return %t : tensor<1x1x1x2x4xi8>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         dense<{{\[\[\[\[\[}}1, 2], [5, 6]], {{\[\[}}3, 4], [7, 8]]]]]> : tensor<1x1x2x2x2xi16>
func.func @rows() -> tensor<1x1x2x2x2xi16> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<1x1x2x4xi16>
  %p = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x4xi16> -> tensor<1x1x2x4xi16>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 2, 2] : tensor<1x1x2x4xi16> into tensor<1x1x2x2x2xi16>
  %d = tensor.empty() : tensor<1x1x2x2x2xi16>
  %t = linalg.transpose ins(%x : tensor<1x1x2x2x2xi16>) outs(%d : tensor<1x1x2x2x2xi16>) permutation = [0, 1, 3, 2, 4]
  return %t : tensor<1x1x2x2x2xi16>
}

// -----

// Of one constant, panels with and without groups are two.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    tw.packed = ["tensor<2x4xi16> -> tensor<1x1x2x4xi16>, 16 bytes", "tensor<2x4xi16> -> tensor<1x1x2x2x2xi16>, 16 bytes"]
// CHECK-DAG:     %[[R:.*]] = arith.constant dense<{{\[\[\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]]]> : tensor<1x1x2x4xi16>
// CHECK-DAG:     %[[G:.*]] = arith.constant dense<{{\[\[\[\[\[}}1, 2], [5, 6]], {{\[\[}}3, 4], [7, 8]]]]]> : tensor<1x1x2x2x2xi16>
// CHECK:         return %[[R]], %[[G]]
func.func @both() -> (tensor<1x1x2x4xi16>, tensor<1x1x2x2x2xi16>) {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<1x1x2x4xi16>
  %q = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x4xi16> -> tensor<1x1x2x4xi16>
  %p = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x4xi16> -> tensor<1x1x2x4xi16>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 2, 2] : tensor<1x1x2x4xi16> into tensor<1x1x2x2x2xi16>
  %d = tensor.empty() : tensor<1x1x2x2x2xi16>
  %t = linalg.transpose ins(%x : tensor<1x1x2x2x2xi16>) outs(%d : tensor<1x1x2x2x2xi16>) permutation = [0, 1, 3, 2, 4]
  return %q, %t : tensor<1x1x2x4xi16>, tensor<1x1x2x2x2xi16>
}

// -----

// Another transpose makes no groups: the pack alone is a constant.
// CHECK-LABEL: func.func @other_transpose(
// CHECK-SAME:    tw.packed = ["tensor<2x4xi16> -> tensor<1x1x2x4xi16>, 16 bytes"]
// CHECK:         linalg.transpose
func.func @other_transpose(%d: tensor<1x1x2x2x2xi16>) -> tensor<1x1x2x2x2xi16> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<1x1x2x4xi16>
  %p = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x4xi16> -> tensor<1x1x2x4xi16>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 2, 2] : tensor<1x1x2x4xi16> into tensor<1x1x2x2x2xi16>
  %t = linalg.transpose ins(%x : tensor<1x1x2x2x2xi16>) outs(%d : tensor<1x1x2x2x2xi16>) permutation = [0, 1, 2, 4, 3]
  return %t : tensor<1x1x2x2x2xi16>
}

// And of what is read in rows, too, the rows are one.
// CHECK-LABEL: func.func @two_readers(
// CHECK-SAME:    tw.packed = ["tensor<2x4xi16> -> tensor<1x1x2x4xi16>, 16 bytes"]
// CHECK:         linalg.transpose
func.func @two_readers(%d: tensor<1x1x2x2x2xi16>) -> (tensor<1x1x2x4xi16>, tensor<1x1x2x2x2xi16>) {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<1x1x2x4xi16>
  %p = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x4xi16> -> tensor<1x1x2x4xi16>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 1, 2, 2, 2] : tensor<1x1x2x4xi16> into tensor<1x1x2x2x2xi16>
  %t = linalg.transpose ins(%x : tensor<1x1x2x2x2xi16>) outs(%d : tensor<1x1x2x2x2xi16>) permutation = [0, 1, 3, 2, 4]
  return %p, %t : tensor<1x1x2x4xi16>, tensor<1x1x2x2x2xi16>
}
