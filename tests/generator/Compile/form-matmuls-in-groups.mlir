// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tw-form-matmuls),canonicalize,cse)' | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A rhs that is brought in groups along K is read where it lies, as one that is packed in rows.
// CHECK-DAG:     #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:     #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG:     #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @in_groups(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: tensor<40x128xi8>, %[[Y:[a-z0-9]*]]: tensor<128x96xi8>, %[[O:[a-z0-9]*]]: tensor<40x96xi32>
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite indexing_maps = [#[[MK]], #[[KN]], #[[MN]]] ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[O]],
// CHECK-NOT:     linalg.transpose
func.func @in_groups(%x: tensor<40x128xi8>, %y: tensor<128x96xi8>, %o: tensor<40x96xi32>,
                     %dx: tensor<2x2x32x64xi8>, %dy: tensor<3x2x32x64xi8>, %dt: tensor<3x2x16x32x4xi8>, %do: tensor<2x3x32x32xi32>) -> tensor<40x96xi32> {
  %zero = arith.constant 0 : i8
  %px = linalg.pack %x padding_value(%zero : i8) inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %dx : tensor<40x128xi8> -> tensor<2x2x32x64xi8>
  %py = linalg.pack %y outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 64] into %dy : tensor<128x96xi8> -> tensor<3x2x32x64xi8>
  %ey = tensor.expand_shape %py [[0], [1], [2], [3, 4]] output_shape [3, 2, 32, 16, 4] : tensor<3x2x32x64xi8> into tensor<3x2x32x16x4xi8>
  %ty = linalg.transpose ins(%ey : tensor<3x2x32x16x4xi8>) outs(%dt : tensor<3x2x16x32x4xi8>) permutation = [0, 1, 3, 2, 4]
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite indexing_maps = [#a, #b, #c]
      ins(%px, %ty : tensor<2x2x32x64xi8>, tensor<3x2x16x32x4xi8>) outs(%do : tensor<2x3x32x32xi32>) -> tensor<2x3x32x32xi32>
  %u = linalg.unpack %r inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %o : tensor<2x3x32x32xi32> -> tensor<40x96xi32>
  return %u : tensor<40x96xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Groups that others have brought are taken as they are.
// CHECK-LABEL: func.func @packed_by_others(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         tw.matmul {{.*}} overwrite rhs_packed {{.*}} ins(%{{.*}}, %[[T]] : tensor<40x128xi8>, tensor<3x2x16x32x4xi8>)
func.func @packed_by_others(%x: tensor<40x128xi8>, %y: tensor<3x2x32x64xi8>, %o: tensor<40x96xi32>,
                            %dx: tensor<2x2x32x64xi8>, %dt: tensor<3x2x16x32x4xi8>, %do: tensor<2x3x32x32xi32>) -> tensor<40x96xi32> {
  %zero = arith.constant 0 : i8
  %px = linalg.pack %x padding_value(%zero : i8) inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %dx : tensor<40x128xi8> -> tensor<2x2x32x64xi8>
  %ey = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [3, 2, 32, 16, 4] : tensor<3x2x32x64xi8> into tensor<3x2x32x16x4xi8>
  %t0 = linalg.transpose ins(%ey : tensor<3x2x32x16x4xi8>) outs(%dt : tensor<3x2x16x32x4xi8>) permutation = [0, 1, 3, 2, 4]
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite indexing_maps = [#a, #b, #c]
      ins(%px, %t0 : tensor<2x2x32x64xi8>, tensor<3x2x16x32x4xi8>) outs(%do : tensor<2x3x32x32xi32>) -> tensor<2x3x32x32xi32>
  %u = linalg.unpack %r inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %o : tensor<2x3x32x32xi32> -> tensor<40x96xi32>
  return %u : tensor<40x96xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A pack that fills up its tiles with something else does not do what tw.matmul does.
// CHECK-LABEL: func.func @other_padding(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         tw.matmul {{.*}} overwrite rhs_packed {{.*}} ins(%{{.*}}, %[[T]] :
func.func @other_padding(%x: tensor<40x128xi8>, %y: tensor<128x95xi8>, %o: tensor<40x96xi32>,
                         %dx: tensor<2x2x32x64xi8>, %dy: tensor<3x2x32x64xi8>, %dt: tensor<3x2x16x32x4xi8>, %do: tensor<2x3x32x32xi32>) -> tensor<40x96xi32> {
  %zero = arith.constant 0 : i8
  %px = linalg.pack %x padding_value(%zero : i8) inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %dx : tensor<40x128xi8> -> tensor<2x2x32x64xi8>
  %one = arith.constant 1 : i8
  %py = linalg.pack %y padding_value(%one : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 64] into %dy : tensor<128x95xi8> -> tensor<3x2x32x64xi8>
  %ey = tensor.expand_shape %py [[0], [1], [2], [3, 4]] output_shape [3, 2, 32, 16, 4] : tensor<3x2x32x64xi8> into tensor<3x2x32x16x4xi8>
  %ty = linalg.transpose ins(%ey : tensor<3x2x32x16x4xi8>) outs(%dt : tensor<3x2x16x32x4xi8>) permutation = [0, 1, 3, 2, 4]
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite indexing_maps = [#a, #b, #c]
      ins(%px, %ty : tensor<2x2x32x64xi8>, tensor<3x2x16x32x4xi8>) outs(%do : tensor<2x3x32x32xi32>) -> tensor<2x3x32x32xi32>
  %u = linalg.unpack %r inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %o : tensor<2x3x32x32xi32> -> tensor<40x96xi32>
  return %u : tensor<40x96xi32>
}
