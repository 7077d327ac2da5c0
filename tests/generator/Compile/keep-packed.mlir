// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What multiplications keep packed is packed when an instance is made: equal ones once, whatever M0 their tiles have.

// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-keep-packed{has-instance})' | FileCheck %s
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-keep-packed)' | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-keep-packed{has-instance run-once=false})' | FileCheck %s --check-prefix=NONE

// NONE-NOT: tw.keep_packed
// NONE-NOT: func.func @tw.run_once

// CHECK-LABEL: func.func private @tw.run_once.body() -> i32
// CHECK:         %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<8x8x96xf32>
// CHECK:         %[[W:.*]] = tensor.collapse_shape %[[C]]
// CHECK:         %[[M:.*]] = bufferization.to_buffer %[[W]] read_only : tensor<64x96xf32> to memref<64x96xf32>
// CHECK:         %[[THERE:.*]] = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %[[M]] n = 1 k = 0 : memref<64x96xf32>
// CHECK:         cf.assert %[[THERE]], "memory for panels" {tw.status = 5 : i32}
// CHECK:         tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve"> %{{.*}} n = 1 k = 0 : memref<64x96xf32>
// CHECK:         tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %{{.*}} n = 0 k = 1 : memref<96x64xf32>
// CHECK-NOT:     tw.keep_packed
// CHECK:         return

// CHECK-LABEL: func.func @tw.run_once() -> i32

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#t = affine_map<(m, n, k) -> (n, k)>
#o = affine_map<(m, n, k) -> (m, n)>
func.func private @model(%x: tensor<?x64xf32>, %o: tensor<?x96xf32>, %s: tensor<4194304xi8>, %p: tensor<4x64x?x1xf32>) {
  %c = arith.constant dense<1.0> : tensor<8x8x96xf32>
  %w = tensor.collapse_shape %c [[0, 1], [2]] : tensor<8x8x96xf32> into tensor<64x96xf32>
  %0:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  // The same panels.
  %1:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_4x3vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  // Others.
  %2:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  %t = arith.constant dense<2.0> : tensor<96x64xf32>
  %3:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_kept indexing_maps = [#x, #t, #o]
      ins(%x, %t : tensor<?x64xf32>, tensor<96x64xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  // What is packed already.
  %4:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_packed indexing_maps = [#x, #t, #o]
      ins(%x, %p : tensor<?x64xf32>, tensor<4x64x?x1xf32>) outs(%o, %s : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
  return
}

// -----

// There is a function already that makes what an instance keeps; the model has a state. On the second of two CPUs.
// CHECK-LABEL: func.func private @tw.run_once.body() -> i32
// CHECK:         tw.keep 0
// CHECK:         tw.keep_packed #tw.tile<"tw_mmt4d_tile_s8s8s32_8x2vlx4_arm_64_sve"> %{{.*}} n = 0 k = 1 k_dims = 2 {tw.device = "b"} : memref<40x3x8xi8>
// CHECK:         cf.assert
// CHECK:         return
// CHECK-NOT:   func.func @tw.run_once

#gx = affine_map<(h, w, n, i, j) -> (h * 2 + i, w * 3 + j)>
#gw = affine_map<(h, w, n, i, j) -> (n, i, j)>
#go = affine_map<(h, w, n, i, j) -> (h, w, n)>
module attributes {tw.devices = [#tw.device<"a" = "arm_64_base", memory = host>, #tw.device<"b" = "arm_64_sve", memory = host>]} {
  func.func private @tw.run_once.body() -> i32 {
    %c = arith.constant dense<1.0> : tensor<4xf32>
    tw.keep 0, %c {operations = 1, bytes_read = 1} : tensor<4xf32>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  func.func private @windows(%x: tensor<11x20xi8>, %o: tensor<5x5x40xi32>, %s: tensor<4194304xi8>) {
    %w = arith.constant dense<3> : tensor<40x3x8xi8>
    %0:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_8x2vlx4_arm_64_sve"> rhs_kept m_loops = 2 k_loops = 2 k_size = 7 indexing_maps = [#gx, #gw, #go]
        ins(%x, %w : tensor<11x20xi8>, tensor<40x3x8xi8>) outs(%o, %s : tensor<5x5x40xi32>, tensor<4194304xi8>)
        {tw.device = "b"} -> tensor<5x5x40xi32>, tensor<4194304xi8>
    return
  }
}
