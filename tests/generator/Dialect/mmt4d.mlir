// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --verify-roundtrip | FileCheck %s
// RUN: tw-opt %s --one-shot-bufferize=bufferize-function-boundaries --cse --split-input-file | FileCheck %s --check-prefix=BUFFERS

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @matmul(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"> indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<?x?x8x4xi8>, tensor<3x?x32x4xi8>)
// CHECK-SAME:      outs(%{{.*}} : tensor<?x3x8x32xi32>) -> tensor<?x3x8x32xi32>
// BUFFERS-LABEL: func.func @matmul(
// BUFFERS-SAME:    %[[A:[^:]*]]: memref<?x?x8x4xi8, strided{{.*}}>, %[[B:[^:]*]]: memref<{{.*}}>, %[[C:[^:]*]]: memref<
// BUFFERS-NEXT:    tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"> indexing_maps =
// BUFFERS-SAME:      ins(%[[A]], %[[B]] :
// BUFFERS-SAME:      outs(%[[C]] :
// BUFFERS-NEXT:    return
func.func @matmul(%a: tensor<?x?x8x4xi8>, %b: tensor<3x?x32x4xi8>, %c: tensor<?x3x8x32xi32>) -> tensor<?x3x8x32xi32> {
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"> indexing_maps = [#lhs, #rhs, #out]
      ins(%a, %b : tensor<?x?x8x4xi8>, tensor<3x?x32x4xi8>) outs(%c : tensor<?x3x8x32xi32>) -> tensor<?x3x8x32xi32>
  return %r : tensor<?x3x8x32xi32>
}

// Of the variant `vnni` the rhs is in groups of 4 bytes along K.
// CHECK-LABEL: func.func @in_groups(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8">
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<?x?x32x64xi8>, tensor<3x?x16x32x4xi8>)
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16bf16_16x7x32_vnni_x86_64_amx_bf16">
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<?x?x16x32xbf16>, tensor<3x?x16x7x2xbf16>)
func.func @in_groups(%a: tensor<?x?x32x64xi8>, %b: tensor<3x?x16x32x4xi8>, %c: tensor<?x3x32x32xi32>,
                     %d: tensor<?x?x16x32xbf16>, %e: tensor<3x?x16x7x2xbf16>, %f: tensor<?x3x16x7xbf16>) -> (tensor<?x3x32x32xi32>, tensor<?x3x16x7xbf16>) {
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> indexing_maps = [#lhs, #rhs, #out]
      ins(%a, %b : tensor<?x?x32x64xi8>, tensor<3x?x16x32x4xi8>) outs(%c : tensor<?x3x32x32xi32>) -> tensor<?x3x32x32xi32>
  %s = tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16bf16_16x7x32_vnni_x86_64_amx_bf16"> indexing_maps = [#lhs, #rhs, #out]
      ins(%d, %e : tensor<?x?x16x32xbf16>, tensor<3x?x16x7x2xbf16>) outs(%f : tensor<?x3x16x7xbf16>) -> tensor<?x3x16x7xbf16>
  return %r, %s : tensor<?x3x32x32xi32>, tensor<?x3x16x7xbf16>
}

// What is used again is copied, if its elements count; what is overwritten is not.
// CHECK-LABEL: func.func @overwrite(
// CHECK:         tw.mmt4d #tw.tile<"uk_mmt4d_tile_f32f32f32_4x16x1_generic"> overwrite indexing_maps =
// BUFFERS-LABEL: func.func @overwrite(
// BUFFERS-NOT:     memref.copy
// BUFFERS:         tw.mmt4d #tw.tile<"uk_mmt4d_tile_f32f32f32_4x16x1_generic"> overwrite
// BUFFERS:         memref.copy
// BUFFERS-NOT:     memref.copy
// BUFFERS:         tw.mmt4d #tw.tile<"uk_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps
func.func @overwrite(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>)
    -> (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>) {
  %r = tw.mmt4d #tw.tile<"uk_mmt4d_tile_f32f32f32_4x16x1_generic"> overwrite indexing_maps = [#lhs, #rhs, #out]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  %s = tw.mmt4d #tw.tile<"uk_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [#lhs, #rhs, #out]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r, %s, %c : tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>
}

// Two loops of each kind, but one of n and none of the batch; on buffers there is no result.
#lhs2 = affine_map<(a, b, n, c, d) -> (b, a, d, c)>
#rhs2 = affine_map<(a, b, n, c, d) -> (n, d, c)>
#out2 = affine_map<(a, b, n, c, d) -> (b, a, n)>
// CHECK-LABEL: func.func @buffers(
// CHECK:         tw.mmt4d {{.*}} outs(%{{.*}} : memref<2x3x5x4x16xf32>){{$}}
func.func @buffers(%a: memref<2x3x6x7x4x1xf32>, %b: memref<5x6x7x16x1xf32>, %c: memref<2x3x5x4x16xf32>) {
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [#lhs2, #rhs2, #out2]
      ins(%a, %b : memref<2x3x6x7x4x1xf32>, memref<5x6x7x16x1xf32>) outs(%c : memref<2x3x5x4x16xf32>)
  return
}

// Scales are read.
// CHECK-LABEL: func.func @scaled(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_16x16x128_mx_amdgpu_gfx950"> overwrite indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<?x3x1x16x4x32xf8E4M3FN>, tensor<5x?x1x16x4x32xf8E5M2>)
// CHECK-SAME:      scales(%{{.*}}, %{{.*}} : tensor<?x3x16x4xf8E8M0FNU>, tensor<?x3x16x4xf8E8M0FNU>)
// CHECK-SAME:      outs(%{{.*}} : tensor<?x5x16x16xf32>) -> tensor<?x5x16x16xf32>
// BUFFERS-LABEL: func.func @scaled(
// BUFFERS:         tw.mmt4d {{.*}} scales(%arg2, %arg3 : memref<{{.*}}>, memref<{{.*}}>) outs(%arg4 : memref<
func.func @scaled(%a: tensor<?x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x?x1x16x4x32xf8E5M2>, %p: tensor<?x3x16x4xf8E8M0FNU>, %q: tensor<?x3x16x4xf8E8M0FNU>, %c: tensor<?x5x16x16xf32>) -> tensor<?x5x16x16xf32> {
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_16x16x128_mx_amdgpu_gfx950"> overwrite
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<?x3x1x16x4x32xf8E4M3FN>, tensor<5x?x1x16x4x32xf8E5M2>) scales(%p, %q : tensor<?x3x16x4xf8E8M0FNU>, tensor<?x3x16x4xf8E8M0FNU>)
      outs(%c : tensor<?x5x16x16xf32>) -> tensor<?x5x16x16xf32>
  return %r : tensor<?x5x16x16xf32>
}
