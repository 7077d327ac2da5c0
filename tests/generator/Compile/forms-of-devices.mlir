// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-data-tiling{devices=cpu=x86_64_avx512_base,gpu=amdgpu:gfx942},func.func(tw-form-matmuls,canonicalize,cse))' | FileCheck %s
// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-data-tiling{devices=cpu=x86_64_avx512_base,gpu=amdgpu:gfx942},func.func(tw-form-packs,canonicalize,cse))' | FileCheck %s --check-prefix=PACKS

// The library's matmul and its functions that pack are the host's; packs of the GPU are its own kernels.

// CHECK-LABEL: func.func @on_host(
// CHECK-NOT:     linalg.pack
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
// CHECK-LABEL: func.func @on_gpu(
// CHECK-COUNT-2: linalg.pack
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_{{.*}}_amdgpu_gfx942">
// CHECK:         linalg.unpack

// PACKS-LABEL: func.func @on_host(
// PACKS-COUNT-2: tw.pack "tw_pack_tile_32_{{.*}}_x86_64_avx512_base"
// PACKS:         tw.unpack "tw_unpack_tile_32_{{.*}}_x86_64_avx512_base"
// PACKS-LABEL: func.func @on_gpu(
// PACKS-COUNT-2: linalg.pack
// PACKS:         linalg.unpack
func.func @on_host(%x: tensor<24x64xf32>, %y: tensor<64x96xf32>, %e: tensor<24x96xf32>) -> tensor<24x96xf32>
    attributes {tw.device = "cpu"} {
  %r = linalg.matmul ins(%x, %y : tensor<24x64xf32>, tensor<64x96xf32>) outs(%e : tensor<24x96xf32>) -> tensor<24x96xf32>
  return %r : tensor<24x96xf32>
}
func.func @on_gpu(%x: tensor<24x64xf32>, %y: tensor<64x96xf32>) -> tensor<24x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x96xf32>) -> tensor<24x96xf32>
  %r = linalg.matmul ins(%x, %y : tensor<24x64xf32>, tensor<64x96xf32>) outs(%z : tensor<24x96xf32>) -> tensor<24x96xf32>
  return %r : tensor<24x96xf32>
}
