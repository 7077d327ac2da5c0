// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-verify-encodings))" | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings{host-packs-blocks},func.func(tw-verify-encodings))" | FileCheck %s --check-prefix=BLOCKS
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-specialize-encodings,tw-materialize-encodings))" | FileCheck %s --check-prefix=TILES

// Weights of a prefill and of a decode: N0 and K0 are the same, M0 is not.
// CHECK-DAG: #[[RHS1:.*]] = #tw.encoding<rhs, {{.*}} sizes = [1, 96, 64], any_m>
// CHECK-DAG: #[[RHS128:.*]] = #tw.encoding<rhs, {{.*}} sizes = [128, 96, 64], any_m>
// CHECK-LABEL: func.func @prefill(
// CHECK: linalg.generic
// CHECK-SAME: tensor<64x96xf32, #[[RHS128]]>
// TILES-LABEL: func.func @prefill(
// TILES: tw.mmt4d "tw_mmt4d_tile_f32f32f32_{{[0-9]+}}x32x1_x86_64_avx512_base"
func.func @prefill(%a: tensor<128x64xf32>, %c: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %w : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}
// CHECK-LABEL: func.func @decode(
// CHECK: linalg.generic
// CHECK-SAME: tensor<64x96xf32, #[[RHS1]]>
// TILES-LABEL: func.func @decode(
// TILES: tw.mmt4d "tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base"
func.func @decode(%a: tensor<1x64xf32>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%c : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}

// Other weights, of one multiplication, whose encodings were shared until now.
// CHECK-LABEL: func.func @alone(
// BLOCKS-LABEL: func.func @alone(
// CHECK-NOT: any_m
// CHECK: return
// TILES-LABEL: func.func @alone(
// TILES: tw.mmt4d "tw_mmt4d_tile_f32f32f32_1x16x1_x86_64_avx512_base"
func.func @alone(%a: tensor<1x64xf32>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %w = arith.constant dense<3.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%c : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}

// -----

// A value that two multiplications of different sizes take: one packed form, if
// it is packed as a whole.
// CHECK: any_m
// CHECK-LABEL: func.func @value(
// BLOCKS-NOT: any_m
// BLOCKS-LABEL: func.func @value(
func.func @value(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %w: tensor<64x96xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %r = linalg.matmul ins(%a, %w : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// Of one size there is nothing to agree on; transposed weights lie otherwise.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @same(
func.func @same(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %w: tensor<64x64xf32>, %c: tensor<8x64xf32>, %d: tensor<128x64xf32>, %e: tensor<128x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<128x64xf32>) {
  %r = linalg.matmul ins(%a, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%c : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s = linalg.matmul ins(%b, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%c : tensor<8x64xf32>) -> tensor<8x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d, %w : tensor<128x64xf32>, tensor<64x64xf32>) outs(%e : tensor<128x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<128x64xf32>
  return %r, %s, %t : tensor<8x64xf32>, tensor<8x64xf32>, tensor<128x64xf32>
}
