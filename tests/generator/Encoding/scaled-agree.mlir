// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=amdgpu:gfx950},func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-verify-encodings,tw-specialize-encodings,tw-materialize-encodings))" | FileCheck %s

// Scaled weights of a prefill and of a decode lie in one way, and so do their
// scales; alone, one row would have had tiles of 128 columns of k.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
// CHECK-LABEL: func.func @prefill(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_64x64x64_mx_amdgpu_gfx950">
// CHECK-SAME:      tensor<2x3x1x64x2x32xf8E5M2>) scales(%{{.*}} : tensor<2x3x64x2xf8E8M0FNU>, tensor<2x3x64x2xf8E8M0FNU>)
func.func @prefill(%a: tensor<128x6x32xf8E4M3FN>, %as: tensor<128x6xf8E8M0FNU>, %c: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %b = arith.constant dense<2.0> : tensor<96x6x32xf8E5M2>
  %bs = arith.constant dense<4.0> : tensor<96x6xf8E8M0FNU>
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<128x6x32xf8E4M3FN>, tensor<96x6x32xf8E5M2>, tensor<128x6xf8E8M0FNU>, tensor<96x6xf8E8M0FNU>) outs(%c : tensor<128x96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}

// CHECK-LABEL: func.func @decode(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_16x64x64_mx_amdgpu_gfx950">
// CHECK-SAME:      tensor<2x3x1x64x2x32xf8E5M2>) scales(%{{.*}} : tensor<1x3x16x2xf8E8M0FNU>, tensor<2x3x64x2xf8E8M0FNU>)
func.func @decode(%a: tensor<1x6x32xf8E4M3FN>, %as: tensor<1x6xf8E8M0FNU>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %b = arith.constant dense<2.0> : tensor<96x6x32xf8E5M2>
  %bs = arith.constant dense<4.0> : tensor<96x6xf8E8M0FNU>
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<1x6x32xf8E4M3FN>, tensor<96x6x32xf8E5M2>, tensor<1x6xf8E8M0FNU>, tensor<96x6xf8E8M0FNU>) outs(%c : tensor<1x96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}
