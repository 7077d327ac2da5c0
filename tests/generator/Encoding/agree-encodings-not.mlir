// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights that look alike and are not the same, or that contractions do not take alike: each keeps the layout that is best for it.
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-verify-encodings))" | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings{host-packs-blocks},func.func(tw-verify-encodings))" | FileCheck %s

// What an instance keeps under two numbers is two tensors. Under one it is one, also where the host packs blocks.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @kept(
func.func @kept(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %v = tw.kept 0 : tensor<64x96xf32>
  %w = tw.kept 1 : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %v : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// CHECK-COUNT-2: #tw.encoding<rhs, {{.*}}, any_m>
// CHECK-LABEL: func.func @kept_once(
func.func @kept_once(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %v = tw.kept 0 : tensor<64x96xf32>
  %w = tw.kept 0 : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %v : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// One half each of one constant.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @halves(
func.func @halves(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %w = arith.constant dense<2.0> : tensor<64x192xf32>
  %w0 = tensor.extract_slice %w[0, 0] [64, 96] [1, 1] : tensor<64x192xf32> to tensor<64x96xf32>
  %w1 = tensor.extract_slice %w[0, 96] [64, 96] [1, 1] : tensor<64x192xf32> to tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %w0 : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w1 : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// Two constants of one type.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @constants(
func.func @constants(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
  %v = arith.constant dense<2.0> : tensor<64x96xf32>
  %w = arith.constant dense<3.0> : tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %v : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
}

// -----

// One value, as a lhs and as a rhs.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @both_sides(
func.func @both_sides(%w: tensor<64x64xf32>, %b: tensor<1x64xf32>, %c: tensor<64x64xf32>, %d: tensor<1x64xf32>) -> (tensor<64x64xf32>, tensor<1x64xf32>) {
  %r = linalg.matmul ins(%w, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%b, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%d : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %r, %s : tensor<64x64xf32>, tensor<1x64xf32>
}

// -----

// Many rows of a batch, and a product whose k is the other's batch: other panels.
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @batch_and_k(
func.func @batch_and_k(%a: tensor<8x128x64xf32>, %b: tensor<1x64x8xf32>, %w: tensor<8x64x96xf32>, %c: tensor<8x128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<8x128x96xf32>, tensor<1x96xf32>) {
  %r = linalg.batch_matmul ins(%a, %w : tensor<8x128x64xf32>, tensor<8x64x96xf32>) outs(%c : tensor<8x128x96xf32>) -> tensor<8x128x96xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, h, k) -> (m, k, h)>, affine_map<(m, n, h, k) -> (h, k, n)>, affine_map<(m, n, h, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%b, %w : tensor<1x64x8xf32>, tensor<8x64x96xf32>) outs(%d : tensor<1x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x96xf32>
  return %r, %s : tensor<8x128x96xf32>, tensor<1x96xf32>
}

// -----

// Weights that an argument brings encoded: how they lie was agreed on by who encoded them.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
// CHECK-NOT: any_m
// CHECK-LABEL: func.func @encoded_before(
func.func @encoded_before(%a: tensor<?x64xf32>, %w: tensor<64x96xf32, #rhs>, %c: tensor<?x96xf32>, %m: index) -> tensor<?x96xf32> {
  %la = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %ea = tw.set_encoding ins(%a : tensor<?x64xf32>) outs(%la : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  %lc = tensor.empty(%m) : tensor<?x96xf32, #out>
  %ec = tw.set_encoding ins(%c : tensor<?x96xf32>) outs(%lc : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%ea, %w : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%ec : tensor<?x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m1 = arith.mulf %x, %y : f32
    %n = arith.addf %o, %m1 : f32
    linalg.yield %n : f32
  } -> tensor<?x96xf32, #out>
  %u = tw.unset_encoding ins(%p : tensor<?x96xf32, #out>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %u : tensor<?x96xf32>
}
