// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-verify-encodings))" | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings{host-packs-blocks},func.func(tw-verify-encodings))" | FileCheck %s --check-prefix=BLOCKS
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-specialize-encodings,tw-materialize-encodings))" | FileCheck %s --check-prefix=TILES
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=amdgpu:gfx942},func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-specialize-encodings,tw-materialize-encodings))" | FileCheck %s --check-prefix=GPU
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-set-encodings{convolutions}),tw-agree-encodings{host-packs-blocks},func.func(tw-verify-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings))" | FileCheck %s --check-prefix=CONV

// Weights of a prefill and of a decode: N0 and K0 are the same, M0 is not.
// CHECK-DAG: #[[RHS1:.*]] = #tw.encoding<rhs, {{.*}} sizes = [1, 96, 64], any_m>
// CHECK-DAG: #[[RHS128:.*]] = #tw.encoding<rhs, {{.*}} sizes = [128, 96, 64], any_m>
// CHECK-LABEL: func.func @prefill(
// CHECK: linalg.generic
// CHECK-SAME: tensor<64x96xf32, #[[RHS128]]>
// TILES-LABEL: func.func @prefill(
// TILES: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_{{[0-9]+}}x32x1_x86_64_avx512_base">
// GPU-LABEL: func.func @prefill(
// GPU: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_64x64x8_amdgpu_gfx942">
// GPU-SAME: tensor<2x8x64x8xf32>) outs(
func.func @prefill(%a: tensor<128x64xf32>, %c: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %w : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}
// CHECK-LABEL: func.func @decode(
// CHECK: linalg.generic
// CHECK-SAME: tensor<64x96xf32, #[[RHS1]]>
// TILES-LABEL: func.func @decode(
// TILES: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base">
// GPU-LABEL: func.func @decode(
// GPU: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x64x8_amdgpu_gfx942">
// GPU-SAME: tensor<2x8x64x8xf32>) outs(
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
// TILES: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base">
// GPU-LABEL: func.func @alone(
// GPU: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x64x4_amdgpu_gfx942">
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

// -----

// A vector times the matrix is a product of one row.
// CHECK-COUNT-2: any_m
// CHECK-LABEL: func.func @vector(
func.func @vector(%a: tensor<128x64xf32>, %b: tensor<64xf32>, %w: tensor<64x96xf32>, %c: tensor<128x96xf32>, %d: tensor<96xf32>) -> (tensor<128x96xf32>, tensor<96xf32>) {
  %r = linalg.matmul ins(%a, %w : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.vecmat ins(%b, %w : tensor<64xf32>, tensor<64x96xf32>) outs(%d : tensor<96xf32>) -> tensor<96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<96xf32>
}

// -----

// What is encoded for two contractions, of which one agrees with a third, stays
// for the other what it was.
// CHECK-DAG: #[[ANY:.*]] = #tw.encoding<lhs, {{.*}} sizes = [128, 96, 64], any_m>
// CHECK-DAG: #[[LHS:.*]] = #tw.encoding<lhs, {{.*}} sizes = [128, 96, 64]>
// CHECK-LABEL: func.func @shared_lhs(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<128x64xf32, #[[ANY]]>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<128x64xf32, #[[LHS]]>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x64xf32, #{{.*}}>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
func.func @shared_lhs(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %v: tensor<64x96xf32>, %w: tensor<64x96xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<128x96xf32>, tensor<1x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %la = tensor.empty() : tensor<128x64xf32, #lhs>
  %ea = tw.set_encoding ins(%a : tensor<128x64xf32>) outs(%la : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %lw = tensor.empty() : tensor<64x96xf32, #rhs>
  %ev = tw.set_encoding ins(%v : tensor<64x96xf32>) outs(%lw : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  %ew = tw.set_encoding ins(%w : tensor<64x96xf32>) outs(%lw : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  %lc = tensor.empty() : tensor<128x96xf32, #out>
  %z = linalg.fill ins(%zero : f32) outs(%lc : tensor<128x96xf32, #out>) -> tensor<128x96xf32, #out>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%ea, %ew : tensor<128x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%z : tensor<128x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<128x96xf32, #out>
  %q = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%ea, %ev : tensor<128x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%z : tensor<128x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<128x96xf32, #out>
  %up = tw.unset_encoding ins(%p : tensor<128x96xf32, #out>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %uq = tw.unset_encoding ins(%q : tensor<128x96xf32, #out>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %up, %uq, %s : tensor<128x96xf32>, tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// Encodings that somebody else depends on stay: of a parameter, of a sum that
// another contraction goes on with.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @encoded(
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
func.func @encoded(%a: tensor<128x64xf32, #lhs>, %b: tensor<1x64xf32>, %w: tensor<64x96xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %lw = tensor.empty() : tensor<64x96xf32, #rhs>
  %ew = tw.set_encoding ins(%w : tensor<64x96xf32>) outs(%lw : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  %lc = tensor.empty() : tensor<128x96xf32, #out>
  %z = linalg.fill ins(%zero : f32) outs(%lc : tensor<128x96xf32, #out>) -> tensor<128x96xf32, #out>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ew : tensor<128x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%z : tensor<128x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<128x96xf32, #out>
  %q = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ew : tensor<128x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%p : tensor<128x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<128x96xf32, #out>
  %u = tw.unset_encoding ins(%q : tensor<128x96xf32, #out>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %u, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// Other elements have other tiles: K0 is of both.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @elements(
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @elements(%a: tensor<128x64xi8>, %b: tensor<1x64xi8>, %w: tensor<64x96xi8>, %c: tensor<128x96xi32>, %d: tensor<1x96xi32>) -> (tensor<128x96xi32>, tensor<1x96xi32>) {
  %r = linalg.matmul ins(%a, %w : tensor<128x64xi8>, tensor<64x96xi8>) outs(%c : tensor<128x96xi32>) -> tensor<128x96xi32>
  %s = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%b, %w : tensor<1x64xi8>, tensor<64x96xi8>) outs(%d : tensor<1x96xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extui %x : i8 to i32
    %f = arith.extsi %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<1x96xi32>
  return %r, %s : tensor<128x96xi32>, tensor<1x96xi32>
}

// -----

// Weights of convolutions of few places and of many.
// CONV-LABEL: func.func @large_image(
// CONV: tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_{{[0-9]+}}x32x1_x86_64_avx512_base"> rhs_packed
func.func @large_image(%x: tensor<1x30x30x16xf32>, %o: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %w = arith.constant dense<2.0> : tensor<3x3x16x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x30x30x16xf32>, tensor<3x3x16x64xf32>) outs(%o : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %r : tensor<1x28x28x64xf32>
}
// CONV-LABEL: func.func @one_place(
// CONV: tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base"> rhs_packed
func.func @one_place(%x: tensor<1x3x3x16xf32>, %o: tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32> {
  %w = arith.constant dense<2.0> : tensor<3x3x16x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x3x3x16xf32>, tensor<3x3x16x64xf32>) outs(%o : tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32>
  return %r : tensor<1x1x1x64xf32>
}
// CONV-LABEL: func.func @one_place_alone(
// CONV: tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base"> rhs_packed
func.func @one_place_alone(%x: tensor<1x3x3x16xf32>, %o: tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32> {
  %w = arith.constant dense<3.0> : tensor<3x3x16x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x3x3x16xf32>, tensor<3x3x16x64xf32>) outs(%o : tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32>
  return %r : tensor<1x1x1x64xf32>
}
