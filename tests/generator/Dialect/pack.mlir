// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --verify-roundtrip | FileCheck %s
// RUN: tw-opt %s --one-shot-bufferize=bufferize-function-boundaries --cse | FileCheck %s --check-prefix=BUFFERS

// What is overwritten is not read, so nothing is copied.
// CHECK-LABEL: func.func @pack(
// CHECK:         tw.pack "uk_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
// CHECK-SAME:      ins(%{{.*}} : tensor<?x8xf32>) padding(%{{.*}} : f32) outs(%{{.*}} : tensor<?x8x12x1xf32>) -> tensor<?x8x12x1xf32>
// BUFFERS-LABEL: func.func @pack(
// BUFFERS-SAME:    %[[A:[^:]*]]: memref<?x8xf32, strided{{.*}}>, %[[P:[^:]*]]: memref<?x8x12x1xf32, {{.*}}>, %[[Z:[^:]*]]: f32
// BUFFERS-NEXT:    tw.pack "uk_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
// BUFFERS-SAME:      ins(%[[A]] : {{.*}}) padding(%[[Z]] : f32) outs(%[[P]] :
// BUFFERS-NEXT:    return
func.func @pack(%a: tensor<?x8xf32>, %p: tensor<?x8x12x1xf32>, %z: f32) -> tensor<?x8x12x1xf32> {
  %r = tw.pack "uk_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<?x8xf32>) padding(%z : f32) outs(%p : tensor<?x8x12x1xf32>) -> tensor<?x8x12x1xf32>
  return %r : tensor<?x8x12x1xf32>
}

// CHECK-LABEL: func.func @unpack(
// CHECK:         tw.unpack "tw_unpack_tile_8_cols_16x4_x86_64_avx512_base" outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
// CHECK-SAME:      ins(%{{.*}} : tensor<2x3x16x4xi8>) outs(%{{.*}} : tensor<11x30xi8>) -> tensor<11x30xi8>
// BUFFERS-LABEL: func.func @unpack(
// BUFFERS-NOT:     memref.alloc
// BUFFERS:         tw.unpack
// BUFFERS-NOT:     memref.copy
func.func @unpack(%p: tensor<2x3x16x4xi8>, %a: tensor<11x30xi8>) -> tensor<11x30xi8> {
  %r = tw.unpack "tw_unpack_tile_8_cols_16x4_x86_64_avx512_base" outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
      ins(%p : tensor<2x3x16x4xi8>) outs(%a : tensor<11x30xi8>) -> tensor<11x30xi8>
  return %r : tensor<11x30xi8>
}
