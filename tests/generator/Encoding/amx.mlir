// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64_amx_bf16},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-verify-encodings,tw-materialize-encodings,canonicalize,cse))' | FileCheck %s
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64:sapphirerapids+amx-int8+amx-bf16},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings,canonicalize,cse))' | FileCheck %s
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64:sapphirerapids},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings,canonicalize,cse))' | FileCheck %s --check-prefix=NAME
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64_amx_int8},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings,canonicalize,cse))' | FileCheck %s --check-prefix=INT8

// The rhs of AMX is in groups of 4 bytes along K. A CPU's name does not say that its processes ask for AMX.
// CHECK-LABEL: func.func @integers(
// CHECK:         %[[P:.*]] = linalg.pack {{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 64]
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0], [1], [2], [3, 4]]
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<3x2x32x16x4xi8>) outs(%{{.*}} : tensor<3x2x16x32x4xi8>) permutation = [0, 1, 3, 2, 4]
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> {{.*}} ins(%{{.*}}, %[[T]] :
// NAME-LABEL:  func.func @integers(
// NAME-NOT:      linalg.transpose
// NAME:          tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_{{.*}}_x86_64_avx512_vnni">
// INT8-LABEL:  func.func @integers(
// INT8:          tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8">
func.func @integers(%x: tensor<?x128xi8>, %w: tensor<128x96xi8>, %o: tensor<?x96xi32>) -> tensor<?x96xi32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x128xi8>, tensor<128x96xi8>) outs(%o : tensor<?x96xi32>) -> tensor<?x96xi32>
  return %r : tensor<?x96xi32>
}

// -----

// Of bf16 a group is two. Narrow matrices have tiles of their size.
// CHECK-LABEL: func.func @floats(
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x4x16x20x2xbf16>) permutation = [0, 1, 3, 2, 4]
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_32x20x32_vnni_x86_64_amx_bf16">
// INT8-LABEL:  func.func @floats(
// INT8-NOT:      _vnni_
// INT8:          tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_
func.func @floats(%x: tensor<?x128xbf16>, %w: tensor<128x20xbf16>, %o: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x128xbf16>, tensor<128x20xbf16>) outs(%o : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// -----

// Other types have the tiles that they had.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     linalg.transpose
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_{{.*}}_x86_64_avx512_base">
func.func @others(%x: tensor<?x128xf32>, %w: tensor<128x96xf32>, %o: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x128xf32>, tensor<128x96xf32>) outs(%o : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// -----

// What gathers windows fills rows.
// CHECK-LABEL: func.func @windows(
// CHECK-NOT:     linalg.transpose
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_{{.*}}_x86_64_avx512_vnni"> {{.*}} m_loops = 3 k_loops = 2
func.func @windows(%x: tensor<2x30x58x64xi8>, %w: tensor<3x3x64x96xi8>, %o: tensor<2x28x56x96xi32>) -> tensor<2x28x56x96xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x30x58x64xi8>, tensor<3x3x64x96xi8>) outs(%o : tensor<2x28x56x96xi32>) -> tensor<2x28x56x96xi32>
  return %r : tensor<2x28x56x96xi32>
}
