// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-pack-kept --canonicalize --verify-diagnostics | FileCheck %s

// Equal packs of two functions are one; another layout is another tensor, of a reshaped one, too. Nobody reads number 0 any
// more, number 1 somebody does.
// CHECK-LABEL: func.func @once(
// CHECK-NOT:     tw.keep 0
// CHECK:         %[[P:.*]] = linalg.pack %[[A:.*]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %{{.*}} : tensor<64x96xf32> -> tensor<3x64x32x1xf32>
// CHECK-NEXT:    tw.keep 2, %[[P]] {bytes_read = 4 : i64, operations = 8 : i64} : tensor<3x64x32x1xf32>
// CHECK-NOT:     tw.keep 0
// CHECK:         tw.keep 1, %[[B:.*]] {
// CHECK-NOT:     tw.keep
// CHECK-LABEL: func.func @f(
// CHECK-DAG:     %[[P:.*]] = tw.kept 2 : tensor<3x64x32x1xf32>
// CHECK-DAG:     %[[B:.*]] = tw.kept 1 : tensor<6144xf32>
// CHECK-DAG:     %[[Q:.*]] = tw.kept 3 : tensor<6x64x16x1xf32>
// CHECK:         return %[[P]], %[[Q]], %[[B]]
// CHECK-LABEL: func.func @g(
// CHECK-NEXT:    %[[P:.*]] = tw.kept 2 : tensor<3x64x32x1xf32>
// CHECK-NEXT:    return %[[P]]
func.func @once(%a: tensor<64x96xf32>, %b: tensor<6144xf32>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<64x96xf32>
  tw.keep 1, %b {bytes_read = 4 : i64, operations = 8 : i64} : tensor<6144xf32>
  return
}
func.func @f() -> (tensor<3x64x32x1xf32>, tensor<6x64x16x1xf32>, tensor<6144xf32>) {
  %a = tw.kept 0 : tensor<64x96xf32>
  %d = tensor.empty() : tensor<3x64x32x1xf32>
  %p = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %d : tensor<64x96xf32> -> tensor<3x64x32x1xf32>
  %b = tw.kept 1 : tensor<6144xf32>
  %m = tensor.expand_shape %b [[0, 1]] output_shape [64, 96] : tensor<6144xf32> into tensor<64x96xf32>
  %e = tensor.empty() : tensor<6x64x16x1xf32>
  %q = linalg.pack %m outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 1] into %e : tensor<64x96xf32> -> tensor<6x64x16x1xf32>
  return %p, %q, %b : tensor<3x64x32x1xf32>, tensor<6x64x16x1xf32>, tensor<6144xf32>
}
func.func @g() -> tensor<3x64x32x1xf32> {
  %a = tw.kept 0 : tensor<64x96xf32>
  %d = tensor.empty() : tensor<3x64x32x1xf32>
  %p = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %d : tensor<64x96xf32> -> tensor<3x64x32x1xf32>
  return %p : tensor<3x64x32x1xf32>
}

// -----

// What depends on the length of vectors, or on an argument, each call packs. Padding is part of the layout.
// CHECK-LABEL: func.func @once_padded(
// CHECK-DAG:     %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[O:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[P:.*]] = linalg.pack %{{.*}} padding_value(%[[Z]] : f32) inner_dims_pos = [0] inner_tiles = [8]
// CHECK-DAG:     %[[Q:.*]] = linalg.pack %{{.*}} padding_value(%[[O]] : f32) inner_dims_pos = [0] inner_tiles = [8]
// CHECK-DAG:     tw.keep 1, %[[P]]
// CHECK-DAG:     tw.keep 2, %[[Q]]
// CHECK-LABEL: func.func @scalable(
// CHECK:         linalg.pack
// CHECK-LABEL: func.func @padded(
// CHECK-DAG:     tw.kept 1 : tensor<2x8xf32>
// CHECK-DAG:     tw.kept 2 : tensor<2x8xf32>
// CHECK:         linalg.pack {{.*}} padding_value(%arg0 : f32)
func.func @once_padded(%a: tensor<12xf32>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<12xf32>
  return
}
func.func @scalable(%n: index, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %a = tw.kept 0 : tensor<12xf32>
  %p = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<12xf32> -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
func.func @padded(%y: f32) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %z = arith.constant 0.0 : f32
  %o = arith.constant 1.0 : f32
  %a = tw.kept 0 : tensor<12xf32>
  %d = tensor.empty() : tensor<2x8xf32>
  %p = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [8] into %d : tensor<12xf32> -> tensor<2x8xf32>
  %q = linalg.pack %a padding_value(%y : f32) inner_dims_pos = [0] inner_tiles = [8] into %d : tensor<12xf32> -> tensor<2x8xf32>
  %r = linalg.pack %a padding_value(%o : f32) inner_dims_pos = [0] inner_tiles = [8] into %d : tensor<12xf32> -> tensor<2x8xf32>
  return %p, %q, %r : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

func.func @once(%a: tensor<16xf32>) {
  tw.keep 1, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<16xf32>
  return
}
func.func @unknown() -> tensor<2x8xf32> {
  // expected-error @+1 {{'tw.kept' op reads what no tw.keep gives}}
  %a = tw.kept 0 : tensor<16xf32>
  %d = tensor.empty() : tensor<2x8xf32>
  %p = linalg.pack %a inner_dims_pos = [0] inner_tiles = [8] into %d : tensor<16xf32> -> tensor<2x8xf32>
  return %p : tensor<2x8xf32>
}

// -----

// Elements of less than a byte are joined once, too; nobody keeps them apart.
// CHECK-LABEL: func.func @once_joined(
// CHECK-NOT:     tw.keep 0
// CHECK:         %[[J:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x16xi8>) attrs = {{{.*}}tw.joins = 1
// CHECK:           tensor.extract %arg0
// CHECK:         %[[P:.*]] = linalg.pack %[[J]] inner_dims_pos = [0, 1] inner_tiles = [2, 16]
// CHECK:         tw.keep 1, %[[P]]
// CHECK-LABEL: func.func @joined(
// CHECK-NEXT:    %[[K:.*]] = tw.kept 1 : tensor<2x1x2x16xi8>
// CHECK-NEXT:    return %[[K]]
func.func @once_joined(%a: tensor<4x32xf4E2M1FN>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4x32xf4E2M1FN>
  return
}
func.func @joined() -> tensor<2x1x2x16xi8> {
  %w = tw.kept 0 : tensor<4x32xf4E2M1FN>
  %e = tensor.empty() : tensor<4x16xi8>
  %j = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xi8>) attrs = {tw.joins = 1 : i64} {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %x = tensor.extract %w[%i, %k] : tensor<4x32xf4E2M1FN>
    %b = arith.bitcast %x : f4E2M1FN to i4
    %y = arith.extui %b : i4 to i8
    linalg.yield %y : i8
  } -> tensor<4x16xi8>
  %d = tensor.empty() : tensor<2x1x2x16xi8>
  %p = linalg.pack %j inner_dims_pos = [0, 1] inner_tiles = [2, 16] into %d : tensor<4x16xi8> -> tensor<2x1x2x16xi8>
  return %p : tensor<2x1x2x16xi8>
}

// -----

// What brings panels in groups along K is done once, with the pack; as panels of rows it is another tensor.
// CHECK-LABEL: func.func @once_in_groups(
// CHECK:         %[[P:.*]] = linalg.pack {{.*}} -> tensor<3x1x32x64xi8>
// CHECK:         %[[X:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [3, 1, 32, 16, 4]
// CHECK:         %[[D:.*]] = tensor.empty() : tensor<3x1x16x32x4xi8>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[X]] : {{.*}}) outs(%[[D]] : {{.*}}) permutation = [0, 1, 3, 2, 4]
// CHECK:         tw.keep 1, %[[T]] {{.*}} : tensor<3x1x16x32x4xi8>
// CHECK:         tw.keep 2, %{{.*}} : tensor<3x1x32x64xi8>
// CHECK-LABEL: func.func @in_groups(
// CHECK-DAG:     %[[T:.*]] = tw.kept 1 : tensor<3x1x16x32x4xi8>
// CHECK-DAG:     %[[P:.*]] = tw.kept 2 : tensor<3x1x32x64xi8>
// CHECK:         return %[[T]], %[[P]]
func.func @once_in_groups(%a: tensor<64x96xi8>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<64x96xi8>
  return
}
func.func @in_groups(%e: tensor<3x1x32x64xi8>, %d: tensor<3x1x16x32x4xi8>) -> (tensor<3x1x16x32x4xi8>, tensor<3x1x32x64xi8>) {
  %a = tw.kept 0 : tensor<64x96xi8>
  %p = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 64] into %e : tensor<64x96xi8> -> tensor<3x1x32x64xi8>
  %x = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [3, 1, 32, 16, 4] : tensor<3x1x32x64xi8> into tensor<3x1x32x16x4xi8>
  %t = linalg.transpose ins(%x : tensor<3x1x32x16x4xi8>) outs(%d : tensor<3x1x16x32x4xi8>) permutation = [0, 1, 3, 2, 4]
  %q = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 64] into %e : tensor<64x96xi8> -> tensor<3x1x32x64xi8>
  return %t, %q : tensor<3x1x16x32x4xi8>, tensor<3x1x32x64xi8>
}
