// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-drop-encodings,tw-verify-encodings{none-left},canonicalize))" --verify-diagnostics | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-drop-encodings --verify-diagnostics | FileCheck %s --check-prefix=ALONE

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>

// Whatever device there is; nothing is copied, and sizes are those without.
// CHECK-DAG: #[[BYTES:.*]] = affine_map<()[s0] -> (s0 * 256)>
// CHECK-LABEL: func.func @drop(
// CHECK-SAME:    %[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x96xf32>, %[[C:.*]]: tensor<?x96xf32>, %[[M:.*]]: index) -> (tensor<?x96xf32>, index)
// CHECK-NOT:     tensor.empty
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<?x64xf32>, tensor<64x96xf32>) outs(%[[C]] : tensor<?x96xf32>) {
// CHECK-NOT:     linalg.pack
// CHECK:         %[[S:.*]] = affine.apply #[[BYTES]]()[%[[M]]]
// CHECK:         return %[[R]], %[[S]]
func.func @drop(%a: tensor<?x64xf32>, %b: tensor<64x96xf32, #rhs>, %c: tensor<?x96xf32>, %m: index) -> (tensor<?x96xf32>, index) {
  %d = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %e = tw.set_encoding ins(%a : tensor<?x64xf32>) outs(%d : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  %o = tensor.empty(%m) : tensor<?x96xf32, #out>
  %s = tw.set_encoding ins(%c : tensor<?x96xf32>) outs(%o : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%e, %b : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%s : tensor<?x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %z, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32, #out>
  %u = tw.unset_encoding ins(%r : tensor<?x96xf32, #out>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  %bytes = tw.encoding_size tensor<?x64xf32, #lhs> (%m) : index
  return %u, %bytes : tensor<?x96xf32>, index
}

// Laid out anew is as it lies.
// CHECK-LABEL: func.func @relayout(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<?x64xf32>,
// CHECK-NEXT:    return %[[A]] : tensor<?x64xf32>
func.func @relayout(%a: tensor<?x64xf32, #lhs>, %d: tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs> {
  %r = tw.relayout ins(%a : tensor<?x64xf32, #lhs>) outs(%d : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  return %r : tensor<?x64xf32, #lhs>
}

// Between encodings, too. A loop and a branch hand on what they would have; others' encodings are theirs.
#sums = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64], dims = [1]>
// CHECK-LABEL: func.func @handed_on(
// CHECK-SAME:    %[[A:.*]]: tensor<?x96xf32>, %[[O:.*]]: tensor<4xf32, "sparse">, %{{.*}}: index, %{{.*}}: i1) -> (tensor<?x96xf32>, tensor<4xf32, "sparse">, tensor<96xf32>)
// CHECK-NOT:     tensor<{{[^>]*}}, #
// CHECK:         %[[R:.*]] = scf.for {{.*}} -> (tensor<?x96xf32>)
// CHECK:         %[[I:.*]] = arith.select %{{.*}}, %[[R]], %[[A]] : tensor<?x96xf32>
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<?x96xf32>) outs(%{{.*}} : tensor<96xf32>)
// CHECK:         return %[[I]], %[[O]], %[[S]]
func.func @handed_on(%a: tensor<?x96xf32, #out>, %o: tensor<4xf32, "sparse">, %m: index, %if: i1) -> (tensor<?x96xf32, #out>, tensor<4xf32, "sparse">, tensor<96xf32, #sums>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%x = %a) -> tensor<?x96xf32, #out> {
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x96xf32, #out>) {
    ^bb0(%v: f32):
      %q = math.exp %v : f32
      linalg.yield %q : f32
    } -> tensor<?x96xf32, #out>
    scf.yield %e : tensor<?x96xf32, #out>
  }
  %i = scf.if %if -> tensor<?x96xf32, #out> {
    scf.yield %r : tensor<?x96xf32, #out>
  } else {
    scf.yield %a : tensor<?x96xf32, #out>
  }
  %e = tensor.empty() : tensor<96xf32, #sums>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96xf32, #sums>) -> tensor<96xf32, #sums>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
    ins(%i : tensor<?x96xf32, #out>) outs(%z : tensor<96xf32, #sums>) {
  ^bb0(%v: f32, %w: f32):
    %q = arith.addf %v, %w : f32
    linalg.yield %q : f32
  } -> tensor<96xf32, #sums>
  return %i, %o, %s : tensor<?x96xf32, #out>, tensor<4xf32, "sparse">, tensor<96xf32, #sums>
}

// -----

// Nobody is asked for tiles, so that a device need not be known.
#rhs = #tw.encoding<rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
module attributes {tw.devices = [#tw.device<"a" = "z80", memory = host>]} {
  // ALONE-LABEL: func.func @unknown_device(
  // ALONE-SAME:    %[[X:.*]]: tensor<64x96xf32>) -> tensor<64x96xf32>
  // ALONE-NEXT:    return %[[X]]
  func.func @unknown_device(%x: tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs> {
    return %x : tensor<64x96xf32, #rhs>
  }
}

// -----

// What somebody has packed is no tensor as it lies.
#rhs = #tw.encoding<rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
func.func @packed_before(%p: tensor<3x64x32x1xf32>) -> tensor<64x96xf32, #rhs> {
  // expected-error @below {{is of 'tensor<3x64x32x1xf32>' and 'tensor<64x96xf32, #tw.layout<identity>>'; expected the packed form of this layout}}
  %0 = tw.from_packed %p : tensor<3x64x32x1xf32> -> tensor<64x96xf32, #rhs>
  return %0 : tensor<64x96xf32, #rhs>
}

// -----

// What is packed already cannot be dropped.
#panels = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
func.func @layout(%a: tensor<?x64xf32, #panels>) -> index {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.dim' op takes or makes an encoded tensor, which it does not know how to pack}}
  %0 = tensor.dim %a, %c0 : tensor<?x64xf32, #panels>
  return %0 : index
}
